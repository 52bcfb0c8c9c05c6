/* SPDX-License-Identifier: MIT */
#include "report/review.h"

bool slip_gives_away(const struct slip *s)
{
    return s->plies > 0 || s->changes_value;
}

enum status review_record(const struct source *s, const struct record *record, enum kind kind,
                          bool values, struct review *out, int *at, struct error *e)
{
    out->kind = kind;
    for (int i = 0; i < record->plies; i++) {
        const struct record_ply *p = &record->ply[i];
        struct review_ply *r = &out->ply[i];
        enum status rc;

        r->kind = kind;
        rc = slip_of(s, &p->board, &p->move, kind, &r->slip, e);
        if (rc == STATUS_MISSING && values && kind != KIND_WLD) {
            r->kind = KIND_WLD;
            rc = slip_of(s, &p->board, &p->move, KIND_WLD, &r->slip, e);
        }
        r->asked = rc == STATUS_OK;
        *at = i;
        if (rc && rc != STATUS_MISSING)
            return rc;
    }
    return STATUS_OK;
}
