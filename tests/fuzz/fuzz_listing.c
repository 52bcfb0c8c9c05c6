/* SPDX-License-Identifier: MIT
 *
 * Any bytes as games that somebody played, as `line --check` reads them: each ply is legal, (R1) of
 * record.h, and an error has a place in the text. */
#include "fuzz.h"

#include "core/movegen.h"
#include "report/record.h"

static enum status visit(void *context, const struct record *r, struct error *e)
{
    struct board b = r->start;

    (void)e;
    ++*(int *)context;
    MUST(r->number > 0 && r->plies >= 0 && r->plies <= RECORD_PLIES_MAX);
    for (int i = 0; i < r->plies; i++) {
        struct move_list legal;
        bool found = false;

        MUST(board_equal(&b, &r->ply[i].board));
        moves_generate(&b, &legal);
        for (int k = 0; k < legal.count; k++)
            found |= move_equal(&legal.move[k], &r->ply[i].move);
        MUST(found);
        b = board_after(&b, &r->ply[i].move);
    }
    return STATUS_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct text_place where = {0};
    struct error e = {0};
    int games = 0;
    enum status rc = record_read((const char *)data, size, &board_start, visit, &games, &where, &e);

    MUST(rc == STATUS_OK || (rc == STATUS_FORMAT && where.line > 0 && e.text[0]));
    return 0;
}
