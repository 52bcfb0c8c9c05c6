/* SPDX-License-Identifier: MIT
 *
 * Four threads search together, with tables and without, under ThreadSanitizer: scripts/check
 * builds the variant and the tables.
 *
 *     threads_search DIRECTORY */
#include "core/notation.h"
#include "search/search.h"

#include <stdio.h>
#include <string.h>

static const char *const positions[] = {
    "B:W21,22,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,11,12",
    "W:WK6,K14,30:BK18,K23,12",
};

static int search_all(const struct search_options *o)
{
    struct search_result r;
    struct search *s;
    struct error e;
    int wrong = 0;

    if (search_open(&s, o, &e))
        return fprintf(stderr, "%s\n", e.text);
    for (size_t i = 0; i < sizeof positions / sizeof *positions; i++) {
        struct board b;

        fen_parse(positions[i], strlen(positions[i]), &b, NULL);
        wrong += search_run(s, &b, NULL, 0, &(struct search_limits){.depth = 9}, &r, &e) ||
                 r.depth != 9 || r.lines != 1;
    }
    search_close(&s);
    return wrong;
}

int main(int argc, char **argv)
{
    struct search_options o = {.hash = 1 << 20, .threads = 4};
    struct tables *t;
    struct error e;
    int wrong = search_all(&o);

    if (argc != 2 ||
        tables_open(&t, &(struct tables_options){.dir = argv[1], .cache = 1 << 20}, &e))
        return 2;
    o.tables = t;
    wrong += search_all(&o);
    tables_close(&t);
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
