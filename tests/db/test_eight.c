/* SPDX-License-Identifier: MIT
 *
 * The kernels on eight pieces, against brute force: endings of which little can arise, that is,
 * forced captures first.  All positions that can arise are solved by both, for each kind and
 * each instruction set.  Files of eight pieces are compared as well where KELSO_TABLES names a
 * directory that has them.  And (V2), (V3): a distance that does not fit is reported. */
#include "kit/brute.h"
#include "kit/positions.h"
#include "kit/test.h"

#include "core/movegen.h"
#include "core/notation.h"
#include "base/clock.h"
#include "db/build.h"
#include "db/tables.h"

enum { PIECES = 8, SIDE_MOST = 5 };

struct test_kind {
    const char *name;
    enum kernel_type type;
    enum raw_form form;
};

static const struct test_kind kinds[KINDS] = {
    [KIND_WLD] = {"wld", KERNEL_TYPE_WLD, RAW_PACKED},
    [KIND_DTW] = {"dtw", KERNEL_TYPE_DTW9, RAW_NINE},
    [KIND_DTC] = {"dtc", KERNEL_TYPE_DTC, RAW_WIDE},
};

/* A block of a canonical slice. */
struct block {
    uint32_t men, opp_men;
    int advancement;
};

struct part {
    struct slice slice;
    struct block *block;
    size_t count;
};

struct ending {
    struct brute *brute;
    struct build_plan plan;
    struct part *part; /* as in the plan */
    struct raw raw[KINDS][SLICE_CODES];
    struct raw_set set[KINDS];
    struct sets *sets;
};

/* ------------------------------------------------------------------------ blocks -- */

static int block_order(const void *a, const void *b)
{
    const struct block *x = a, *y = b;

    if (x->advancement != y->advancement)
        return y->advancement - x->advancement;
    if (x->men != y->men)
        return x->men < y->men ? -1 : 1;
    return x->opp_men < y->opp_men ? -1 : x->opp_men > y->opp_men;
}

/* The block of a position, as its canonical slice has it. */
static struct slice block_of(const struct board *b, struct block *out)
{
    struct view v = view_of(b);
    struct slice s = view_slice(&v);

    *out = (struct block){v.men, v.opp_men, 0};
    if (!slice_equal(s, slice_canonical(s)))
        *out = (struct block){packed_flip(v.opp_men), packed_flip(v.men), 0};
    out->advancement = men_advancement(out->men, out->opp_men);
    return slice_canonical(s);
}

/* All blocks that the positions lie in, the most advanced first. */
static void part_fill(struct part *p, const struct brute *brute)
{
    size_t n = 0;

    p->block = calloc(brute_count(brute) + 1, sizeof *p->block);
    assert_non_null(p->block);
    for (size_t i = 0; i < brute_count(brute); i++) {
        struct board b = brute_board(brute, i);

        if (slice_equal(block_of(&b, &p->block[n]), p->slice))
            n++;
    }
    qsort(p->block, n, sizeof *p->block, block_order);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || block_order(&p->block[i], &p->block[i - 1]))
            p->block[p->count++] = p->block[i];
}

/* ----------------------------------------------------------------------- solving -- */

/* A block of a symmetric slice is solved with its mirror, which has the same advancement. */
static void part_solve(struct ending *x, const struct part *p, enum kind kind, enum kernel_isa isa)
{
    const struct kernel *k = kernel_get(kinds[kind].type, isa);
    struct block_job job = {.same = &x->set[kind],
                            .conv = &x->set[kind == KIND_DTC ? KIND_WLD : kind]};
    void *memory;
    struct space *space;

    if (!p->count)
        return;
    memory = aligned_alloc(64, (k->space_bytes(x->sets, p->slice, false) + 63) / 64 * 64);
    assert_non_null(memory);
    space = k->space_create(x->sets, p->slice, false, memory);
    assert_non_null(space);
    job.out[0] = &x->raw[kind][slice_code(p->slice)];
    job.out[1] = &x->raw[kind][slice_code(slice_flip(p->slice))];
    for (size_t i = 0; i < p->count; i++) {
        job.men = p->block[i].men;
        job.opp_men = p->block[i].opp_men;
        assert_true(k->solve(space, &job));
    }
    k->space_free(&space);
    free(memory);
}

static struct outcome outcome_expected(const struct ending *x, size_t i, enum kind kind)
{
    struct outcome o = kind == KIND_DTC ? brute_dtc(x->brute, i) : brute_dtw(x->brute, i);

    return kind == KIND_WLD ? (struct outcome){o.value, 0} : o;
}

static void ending_compare(const struct ending *x, enum kind kind, enum kernel_isa isa)
{
    for (size_t i = 0; i < brute_count(x->brute); i++) {
        struct board b = brute_board(x->brute, i);
        struct view v = view_of(&b);
        const struct raw *r = x->set[kind].at[slice_code(view_slice(&v))];
        struct outcome got = raw_outcome(r, layout_index(&r->layout, &v));
        struct outcome want = outcome_expected(x, i, kind);

        if (!outcome_equal(got, want)) {
            char fen[FEN_TEXT_MAX];

            fen_format(&b, fen);
            fail_msg("%s %s, instruction set %d: expected %d in %d, found %d in %d", fen,
                     kinds[kind].name, isa, want.value, want.plies, got.value, got.plies);
        }
    }
}

/* Where nothing was solved tables read as 0, no move; no position that counts leads there. */
static void raws_open(struct ending *x, enum kind kind)
{
    for (int i = 0; i < x->plan.count; i++)
        for (int mirror = 0; mirror < 2; mirror++) {
            struct slice s = mirror ? slice_flip(x->plan.slice[i]) : x->plan.slice[i];
            struct raw *r = &x->raw[kind][slice_code(s)];

            if (!r->data)
                assert_int_equal(raw_create_sparse(r, s, kinds[kind].form), 0);
            x->set[kind].at[slice_code(s)] = r;
        }
}

static void raws_close(struct ending *x, enum kind kind)
{
    for (int i = 0; i < SLICE_CODES; i++)
        if (x->raw[kind][i].data)
            raw_free(&x->raw[kind][i]);
}

static void ending_solve(struct ending *x, enum kernel_isa isa)
{
    for (int kind = 0; kind < KINDS; kind++) {
        raws_open(x, (enum kind)kind);
        for (int i = 0; i < x->plan.count; i++)
            part_solve(x, &x->part[i], (enum kind)kind, isa);
        ending_compare(x, (enum kind)kind, isa);
    }
    for (int kind = 0; kind < KINDS; kind++)
        raws_close(x, (enum kind)kind);
}

static void ending_check(const struct board *b, struct brute *brute)
{
    struct ending *x = calloc(1, sizeof *x);
    struct view v = view_of(b);
    struct error e;

    assert_non_null(x);
    x->brute = brute;
    assert_int_equal(build_plan_slice(&x->plan, view_slice(&v), &e), STATUS_OK);
    x->part = calloc((size_t)x->plan.count, sizeof *x->part);
    x->sets = sets_create(SIDE_MOST);
    assert_true(x->part && x->sets);
    for (int i = 0; i < x->plan.count; i++) {
        x->part[i].slice = x->plan.slice[i];
        part_fill(&x->part[i], brute);
    }
    for (int isa = 0; isa < ISAS; isa++)
        if (kernel_get(KERNEL_TYPE_WLD, (enum kernel_isa)isa))
            ending_solve(x, (enum kernel_isa)isa);
    for (int i = 0; i < x->plan.count; i++)
        free(x->part[i].block);
    free(x->part);
    sets_free(&x->sets);
    build_plan_free(&x->plan);
    free(x);
}

/* The most pieces that are left when nobody has a capture any more, after at most `quiet` quiet
 * moves; 0 if the game is over. */
static int pieces_settled(const struct board *b, int quiet)
{
    struct move_list list;
    int most = 0;

    if (!b->side[BLACK] || !b->side[WHITE] || !moves_generate(b, &list))
        return 0;
    if (!list.move[0].jumps && quiet-- == 0)
        return squares_count(b->side[BLACK] | b->side[WHITE]);
    for (int i = 0; i < list.count; i++) {
        struct board next = board_after(b, &list.move[i]);
        int n = pieces_settled(&next, quiet);

        most = n > most ? n : most;
    }
    return most;
}

enum { LIMIT = 60000, FEW = 100, SETTLED = 4 };

/* Eight men that exchange down to four pieces. */
static struct board random_ending(struct rng *r)
{
    for (;;) {
        struct board b = random_pieces(r, PIECES, 1);
        int black = squares_count(b.side[BLACK]), n;

        if (b.kings || black < PIECES - SIDE_MOST || black > SIDE_MOST)
            continue;
        if ((n = pieces_settled(&b, 0)) > 0 && n <= SETTLED)
            return b;
    }
}

static void test_random_endings(void **state)
{
    struct rng r = rng_for_test("eight pieces");
    int wanted = test_is_long() ? 40 : 2;
    size_t positions = 0;

    (void)state;
    if (test_is_sanitized())
        skip();
    for (int samples = 0; samples < wanted;) {
        struct board b = random_ending(&r);
        struct brute *brute = brute_solve_from(&b, LIMIT);

        if (brute && brute_count(brute) >= FEW) {
            ending_check(&b, brute);
            positions += brute_count(brute);
            samples++;
        }
        if (brute)
            brute_free(brute);
    }
    print_message("# %d endings, %zu positions by brute force\n", wanted, positions);
}

/* A few of these, to be quick. */
static void test_some_endings(void **state)
{
    static const char *const fen[] = {"B:W10,18,31:B5,7,16,17,26", "W:W5,13,14,22,30:B1,9,16",
                                      "B:W16,21,31:B1,5,10,12,27"};

    (void)state;
    for (int i = 0; i < (test_is_sanitized() ? 1 : 3); i++) {
        struct brute *brute;
        struct board b;

        assert_true(fen_parse(fen[i], strlen(fen[i]), &b, NULL));
        brute = brute_solve_from(&b, LIMIT);
        assert_true(brute && brute_count(brute) > 20000);
        ending_check(&b, brute);
        brute_free(brute);
    }
}

/* ------------------------------------------------------------------------ files -- */

struct files_tally {
    size_t endings, positions, quiet; /* quiet: eight pieces and no capture, so they are stored */
};

static void files_compare(const struct tables *t, const struct brute *brute, struct files_tally *n)
{
    for (size_t i = 0; i < brute_count(brute); i++) {
        struct board b = brute_board(brute, i);
        enum value want = brute_dtw(brute, i).value, got;
        struct error e;

        if (!b.side[BLACK] || !b.side[WHITE] || !tables_knows(t, &b))
            continue;
        assert_int_equal(tables_value(t, &b, &got, &e), STATUS_OK);
        if (got != want) {
            char fen[FEN_TEXT_MAX];

            fen_format(&b, fen);
            fail_msg("%s: expected %d, found %d", fen, want, got);
        }
        n->positions++;
        n->quiet +=
            squares_count(b.side[BLACK] | b.side[WHITE]) == PIECES && !board_must_capture(&b);
    }
    n->endings++;
}

/* How far b is from an ending that is stored and of which little is left after one move. */
static int ending_cost(const struct tables *t, const struct board *b)
{
    if (!board_valid(b) || board_must_capture(b) || !tables_has(t, b))
        return 2 * PIECES;
    return pieces_settled(b, 1);
}

/* Put one piece elsewhere. */
static struct board board_nudged(struct rng *r, const struct board *b)
{
    squares from = 0, to = 0;
    struct board next = *b;

    while (!(from & ~board_empty(b)))
        from = squares_of(square_from_number(1 + rng_below(r, 32)));
    while (!(to & board_empty(b)))
        to = squares_of(square_from_number(1 + rng_below(r, 32)));
    for (int s = 0; s < 2; s++)
        if (b->side[s] & from)
            next.side[s] ^= from | to;
    next.kings = b->kings & from ? b->kings ^ (from | to) : b->kings;
    return next;
}

/* Such endings are rare: begin anywhere, and keep what is no worse. */
static bool random_stored_ending(struct rng *r, const struct tables *t, struct board *b)
{
    int cost;

    *b = random_pieces(r, PIECES, 1 + rng_below(r, 3));
    cost = ending_cost(t, b);
    for (int i = 0; i < 3000 && cost > SETTLED; i++) {
        struct board next = board_nudged(r, b);
        int c = ending_cost(t, &next);

        if (c <= cost) {
            *b = next;
            cost = c;
        }
    }
    return cost <= SETTLED;
}

/* Files of eight pieces: as many endings as 20 CPU seconds (200 if long) allow. */
static void test_files(void **state)
{
    const char *dir = getenv("KELSO_TABLES");
    struct rng r = rng_for_test("files of eight pieces");
    struct files_tally n = {0};
    double end = clock_now(CLOCK_PROCESS_CPUTIME_ID) + (test_is_long() ? 200 : 20);
    struct tables *t;
    struct error e;

    (void)state;
    if (!dir || test_is_sanitized())
        skip();
    assert_int_equal(tables_open(&t, &(struct tables_options){.dir = dir}, &e), STATUS_OK);
    while (clock_now(CLOCK_PROCESS_CPUTIME_ID) < end) {
        struct brute *brute;
        struct board b;

        if (random_stored_ending(&r, t, &b) && (brute = brute_solve_from(&b, LIMIT))) {
            files_compare(t, brute, &n);
            brute_free(brute);
        }
    }
    tables_close(&t);
    print_message("# files: %zu endings, %zu positions, %zu of them stored with eight pieces\n",
                  n.endings, n.positions, n.quiet);
    assert_true(n.quiet > 0);
}

/* --------------------------------------------------------------------- overflow -- */

/* Every position of a table: the mover wins in this many plies. */
static void table_fill(struct raw *r, int plies)
{
    struct outcome o = {VALUE_WIN, plies};

    memset(r->data, r->form == RAW_NARROW ? outcome_to_narrow(o) : (uint8_t)outcome_to_nine(o),
           r->layout.blocks * r->stride);
    for (uint64_t i = 0; r->form == RAW_NINE && i < r->layout.blocks; i++)
        memset(r->data + i * r->stride + r->plane, 0, r->stride - r->plane);
}

/* A man on 25 against a king: it can only crown, and loses in one ply more than the opponent
 * then needs.  Does the kernel say that this fits? */
static bool crowning_fits(enum kernel_type type, enum kernel_isa isa, int plies)
{
    static const struct slice slice = {0, 1, 1, 0}, after = {1, 0, 1, 0};
    enum raw_form form = type == KERNEL_TYPE_DTW9 ? RAW_NINE : RAW_NARROW;
    const struct kernel *k = kernel_get(type, isa);
    struct sets *sets = sets_create(2);
    void *memory = aligned_alloc(64, (k->space_bytes(sets, slice, false) + 63) / 64 * 64);
    struct space *space = k->space_create(sets, slice, false, memory);
    struct raw out[2], next;
    static struct raw_set set;
    struct block_job job = {
        .out = {&out[0], &out[1]}, .men = UINT32_C(1) << 24, .same = &set, .conv = &set};
    bool fits;

    assert_int_equal(raw_create(&out[0], slice, form, NULL), 0);
    assert_int_equal(raw_create(&out[1], slice_flip(slice), form, NULL), 0);
    assert_int_equal(raw_create(&next, after, form, NULL), 0);
    table_fill(&next, plies);
    set.at[slice_code(after)] = &next;
    fits = k->solve(space, &job);
    k->space_free(&space);
    free(memory);
    sets_free(&sets);
    raw_free(&out[0]);
    raw_free(&out[1]);
    raw_free(&next);
    return fits;
}

static void test_overflow(void **state)
{
    (void)state;
    for (int isa = 0; isa < ISAS; isa++)
        if (kernel_get(KERNEL_TYPE_DTW, (enum kernel_isa)isa)) {
            assert_true(crowning_fits(KERNEL_TYPE_DTW, (enum kernel_isa)isa, 251));
            assert_false(crowning_fits(KERNEL_TYPE_DTW, (enum kernel_isa)isa, 253));
            assert_true(crowning_fits(KERNEL_TYPE_DTW9, (enum kernel_isa)isa, 253));
            assert_true(crowning_fits(KERNEL_TYPE_DTW9, (enum kernel_isa)isa, 507));
            assert_false(crowning_fits(KERNEL_TYPE_DTW9, (enum kernel_isa)isa, 509));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_some_endings),
        cmocka_unit_test(test_random_endings),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_overflow),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
