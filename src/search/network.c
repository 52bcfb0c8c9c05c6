/* SPDX-License-Identifier: MIT */
#include "search/network.h"

#include "base/bytes.h"
#include "base/files.h"
#include "search/network_kernels.h"
#include "search/score.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

/* ------------------------------------------------------------------------- files -- */

/* The file: 8 bytes of magic, the sizes of the layers, the weights layer by layer, and an xxHash of
 * everything before it.  Numbers are little-endian. */
static const char magic[8] = "kelsoNN";

static const uint16_t sizes[] = {NETWORK_INPUTS, NETWORK_FIRST, NETWORK_SECOND, NETWORK_THIRD,
                                 NETWORK_BUCKETS};

enum {
    SIZES = sizeof sizes / sizeof *sizes,
    HEADER = sizeof magic + 2 * SIZES,
    FIRST_NUMBERS = (NETWORK_INPUTS + 1) * NETWORK_FIRST,
    SECOND_NUMBERS = 2 * NETWORK_FIRST * NETWORK_SECOND,
    THIRD_NUMBERS = NETWORK_SECOND * NETWORK_THIRD,
    HEAD_BYTES = SECOND_NUMBERS + THIRD_NUMBERS + 4 * (NETWORK_SECOND + NETWORK_THIRD) +
                 2 * NETWORK_THIRD + 4,
    FILE_BYTES = HEADER + 2 * FIRST_NUMBERS + NETWORK_BUCKETS * HEAD_BYTES + 8,
};

/* Numbers of `width` bytes go from or to the file, in order. */
struct cursor {
    uint8_t *at;
    bool writing;
};

static void pass_8(struct cursor *c, int8_t *list, size_t n)
{
    memcpy(c->writing ? (void *)c->at : list, c->writing ? (void *)list : c->at, n);
    c->at += n;
}

static void pass_16(struct cursor *c, int16_t *list, size_t n)
{
    for (size_t i = 0; i < n; i++, c->at += 2)
        if (c->writing)
            bytes_put(c->at, 2, (uint16_t)list[i]);
        else
            list[i] = (int16_t)bytes_get(c->at, 2);
}

static void pass_32(struct cursor *c, int32_t *list, size_t n)
{
    for (size_t i = 0; i < n; i++, c->at += 4)
        if (c->writing)
            bytes_put(c->at, 4, (uint32_t)list[i]);
        else
            list[i] = (int32_t)bytes_get(c->at, 4);
}

static void pass_weights(struct cursor *c, struct network_weights *w)
{
    pass_16(c, &w->first[0][0], NETWORK_INPUTS * NETWORK_FIRST);
    pass_16(c, w->first_bias, NETWORK_FIRST);
    for (int i = 0; i < NETWORK_BUCKETS; i++) {
        struct network_head *h = &w->head[i];

        pass_8(c, &h->second[0][0][0], SECOND_NUMBERS);
        pass_32(c, h->second_bias, NETWORK_SECOND);
        pass_8(c, &h->third[0][0][0], THIRD_NUMBERS);
        pass_32(c, h->third_bias, NETWORK_THIRD);
        pass_16(c, h->last, NETWORK_THIRD);
        pass_32(c, &h->last_bias, 1);
    }
}

uint8_t *network_encode(const struct network_weights *w, size_t *size)
{
    uint8_t *bytes = malloc(FILE_BYTES);
    struct cursor c = {bytes, true};

    if (!bytes)
        return NULL;
    memcpy(c.at, magic, sizeof magic);
    c.at += sizeof magic;
    for (int i = 0; i < SIZES; i++, c.at += 2)
        bytes_put(c.at, 2, sizes[i]);
    pass_weights(&c, (struct network_weights *)w); /* read only: c.writing */
    bytes_put(c.at, 8, XXH3_64bits(bytes, FILE_BYTES - 8));
    *size = FILE_BYTES;
    return bytes;
}

static enum status check_header(const char *name, const uint8_t *bytes, size_t size,
                                struct error *e)
{
    if (size < HEADER || memcmp(bytes, magic, sizeof magic) != 0)
        return error_set(e, STATUS_DAMAGED, "%s: not a network", name);
    for (int i = 0; i < SIZES; i++) {
        unsigned found = (unsigned)bytes_get(bytes + sizeof magic + 2 * i, 2);

        if (found != sizes[i])
            return error_set(e, STATUS_DAMAGED, "%s: offset %zu: size %u, expected %u", name,
                             sizeof magic + 2 * (size_t)i, found, sizes[i]);
    }
    if (size != FILE_BYTES)
        return error_set(e, STATUS_DAMAGED, "%s: %zu bytes, expected %d", name, size,
                         (int)FILE_BYTES);
    if (bytes_get(bytes + size - 8, 8) != XXH3_64bits(bytes, size - 8))
        return error_set(e, STATUS_DAMAGED, "%s: the checksum is wrong", name);
    return STATUS_OK;
}

static bool biases_fit(const int32_t *list, int n)
{
    for (int i = 0; i < n; i++)
        if (list[i] > 1 << 28 || list[i] < -(1 << 28))
            return false;
    return true;
}

/* Sums of 16 bits must hold in the first layer: 24 pieces, "the move" and the bias; and sums
 * of 32 bits in the others. */
static bool sums_fit(const struct network_weights *w)
{
    for (int i = 0; i < NETWORK_BUCKETS; i++)
        if (!biases_fit(w->head[i].second_bias, NETWORK_SECOND) ||
            !biases_fit(w->head[i].third_bias, NETWORK_THIRD) ||
            !biases_fit(&w->head[i].last_bias, 1))
            return false;
    for (int k = 0; k < NETWORK_FIRST; k++) {
        int most = abs(w->first_bias[k]), move = 0, piece = 0;

        for (int i = 0; i < NETWORK_INPUTS; i++) {
            int *bound = i < NETWORK_PIECE_INPUTS ? &piece : &move;

            *bound = abs(w->first[i][k]) > *bound ? abs(w->first[i][k]) : *bound;
        }
        if (most + 24 * piece + move > INT16_MAX)
            return false;
    }
    return true;
}

enum status network_decode(struct network *n, const char *name, const uint8_t *bytes, size_t size,
                           struct error *e)
{
    struct network_weights *w;
    enum status rc = check_header(name, bytes, size, e);

    *n = (struct network){0};
    if (rc)
        return rc;
    if (!(w = aligned_alloc(alignof(struct network_weights), sizeof *w)))
        return error_set(e, STATUS_NO_MEMORY, "not enough memory for a network");
    pass_weights(&(struct cursor){(uint8_t *)bytes + HEADER, false}, w); /* read only */
    if (!sums_fit(w)) {
        free(w);
        return error_set(e, STATUS_DAMAGED, "%s: the weights are too large", name);
    }
    n->weights = w;
    network_use_best(n);
    return STATUS_OK;
}

enum status network_read(struct network *n, const char *path, struct error *e)
{
    int fd;
    uint64_t size;
    uint8_t *bytes;
    enum status rc;

    *n = (struct network){0};
    if ((rc = file_open(path, "a network", HEADER, &fd, &size, e)))
        return rc;
    if (!(rc = file_load(fd, path, 0, size, &bytes, e)))
        rc = network_decode(n, path, bytes, size, e);
    free(bytes);
    close(fd);
    return rc;
}

enum status network_open(struct network *n, struct error *e)
{
    return network_decode(n, "the network in the program", network_bytes,
                          (size_t)(network_bytes_end - network_bytes), e);
}

void network_close(struct network *n)
{
    free((void *)n->weights);
    *n = (struct network){0};
}

/* -------------------------------------------------------------------------- sums -- */

/* List the inputs of the squares in `set` as `us` sees them. */
static int list_inputs(uint8_t *list, int n, enum side us, enum side owner, bool king, squares set)
{
    for (; set; set &= set - 1)
        list[n++] = (uint8_t)network_input(us, owner, king, square_number(square_first(set)) - 1);
    return n;
}

/* The inputs removed and added from board a to board b, from Black's view. */
static void change_between(const struct board *a, const struct board *b, struct network_change *c)
{
    c->removed = c->added = 0;
    for (int side = BLACK; side <= WHITE; side++)
        for (int king = 0; king < 2; king++) {
            squares was = king ? board_kings(a, (enum side)side) : board_men(a, (enum side)side);
            squares is = king ? board_kings(b, (enum side)side) : board_men(b, (enum side)side);

            c->removed =
                list_inputs(c->remove, c->removed, BLACK, (enum side)side, king, was & ~is);
            c->added = list_inputs(c->add, c->added, BLACK, (enum side)side, king, is & ~was);
        }
}

/* An input from the other side's view: owners are swapped, squares are rotated. */
static void change_turn(const struct network_change *c, struct network_change *t)
{
    t->removed = c->removed;
    t->added = c->added;
    for (int i = 0; i < c->removed; i++)
        t->remove[i] = c->remove[i] ^ 95;
    for (int i = 0; i < c->added; i++)
        t->add[i] = c->add[i] ^ 95;
}

static void sums_change(const struct network *n, const struct network_change *c,
                        const int16_t *from[2], struct network_sums *s)
{
    struct network_change turned;

    change_turn(c, &turned);
    n->kernel->change(n->weights, from[BLACK], s->of[BLACK], c);
    n->kernel->change(n->weights, from[WHITE], s->of[WHITE], &turned);
}

void network_refresh(const struct network *n, const struct board *b, struct network_sums *s)
{
    const int16_t *bias[2] = {n->weights->first_bias, n->weights->first_bias};
    struct network_change c;

    change_between(&(struct board){0}, b, &c);
    sums_change(n, &c, bias, s);
}

void network_update(const struct network *n, const struct board *from,
                    const struct network_sums *from_sums, const struct board *b,
                    struct network_sums *s)
{
    const int16_t *old[2] = {from_sums->of[BLACK], from_sums->of[WHITE]};
    struct network_change c;

    change_between(from, b, &c);
    sums_change(n, &c, old, s);
}

/* ------------------------------------------------------------------------- value -- */

int network_value(const struct network *n, const struct board *b, const struct network_sums *s)
{
    int rest = n->kernel->value(n->weights, s->of[b->turn], s->of[side_other(b->turn)],
                                network_has_move(b), network_bucket(b));

    return score_clamp(network_material(b) + rest, SCORE_EVAL_MAX);
}

int network_evaluate(const struct network *n, const struct board *b)
{
    struct network_sums s;

    network_refresh(n, b, &s);
    return network_value(n, b, &s);
}

/* ----------------------------------------------------------------------- kernels -- */

static void plain_change(const struct network_weights *w, const int16_t *from, int16_t *to,
                         const struct network_change *c)
{
    for (int k = 0; k < NETWORK_FIRST; k++) {
        int sum = from[k];

        for (int i = 0; i < c->removed; i++)
            sum -= w->first[c->remove[i]][k];
        for (int i = 0; i < c->added; i++)
            sum += w->first[c->add[i]][k];
        assert(sum >= INT16_MIN && sum <= INT16_MAX);
        to[k] = (int16_t)sum;
    }
}

static int clip(int x, int shift)
{
    x >>= shift;
    return x < 0 ? 0 : x > NETWORK_ONE - 1 ? NETWORK_ONE - 1 : x;
}

static int plain_value(const struct network_weights *w, const int16_t *mover, const int16_t *other,
                       int has_move, int bucket)
{
    const struct network_head *h = &w->head[bucket];
    const int16_t *move[2] = {w->first[NETWORK_PIECE_INPUTS + has_move],
                              w->first[NETWORK_PIECE_INPUTS + !has_move]};
    int first[2 * NETWORK_FIRST], second[NETWORK_SECOND], third[NETWORK_THIRD];
    int32_t sum = h->last_bias;

    for (int k = 0; k < NETWORK_FIRST; k++) {
        first[k] = clip(mover[k] + move[0][k], NETWORK_FIRST_SHIFT);
        first[NETWORK_FIRST + k] = clip(other[k] + move[1][k], NETWORK_FIRST_SHIFT);
    }
    for (int j = 0; j < NETWORK_SECOND; j++) {
        second[j] = h->second_bias[j];
        for (int i = 0; i < 2 * NETWORK_FIRST; i++)
            second[j] += first[i] * h->second[i / NETWORK_GROUP][j][i % NETWORK_GROUP];
        second[j] = clip(second[j], NETWORK_SHIFT);
    }
    for (int j = 0; j < NETWORK_THIRD; j++) {
        third[j] = h->third_bias[j];
        for (int i = 0; i < NETWORK_SECOND; i++)
            third[j] += second[i] * h->third[i / NETWORK_GROUP][j][i % NETWORK_GROUP];
        sum += clip(third[j], NETWORK_SHIFT) * h->last[j];
    }
    return sum >> NETWORK_LAST_SHIFT;
}

static const struct network_kernel plain = {plain_change, plain_value};

bool network_use(struct network *n, enum network_isa isa)
{
    if (isa == NETWORK_PLAIN) {
        n->kernel = &plain;
        return true;
    }
#ifdef __x86_64__
    if (isa == NETWORK_AVX2 && __builtin_cpu_supports("avx2")) {
        n->kernel = &network_kernel_avx2;
        return true;
    }
    if (isa == NETWORK_AVX512 && __builtin_cpu_supports("avx512f") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512vnni")) {
        n->kernel = &network_kernel_avx512;
        return true;
    }
#endif
    return false;
}

void network_use_best(struct network *n)
{
    int isa = NETWORK_ISAS - 1;

    while (!network_use(n, (enum network_isa)isa))
        isa--;
}
