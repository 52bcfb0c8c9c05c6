/* SPDX-License-Identifier: MIT
 *
 * sweep.c -- the kings' play inside a block, until nothing changes.
 *
 * All quiet positions start as draws and only ever improve towards the truth: a draw may become a
 * win or a loss, a distance may shrink.  A sweep recomputes the rows whose king moves lead to
 * something that changed; a changed row is transposed, 64 x 64 at a time, into the opponent's
 * `seen`.  The number of sweeps follows the play inside the block, not the distance to the
 * end. */
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

/* Transpose the tile of row group g and panel j into `seen`, columns by mask. */
static void tile_show(struct half *h, const struct half *opp, int g, int j, uint64_t columns)
{
    group out[LANES] __attribute__((aligned(64)));

    tile_transpose_seen(h->score + cell(h, (size_t)g * LANES, j), out);
    for (; columns; columns &= columns - 1) {
        size_t c = (size_t)__builtin_ctzll(columns), r = (size_t)j * LANES + c;
        lanes v = lanes_load(out + c);

        if (opp->valid)
            v = lanes_keep(opp->valid[cell(opp, r, g)], v);
        lanes_store(seen_at(h, opp, g, r), v);
    }
}

static void panel_begin(struct half *h, int j)
{
    for (size_t r = 0; r < h->own->count; r++)
        if (h->row_ok[r / 64] >> r % 64 & 1) {
            size_t at = cell(h, r, j);
            lanes v = lanes_load(h->best + at);

            if (h->held)
                h->held[at] = h->quiet[at] & ~lanes_below(v, DRAW);
            lanes_store(h->score + at,
                        lanes_select(h->quiet[at], lanes_max(v, lanes_fill(DRAW)), v));
        }
}

static void half_begin(struct space *sp, struct half *h, const struct half *opp)
{
    uint32_t j;

    phase_begin(sp);
    while (phase_take(sp, (uint32_t)h->panels, &j)) {
        panel_begin(h, (int)j);
        for (uint32_t g = 0; opp->row_ok[j] && g < h->own->words; g++)
            tile_show(h, opp, (int)g, (int)j, opp->row_ok[j]);
    }
    phase_end(sp, false);
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

/* The best by leaving the block, or as much of it as matters now. */
INLINE lanes lanes_left(const struct half *h, size_t at)
{
#ifdef KERNEL_WLD
    return (lanes){h->held ? h->held[at] : 0, lanes_load(h->score + at).win};
#else
    return lanes_load(h->best + at);
#endif
}

/* Recompute one row of a panel; returns the lanes that changed. */
INLINE uint64_t row_update(struct half *h, const group *seen, size_t r, int j)
{
    size_t at = cell(h, r, j);
    uint64_t quiet = h->quiet[at], changed;
    lanes v, old;

    if (!quiet)
        return 0;
    v = lanes_left(h, at);
    for (uint32_t i = h->move_first[r]; i < h->move_first[r + 1]; i++)
        v = lanes_max(v, lanes_load(seen + h->move[i]));
    old = lanes_load(h->score + at); /* not before: distances would take too many registers */
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

/* One side's king moves in a panel; true if anything changed.  `changed`: rows of the
 * opponent's that did before. */
static bool panel_sweep(struct space *sp, struct half *h, struct half *opp, int j,
                        uint64_t *changed, bool first)
{
    const group *seen = opp->seen + (size_t)j * h->rows;
    bool some = rows_needed(sp, h, changed), any = false;

    if (first)
        memcpy(sp->need, h->row_ok, h->own->words * sizeof *sp->need);
    else if (!some)
        return false;
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
    return any;
}

/* The same over all panels. */
static bool sweep(struct space *sp, struct half *h, struct half *opp, bool first)
{
    bool any = false;
    uint64_t *in = opp->changed[1];
    uint32_t j;

    opp->changed[1] = opp->changed[0];
    opp->changed[0] = in;
    phase_begin(sp);
    while (phase_take(sp, (uint32_t)h->panels, &j))
        any |= panel_sweep(sp, h, opp, (int)j, in + (size_t)j * h->own->words, first);
    return phase_end(sp, any);
}

/* Store at most n existing rows of opp's sets from c on; the first has number
 * `at`. */
static void rows_store(struct space *sp, struct half *h, const struct half *opp, uint64_t at,
                       size_t c, int n)
{
    struct row_writer w = writer_open(h->out, layout_block(&h->out->layout, h->men, h->opp_men));

    writer_seek(&w, at * h->out->layout.columns);
    for (; c < opp->own->count && n; c++) {
        if (!(opp->row_ok[c / 64] >> c % 64 & 1))
            continue;
        if (!opp->valid)
            family_select(h->own, 0, h->men | h->opp_men | packed_flip(opp->own->set[c]),
                          sp->valid);
        for (uint32_t g = 0; g < h->own->words; g++)
            writer_put(&w, opp->valid ? opp->valid[cell(opp, c, (int)g)] : sp->valid[g],
                       lanes_load(seen_at(h, opp, (int)g, c)));
        n--;
    }
    writer_close(&w);
}

/* The set after `skip` others of the bitmap. */
static size_t bitmap_find(const uint64_t *map, uint64_t skip)
{
    size_t w = 0;
    uint64_t x;

    for (; skip >= (uint64_t)lanes_of(map[w]); w++)
        skip -= (uint64_t)lanes_of(map[w]);
    for (x = map[w]; skip; skip--)
        x &= x - 1;
    return w * 64 + (size_t)__builtin_ctzll(x);
}

/* Units are 64 rows of the table, so that each begins with a whole word. */
static void half_store(struct space *sp, struct half *h, const struct half *opp)
{
    uint32_t rows = h->out->layout.rows, unit;

    if (!half_is_kept(h))
        return;
    phase_begin(sp);
    while (phase_take(sp, (rows + 63) / 64, &unit))
        rows_store(sp, h, opp, (uint64_t)unit * 64, bitmap_find(opp->row_ok, (uint64_t)unit * 64),
                   64);
    phase_end(sp, false);
}

/* (V2): does every distance of the block fit? */
static bool half_fits(const struct half *h, const struct block_job *job)
{
    uint64_t bad = 0;

    for (size_t r = 0; h->valid && r < h->own->count && !(r % 64 == 63 && job_stopped(job)); r++)
        for (int j = 0; (h->row_ok[r / 64] >> r % 64 & 1) && j < h->panels; j++) {
            size_t at = cell(h, r, j);
            bad |= h->valid[at] & lanes_overflow(lanes_load(h->score + at));
        }
    return bad == 0;
}

/* Captures alone: nothing to iterate, and maybe one table to fill. */
static bool captures_store(struct space *sp, struct half *side[2], int last,
                           const struct block_job *job)
{
    bool fits = true;

    for (int i = 0; i <= (job->out[1] ? last : 0); i++) {
        half_begin(sp, side[i], side[last - i]);
        half_store(sp, side[i], side[last - i]);
        fits &= half_fits(side[i], job);
    }
    return fits;
}

/* List the king moves: of one side each. */
static void halves_moves(struct space *sp, struct half *side[2], int last)
{
    uint32_t i;

    phase_begin(sp);
    while (phase_take(sp, (uint32_t)last + 1, &i))
        king_moves(side[i]);
    phase_end(sp, false);
}

bool K(halves_sweep)(struct space *sp, struct half *a, struct half *b, const struct block_job *job)
{
    struct half *side[2] = {a, b};
    int last = a == b ? 0 : 1, turn = 0;
    bool fits = true;

    if (job->captures_only)
        return captures_store(sp, side, last, job);
    halves_moves(sp, side, last);
    for (int i = 0; i <= last; i++)
        half_begin(sp, side[i], side[last - i]);
    for (int sweeps = 0;; sweeps++) {
        bool moved = sweep(sp, side[turn], side[last - turn], sweeps <= last);

        if (!moved && sweeps >= last) /* also when the job is stopped: nothing moves then */
            break;
        turn = last - turn;
    }
    for (int i = 0; i <= last; i++) {
        half_store(sp, side[i], side[last - i]);
        fits &= half_fits(side[i], job);
    }
    return fits;
}
