/* SPDX-License-Identifier: MIT */
#include "play/contestant.h"
#include "base/parse.h"

#include "play/dxp.h"
#include "play/hub_client.h"

#include <stdlib.h>
#include <string.h>

enum { DXP_MINUTES = 60, DXP_ANSWER_SECONDS = 60 };

struct contestant {
    struct contestant_spec spec;
    struct network network; /* of the search, if one was named */
    struct search *search;  /* one of these three */
    struct hub_client *hub;
    struct dxp_link dxp;
    bool over_dxp, dxp_playing;
    enum side us;
    int begun; /* the ply that the game began with, for it */
    const atomic_bool *stop;
    struct search_result result;
    struct error error;
};

/* ------------------------------------------------------------------------- parsing -- */

/* One setting, NUL-ended; the rest of the text belongs to hub= and dxp=. */
static bool setting_parse(const char *text, struct contestant_spec *s)
{
    const char *value = strchr(text, '=');
    size_t n = value ? (size_t)(value - text) : 0;
    uint64_t number;

    if (!value++)
        return false;
    if (n == 5 && !strncmp(text, "nodes", n))
        return parse_count(value, &s->limits.nodes) && s->limits.nodes > 0;
    if (n == 5 && !strncmp(text, "depth", n))
        return parse_int(value, 1, SEARCH_DEPTH_MAX, &s->limits.depth);
    if (n == 4 && !strncmp(text, "time", n))
        return parse_duration(value, &s->limits.seconds) && s->limits.seconds > 0;
    if (n == 4 && !strncmp(text, "hash", n) && parse_size(value, 1 << 20, &number))
        return (s->hash = number) > 0;
    if (n == 7 && !strncmp(text, "network", n)) {
        snprintf(s->network, sizeof s->network, "%s", value);
        return *value != '\0';
    }
    if (n == 6 && !strncmp(text, "tables", n)) {
        s->no_tables = !strcmp(value, "no");
        return s->no_tables || !strcmp(value, "yes");
    }
    return false;
}

enum status contestant_parse(const char *text, const struct search_limits *defaults,
                             struct contestant_spec *out, struct error *e)
{
    const char *p = text;

    *out = (struct contestant_spec){.hash = 16 << 20};
    snprintf(out->name, sizeof out->name, "%s", *text ? text : "kelso");
    while (*p) {
        size_t n = strcspn(p, ",");
        char one[CONTESTANT_TEXT_MAX];

        if (!strncmp(p, "hub=", 4) || !strncmp(p, "dxp=", 4)) {
            snprintf(*p == 'h' ? out->hub : out->dxp, CONTESTANT_TEXT_MAX, "%s", p + 4);
            break;
        }
        snprintf(one, sizeof one, "%.*s", (int)n, p);
        if (n >= sizeof one || !setting_parse(one, out))
            return error_set(e, STATUS_FORMAT,
                             "'%s': expected nodes=, depth=, time=, hash=, tables=yes|no, "
                             "network=FILE, hub=COMMAND or dxp=HOST:PORT, found '%s'",
                             text, one);
        p += n + (p[n] == ',');
    }
    if (!out->limits.nodes && !out->limits.depth && out->limits.seconds <= 0)
        out->limits = *defaults;
    return STATUS_OK;
}

/* ------------------------------------------------------------------------- opening -- */

static enum status open_search(struct contestant *c, const struct tables *tables, struct error *e)
{
    struct search_options o = {.hash = c->spec.hash};

    if (!c->spec.no_tables)
        o.tables = tables;
    if (*c->spec.network) {
        enum status rc = network_read(&c->network, c->spec.network, e);

        if (rc)
            return rc;
        o.network = &c->network;
    }
    return search_open(&c->search, &o, e);
}

static enum status open_hub(struct contestant *c, struct error *e)
{
    const char *why;

    if (!(c->hub = hub_client_open(c->spec.hub, &why)))
        return error_set(e, STATUS_IO, "%s: %s", c->spec.hub, why);
    return STATUS_OK;
}

enum status contestant_open(struct contestant **out, const struct contestant_spec *spec,
                            const struct tables *tables, const atomic_bool *stop, struct error *e)
{
    struct contestant *c = *out = calloc(1, sizeof *c);
    enum status rc;

    if (!c)
        return error_no_memory(e);
    c->spec = *spec;
    c->stop = stop;
    c->dxp.socket = -1;
    c->over_dxp = *spec->dxp != 0;
    if (c->over_dxp)
        rc = dxp_call(&c->dxp, spec->dxp, e);
    else
        rc = *spec->hub ? open_hub(c, e) : open_search(c, tables, e);
    if (rc)
        contestant_close(out);
    return rc;
}

void contestant_close(struct contestant **out)
{
    struct contestant *c = *out;

    if (!c)
        return;
    if (c->dxp.socket >= 0)
        dxp_send(&c->dxp, &(struct dxp_message){.kind = 'E', .code = DXP_UNKNOWN, .stop = '1'});
    dxp_hang_up(&c->dxp);
    hub_client_close(&c->hub);
    search_close(&c->search);
    network_close(&c->network);
    free(c);
    *out = NULL;
}

/* --------------------------------------------------------------------------- games -- */

/* Wait for a message of one kind. */
static bool dxp_wait(struct contestant *c, char kind, double seconds, struct dxp_message *m)
{
    const char *wrong;

    do {
        if (dxp_receive(&c->dxp, seconds, m, &wrong) != DXP_GOT)
            return false;
        if (m->kind == 'E')
            c->dxp_playing = false;
    } while (m->kind != kind && m->kind != 'E');
    return m->kind == kind;
}

static bool dxp_begin(struct contestant *c, const struct game *g)
{
    struct dxp_message m = {.kind = 'R',
                            .version = 1,
                            .name = "Kelso " KELSO_VERSION,
                            .colour = c->us,
                            .minutes = DXP_MINUTES,
                            .start = *game_now(g)};

    c->dxp_playing =
        dxp_send(&c->dxp, &m) && dxp_wait(c, 'A', DXP_ANSWER_SECONDS, &m) && m.code == DXP_ACCEPTED;
    return c->dxp_playing;
}

bool contestant_begin(struct contestant *c, const struct game *g, enum side us)
{
    c->us = us;
    c->begun = g->plies;
    if (c->over_dxp)
        return dxp_begin(c, g);
    if (c->hub)
        return hub_client_new_game(c->hub);
    search_clear(c->search);
    return true;
}

static bool search_move(struct contestant *c, const struct game *g, struct move *out,
                        const char **why)
{
    struct search_limits limits = c->spec.limits;

    limits.stop = c->stop;
    if (search_run(c->search, game_now(g), g->board, g->plies, &limits, &c->result, &c->error)) {
        *why = c->error.text;
        return false;
    }
    *out = c->result.line[0].pv[0];
    return true;
}

static bool dxp_move(struct contestant *c, const struct game *g, struct move *out, const char **why)
{
    double patience = c->spec.limits.seconds > 0 ? c->spec.limits.seconds + 60 : 600;
    struct dxp_message m;

    *why = "it does not answer";
    if (!c->dxp_playing)
        return false;
    if (g->plies > c->begun) {
        m = dxp_move_message(&g->move[g->plies - 1], 0);
        if (!dxp_send(&c->dxp, &m))
            return false;
    }
    if (!dxp_wait(c, 'M', patience, &m))
        return false;
    *why = "its move is not legal";
    return dxp_move_find(&m, game_now(g), out);
}

bool contestant_move(struct contestant *c, const struct game *g, struct move *out, const char **why)
{
    if (c->over_dxp)
        return dxp_move(c, g, out, why);
    if (c->hub)
        return hub_client_move(c->hub, g, &c->spec.limits, out, why);
    return search_move(c, g, out, why);
}

void contestant_end(struct contestant *c, enum game_state state)
{
    struct dxp_message m = {.kind = 'E', .code = DXP_UNKNOWN, .stop = '0'};

    if (!c->dxp_playing)
        return;
    if (state == GAME_DRAWN)
        m.code = DXP_DRAW;
    else if (state != GAME_ON)
        m.code = state == game_won_by(c->us) ? DXP_I_LOSE : DXP_I_WIN;
    dxp_send(&c->dxp, &m);
    dxp_wait(c, 'E', 5, &m);
    c->dxp_playing = false;
}
