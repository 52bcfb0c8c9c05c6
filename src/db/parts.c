/* SPDX-License-Identifier: MIT */
#include "db/parts.h"

#include "base/bytes.h"
#include "base/files.h"
#include "db/swap.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xxhash.h>

enum { VERSION = 1, HEAD = 32 };

static const char magic[8] = {'K', 'E', 'L', 'S', 'O', 'P', 'R', 'T'};

struct journal {
    const struct parts_job *job;
    uint32_t count;
    uint32_t done;
    uint64_t *check; /* [count] */
};

/* ------------------------------------------------------------------- ranges -- */

/* Parts are ranges of the first side's men, or of the other's if it has none. */
static bool by_opponent(struct slice s)
{
    return s.men == 0;
}

static uint32_t ranks(struct slice s)
{
    return sets_binomial[28][by_opponent(s) ? s.opp_men : s.men];
}

static uint32_t parts_wanted(const struct parts_job *j)
{
    const struct raw *const *out = (const struct raw *const *)j->job->out;
    uint64_t bytes = out[0]->bytes + (out[1] == out[0] ? 0 : out[1]->bytes);
    uint64_t n = j->part_bytes ? bytes / j->part_bytes + 1 : UINT32_MAX;

    return n < ranks(j->slice) ? (uint32_t)n : ranks(j->slice);
}

/* Part i: the ranks from the top down. */
static struct block_range part_range(const struct journal *a, uint32_t i)
{
    uint64_t n = ranks(a->job->slice);

    return (struct block_range){(uint32_t)(n - n * (i + 1) / a->count),
                                (uint32_t)(n - n * i / a->count), by_opponent(a->job->slice)};
}

static void block_hash(XXH3_state_t *h, const struct raw *t, uint64_t block)
{
    XXH3_64bits_update(h, t->data + block * t->stride, t->stride);
}

/* The checksum of all values of a part; also counts them. */
static uint64_t part_hash(const struct parts_job *j, struct block_range range, XXH3_state_t *h,
                          uint64_t *values)
{
    const struct sets *sets = j->sets;
    struct slice s = j->slice;
    const struct raw *a = j->job->out[0], *b = j->job->out[1];
    uint32_t end_x = range.opponent ? 1 : range.end, end_y = sets_binomial[28][s.opp_men];

    XXH3_64bits_reset(h);
    *values = 0;
    for (uint32_t x = range.opponent ? 0 : range.first; x < end_x; x++)
        for (uint32_t y = range.opponent ? range.first : 0;
             y < (range.opponent ? range.end : end_y); y++) {
            uint32_t men = sets->family[s.men].set[x];
            uint32_t opp_men = packed_flip(sets->family[s.opp_men].set[y]);

            if ((men & opp_men) || (a == b && x < y))
                continue;
            block_hash(h, a, layout_block(&a->layout, men, opp_men));
            *values += a->layout.block_size;
            if (a == b && x == y)
                continue;
            block_hash(h, b, layout_block(&b->layout, packed_flip(opp_men), packed_flip(men)));
            *values += a->layout.block_size;
        }
    return XXH3_64bits_digest(h);
}

/* ------------------------------------------------------------------ journal -- */

static void head_make(uint8_t *head, const struct parts_job *j)
{
    struct slice s = j->slice;
    const uint8_t side[4] = {s.kings, s.men, s.opp_kings, s.opp_men};

    memset(head, 0, HEAD);
    memcpy(head, magic, 8);
    bytes_put(head + 8, 4, VERSION);
    memcpy(head + 12, side, 4);
    bytes_put(head + 16, 2, j->kind);
    bytes_put(head + 18, 2, j->job->out[0]->form);
}

static enum status journal_write(const struct journal *a, struct error *e)
{
    size_t n = HEAD + 8 * (size_t)a->done;
    uint8_t *bytes = malloc(n + 8);
    enum status rc;

    if (!bytes)
        return error_no_memory(e);
    head_make(bytes, a->job);
    bytes_put(bytes + 20, 4, a->count);
    bytes_put(bytes + 24, 8, a->done);
    for (uint32_t i = 0; i < a->done; i++)
        bytes_put(bytes + HEAD + 8 * (size_t)i, 8, a->check[i]);
    bytes_put(bytes + n, 8, XXH3_64bits(bytes, n));
    rc = file_replace(a->job->journal, bytes, n + 8, e);
    free(bytes);
    return rc;
}

/* Takes the journal's own number of parts; none done if there is no journal, or that of another
 * form. */
static enum status journal_read(struct journal *a, struct error *e)
{
    const char *path = a->job->journal;
    uint8_t head[HEAD], expected[HEAD], sum[8], *all;
    int fd = a->job->kept ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    enum status rc;
    size_t n;

    if (fd < 0)
        return STATUS_OK;
    head_make(expected, a->job);
    rc = file_read_at(fd, path, head, HEAD, 0, e);
    if (!rc && memcmp(head + 18, expected + 18, 2) != 0) {
        close(fd);
        return STATUS_OK;
    }
    a->count = rc ? a->count : (uint32_t)bytes_get(head + 20, 4);
    a->done = rc ? 0 : (uint32_t)bytes_get(head + 24, 4);
    memcpy(expected + 20, head + 20, 12);
    if (!rc && (memcmp(head, expected, HEAD) != 0 || a->count == 0 || a->done > a->count ||
                a->count > ranks(a->job->slice)))
        rc = swap_damaged(path, e);
    n = HEAD + 8 * (size_t)a->done;
    all = rc ? NULL : malloc(n);
    a->check = rc ? NULL : calloc((size_t)a->count, sizeof *a->check);
    if (!rc && (!all || !a->check))
        rc = error_no_memory(e);
    if (!rc)
        rc = file_read_at(fd, path, all, n, 0, e);
    if (!rc)
        rc = file_read_at(fd, path, sum, 8, n, e);
    if (!rc && bytes_get(sum, 8) != XXH3_64bits(all, n))
        rc = swap_damaged(path, e);
    for (uint32_t i = 0; i < a->done && !rc; i++)
        a->check[i] = bytes_get(all + HEAD + 8 * (size_t)i, 8);
    free(all);
    close(fd);
    return rc;
}

/* -------------------------------------------------------------------- solve -- */

/* Check that the values of the finished parts are unchanged. */
static enum status parts_check(const struct journal *a, XXH3_state_t *h, struct error *e)
{
    for (uint32_t i = 0; i < a->done; i++) {
        uint64_t values, check = part_hash(a->job, part_range(a, i), h, &values);

        if (check != a->check[i])
            return swap_damaged(a->job->journal, e);
        if (a->job->done)
            atomic_fetch_add(a->job->done, values);
    }
    return STATUS_OK;
}

/* Sync the values to disk. */
static enum status tables_sync(const struct parts_job *j, struct error *e)
{
    for (int i = 0; i < (j->job->out[0] == j->job->out[1] ? 1 : 2); i++) {
        const struct raw *t = j->job->out[i];

        if (msync(t->data, t->bytes, MS_SYNC) != 0)
            return file_error(j->journal, e);
    }
    return STATUS_OK;
}

static enum status part_solve(struct journal *a, XXH3_state_t *h, struct error *e)
{
    const struct parts_job *j = a->job;
    struct block_range range = part_range(a, a->done);
    uint64_t values;
    enum status rc =
        blocks_solve_range(j->crew, j->workspaces, j->sets, j->slice, j->job, &range, j->done, e);

    if (rc)
        return rc;
    a->check[a->done] = part_hash(j, range, h, &values);
    rc = tables_sync(j, e);
    if (rc)
        return rc;
    a->done++;
    return journal_write(a, e);
}

enum status parts_solve(const struct parts_job *j, struct error *e)
{
    struct journal a = {.job = j, .count = parts_wanted(j)};
    XXH3_state_t *h = XXH3_createState();
    enum status rc = h ? journal_read(&a, e) : error_no_memory(e);

    if (!rc && !a.check && !(a.check = calloc(a.count, sizeof *a.check)))
        rc = error_no_memory(e);
    if (!rc)
        rc = parts_check(&a, h, e);
    while (!rc && a.done < a.count)
        rc = part_solve(&a, h, e);
    XXH3_freeState(h);
    free(a.check);
    return rc;
}
