/* SPDX-License-Identifier: MIT
 *
 * sweep.c -- the kings' play inside a block, until nothing changes.
 *
 * All quiet positions start as draws and only ever improve towards the truth: a
 * draw may become a win or a loss, a distance may shrink.  A sweep recomputes the
 * rows whose king moves lead to something that changed; a changed row is turned
 * round, 64 x 64 at a time, into the opponent's `seen`.  The number of sweeps
 * follows the play inside the block, not the distance to the end. */
#include "db/kernel/space.h"

enum { FEW_LANES = 6 }; /* up to this many changed lanes are written one by one */

INLINE size_t cell(const struct half *h, size_t row, int panel)
{
    return (size_t)panel * h->rows + row;
}

/* Where our rows 64 * group ... appear in `seen`, for the opponent's row c. */
INLINE group *seen_at(const struct half *h, const struct half *opp, int tile, size_t c)
{
    return h->seen + (size_t)tile * opp->rows + c;
}

/* List the rows that each row's kings can step to. */
static void king_moves(struct half *h)
{
    uint32_t n = 0, men = h->men | h->opp_men;

    for (uint32_t r = 0; r < h->own->count; r++) {
        uint32_t kings = h->own->set[r], occupied = kings | men;

        h->move_first[r] = n;
        if (kings & men)
            continue;
        for (uint32_t x = kings; x; x &= x - 1)
            for (int d = 0; d < 4; d++) {
                int from = __builtin_ctz(x), to = kernel_neighbour[from][d];

                if (to >= 0 && !(occupied >> to & 1))
                    h->move[n++] = set_rank((kings & ~(UINT32_C(1) << from)) | UINT32_C(1) << to);
            }
    }
    h->move_first[h->own->count] = n;
}

/* Turn the tile of row group g and panel j round into `seen`, columns by mask. */
static void tile_show(struct half *h, const struct half *opp, int g, int j, uint64_t columns)
{
    group out[LANES] __attribute__((aligned(64)));

    tile_transpose_seen(h->score + cell(h, (size_t)g * LANES, j), out);
    for (; columns; columns &= columns - 1) {
        size_t c = (size_t)__builtin_ctzll(columns), r = (size_t)j * LANES + c;
        lanes v = lanes_keep(opp->valid[cell(opp, r, g)], lanes_load(out + c));
        lanes_store(seen_at(h, opp, g, r), v);
    }
}

static void half_begin(struct half *h, const struct half *opp)
{
    for (int j = 0; j < h->panels; j++)
        for (size_t r = 0; r < h->own->count; r++)
            if (h->row_ok[r / 64] >> r % 64 & 1) {
                size_t at = cell(h, r, j);
                lanes v = lanes_load(h->best + at);
                lanes_store(h->score + at,
                            lanes_select(h->quiet[at], lanes_max(v, lanes_fill(DRAW)), v));
            }
    for (int j = 0; j < h->panels; j++)
        for (uint32_t g = 0; opp->row_ok[j] && g < h->own->words; g++)
            tile_show(h, opp, (int)g, j, opp->row_ok[j]);
}

/* The rows of panel j from which a king steps to a row that changed. */
static bool rows_needed(struct space *sp, const struct half *h, uint64_t *changed)
{
    bool any = false;

    for (uint32_t g = 0; g < h->own->words; g++) {
        uint64_t x = changed[g];

        changed[g] = 0;
        any |= x != 0;
        for (; x; x &= x - 1) {
            uint32_t r = g * 64 + (uint32_t)__builtin_ctzll(x);

            for (uint32_t i = h->move_first[r]; i < h->move_first[r + 1]; i++)
                sp->need[h->move[i] / 64] |= UINT64_C(1) << h->move[i] % 64;
        }
    }
    return any;
}

/* Recompute one row of a panel; returns the lanes that changed. */
INLINE uint64_t row_update(struct half *h, const group *seen, size_t r, int j)
{
    size_t at = cell(h, r, j);
    uint64_t quiet = h->quiet[at], changed;
    lanes v, old;

    if (!quiet)
        return 0;
    v = lanes_load(h->best + at);
    for (uint32_t i = h->move_first[r]; i < h->move_first[r + 1]; i++)
        v = lanes_max(v, lanes_load(seen + h->move[i]));
    old = lanes_load(h->score + at);
    changed = lanes_differ(v, old) & quiet;
    if (changed)
        lanes_store(h->score + at, lanes_select(quiet, v, old));
    return changed;
}

static void lanes_show(struct half *h, const struct half *opp, size_t r, int j, uint64_t which)
{
    const group *from = h->score + cell(h, r, j);

    for (; which; which &= which - 1) {
        size_t c = (size_t)__builtin_ctzll(which);
        group_set(seen_at(h, opp, (int)(r / LANES), (size_t)j * LANES + c), r % LANES,
                  score_seen(group_get(from, c)));
    }
}

/* One side's king moves, over all panels; true if anything changed. */
static bool sweep(struct space *sp, struct half *h, struct half *opp, bool first)
{
    bool any = false;
    uint64_t *in = opp->changed[1];

    opp->changed[1] = opp->changed[0];
    opp->changed[0] = in;
    for (int j = 0; j < h->panels; j++) {
        uint64_t *changed = in + (size_t)j * h->own->words;
        const group *seen = opp->seen + (size_t)j * h->rows;
        bool some = rows_needed(sp, h, changed);

        if (first)
            memcpy(sp->need, h->row_ok, h->own->words * sizeof *sp->need);
        else if (!some)
            continue;
        for (uint32_t g = 0; g < h->own->words; g++) {
            uint64_t rows = sp->need[g], many = 0, few = 0;

            for (sp->need[g] = 0; rows; rows &= rows - 1) {
                size_t r = g * (size_t)LANES + (size_t)__builtin_ctzll(rows);
                uint64_t lanes_changed = row_update(h, seen, r, j);

                if (lanes_of(lanes_changed) > FEW_LANES) {
                    many |= lanes_changed;
                } else if (lanes_changed) {
                    few |= lanes_changed;
                    lanes_show(h, opp, r, j, lanes_changed);
                }
            }
            if (many)
                tile_show(h, opp, (int)g, j, many);
            if (many | few) {
                h->changed[1][(size_t)g * (size_t)h->panels + (size_t)j] |= many | few;
                any = true;
            }
        }
    }
    return any;
}

static void half_store(struct half *h, const struct half *opp)
{
    struct row_writer w = writer_open(h->out, layout_block(&h->out->layout, h->men, h->opp_men));

    for (size_t c = 0; c < opp->own->count; c++) {
        if (!(opp->row_ok[c / 64] >> c % 64 & 1))
            continue;
        for (uint32_t g = 0; g < h->own->words; g++)
            writer_put(&w, opp->valid[cell(opp, c, (int)g)],
                       lanes_load(seen_at(h, opp, (int)g, c)));
    }
    writer_close(&w);
}

/* (V2): does every distance of the block fit? */
static bool half_fits(const struct half *h)
{
    uint64_t bad = 0;

    for (size_t r = 0; r < h->own->count; r++)
        for (int j = 0; (h->row_ok[r / 64] >> r % 64 & 1) && j < h->panels; j++) {
            size_t at = cell(h, r, j);
            bad |= h->valid[at] & lanes_overflow(lanes_load(h->score + at));
        }
    return bad == 0;
}

/* Captures alone: nothing to iterate, and maybe one table to fill. */
static bool captures_store(struct half *side[2], int last, bool alone)
{
    bool fits = true;

    for (int i = 0; i <= (alone ? 0 : last); i++) {
        half_begin(side[i], side[last - i]);
        half_store(side[i], side[last - i]);
        fits &= half_fits(side[i]);
    }
    return fits;
}

bool K(halves_sweep)(struct space *sp, struct half *a, struct half *b, const struct block_job *job)
{
    struct half *side[2] = {a, b};
    int last = a == b ? 0 : 1, turn = 0;
    bool fits = true;

    if (job->captures_only)
        return captures_store(side, last, !job->out[1]);
    for (int i = 0; i <= last; i++)
        king_moves(side[i]);
    for (int i = 0; i <= last; i++)
        half_begin(side[i], side[last - i]);
    for (int sweeps = 0;; sweeps++) {
        bool moved = sweep(sp, side[turn], side[last - turn], sweeps <= last);

        if (!moved && sweeps >= last)
            break;
        turn = last - turn;
    }
    for (int i = 0; i <= last; i++) {
        half_store(side[i], side[last - i]);
        fits &= half_fits(side[i]);
    }
    return fits;
}
