/* SPDX-License-Identifier: MIT */
#include "cli/starts.h"

#include "base/random.h"
#include "core/movegen.h"

#include <stdlib.h>

enum { TRIES = 200, HASH = 1 << 20 };

/* The openings in an order determined by the seed. */
static void order_shuffle(struct starts *s, bool barred, uint64_t seed)
{
    for (int i = 0; i < OPENINGS; i++)
        if (s->openings.opening[i].class != OPENING_BARRED || barred)
            s->order[s->count++] = i;
    for (int i = s->count - 1; i > 0; i--) {
        int k = (int)random_below(&seed, (uint64_t)(i + 1)), swap = s->order[i];

        s->order[i] = s->order[k];
        s->order[k] = swap;
    }
}

enum status starts_open(struct starts *s, bool barred, int random_plies, uint64_t seed,
                        struct error *e)
{
    enum status rc;

    *s = (struct starts){.random_plies = random_plies, .random = random_mix(seed)};
    if ((rc = openings_read(&s->openings, e)))
        return rc;
    order_shuffle(s, barred, seed);
    return search_open(&s->search,
                       &(struct search_options){.hash = HASH, .material = true, .plain = true}, e);
}

void starts_close(struct starts *s)
{
    position_map_free(&s->used);
    search_close(&s->search);
}

static bool push_random(struct starts *s, struct start *out)
{
    struct move_list list;

    if (moves_generate(&out->after, &list) == 0)
        return false;
    out->move[out->plies] = list.move[random_below(&s->random, (uint64_t)list.count)];
    out->after = board_after(&out->after, &out->move[out->plies++]);
    return true;
}

/* Has the start a new position, and a fair one if it is not a ballot's? */
static enum status judge(struct starts *s, const struct start *out, bool *good, struct error *e)
{
    const struct search_limits limits = {.depth = STARTS_DEPTH};
    struct search_result *r;
    enum status rc;

    *good = position_map_get(&s->used, position_of(&out->after)) == POSITION_MAP_NONE;
    if (!*good || out->plies == OPENING_PLIES)
        return STATUS_OK;
    if (!(r = malloc(sizeof *r)))
        return error_no_memory(e);
    search_clear(s->search);
    rc = search_run(s->search, &out->after, NULL, 0, &limits, r, e);
    *good = !rc && r->lines > 0 && abs(r->line[0].score) < SCORE_MAN;
    free(r);
    return rc;
}

/* Try one: opening, then random plies. */
static enum status attempt(struct starts *s, const struct opening *o, int random_plies,
                           struct start *out, bool *good, struct error *e)
{
    *out = (struct start){.plies = OPENING_PLIES, .after = o->after};
    for (int i = 0; i < OPENING_PLIES; i++)
        out->move[i] = o->move[i];
    for (int i = 0; i < random_plies; i++)
        if (!push_random(s, out)) {
            *good = false;
            return STATUS_OK;
        }
    return judge(s, out, good, e);
}

enum status starts_take(struct starts *s, struct start *out, struct error *e)
{
    const struct opening *o = &s->openings.opening[s->order[s->next % s->count]];
    int plies = s->random_plies;
    bool good = false;
    enum status rc = STATUS_OK;

    if (s->next >= s->count && plies < STARTS_RANDOM)
        plies = STARTS_RANDOM;
    for (; plies <= STARTS_RANDOM_MAX && !good && !rc; plies++)
        for (int i = 0; i < (plies ? TRIES : 1) && !good && !rc; i++)
            rc = attempt(s, o, plies, out, &good, e);
    if (rc)
        return rc;
    if (!good)
        return error_set(e, STATUS_MISSING, "no more positions to start from");
    if (!position_map_put(&s->used, position_of(&out->after), (uint32_t)s->next++))
        return error_no_memory(e);
    return STATUS_OK;
}
