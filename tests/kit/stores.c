/* SPDX-License-Identifier: MIT */
#include "kit/stores.h"

const char small_proof[] = "B:W9,23,28:B7,15,16";

const struct store_record some_record = {.bounds = {VALUE_DRAW, VALUE_WIN},
                                         .own = {VALUE_DRAW, VALUE_WIN},
                                         .how = HOW_SOLVER,
                                         .score = -37,
                                         .expanded = true,
                                         .threshold = 125,
                                         .searches = 3,
                                         .nodes = UINT64_C(1) << 40,
                                         .microseconds = 12345};

static void count_record(void *context, const struct board *b, const struct store_record *r)
{
    (void)b;
    *(uint64_t *)context += r->searches;
}

uint64_t store_searches(const char *dir)
{
    struct store *s;
    struct error e;
    uint64_t n = 0;

    if (store_open(&s, dir, false, &e))
        return 0;
    assert_int_equal(store_each(s, count_record, &n, NULL, &e), STATUS_OK);
    store_close(&s);
    return n;
}
