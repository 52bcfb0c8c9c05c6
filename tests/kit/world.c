/* SPDX-License-Identifier: MIT */
#include "kit/world.h"

#include <stdlib.h>

int world_open(void **state)
{
    struct world *w = malloc(sizeof *w);

    if (!w)
        return -1;
    w->tables = built_open_wld(WORLD_PIECES);
    w->known = built_few(&w->tables, WORLD_KNOWN);
    *state = w;
    return 0;
}

int world_close(void **state)
{
    struct world *w = *state;

    tables_close(&w->known);
    built_close(&w->tables);
    free(w);
    return 0;
}
