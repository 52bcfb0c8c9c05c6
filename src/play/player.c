/* SPDX-License-Identifier: MIT */
#include "play/player.h"

enum status player_tables(struct tables **t, const struct player_args *args, struct error *e)
{
    *t = NULL;
    if (args->no_tables || (!args->dir && !tables_exist(NULL)))
        return STATUS_OK;
    return tables_open(t, &(struct tables_options){.dir = args->dir, .cache = args->cache}, e);
}

enum status player_open(struct player *p, const struct player_args *args, struct error *e)
{
    enum status rc;

    *p = (struct player){0};
    rc = player_tables(&p->tables, args, e);
    if (!rc && args->network)
        rc = network_read(&p->network, args->network, e);
    if (!rc)
        rc = search_open(&p->search,
                         &(struct search_options){.hash = args->hash,
                                                  .threads = args->threads,
                                                  .tables = p->tables,
                                                  .network = args->network ? &p->network : NULL},
                         e);
    if (rc)
        player_close(p);
    return rc;
}

void player_close(struct player *p)
{
    search_close(&p->search);
    network_close(&p->network);
    tables_close(&p->tables);
}
