/* SPDX-License-Identifier: MIT
 *
 * forms.h -- which form of each table is worth its memory, by a profile.
 *
 * A wld table can be kept compressed with the pages that were decoded (paging.h), as a quick file
 * (quick.h) or as a flat file (flat.h).  For each slice of a profile (profile.h), measured with
 * compressed tables, this estimates what a form takes and what it saves, and chooses the forms
 * that save most within the memory given.
 *
 * A quick file saves the decodes, but each probe of it takes longer than a probe of a decoded
 * page, and its chapters have to be read once.  A flat file saves the decodes; its pages have to
 * be read once.
 *
 * (F1) The forms that are chosen take no more than the memory given, by the sizes in `costs`.
 * (F2) No form is chosen that saves nothing.
 * (F3) The choice depends on the costs alone, not on the order of the slices.
 *
 * Any thread. */
#ifndef KELSO_DB_FORMS_H
#define KELSO_DB_FORMS_H

#include "db/catalog.h"
#include "db/profile.h"

enum form { FORM_COMPRESSED, FORM_QUICK, FORM_FLAT, FORMS };

struct form_costs {
    struct slice slice;
    uint64_t bytes[FORMS]; /* of memory; compressed: the file and the pages that were decoded */
    double saves[FORMS];   /* seconds of the profile; compressed: 0 */
    bool estimated;        /* there is no quick file yet: its size is a guess from the table's */
    enum form chosen;
};

const char *form_name(enum form f);

/* What a slice of a profile costs; STATUS_MISSING if there is no table. */
enum status form_costs(struct catalog *c, const struct profile_line *line, struct form_costs *out,
                       struct error *e);

/* Set `chosen` in each of n costs, step by step: from compressed to quick or flat, from quick to
 * flat, always the step that saves most a byte among those that fit.  Returns the bytes that are
 * taken by quick and flat forms. */
uint64_t forms_choose(struct form_costs *costs, int n, uint64_t memory);

/* Seconds saved by a byte in the form that was chosen. */
double form_worth(const struct form_costs *c);

#endif
