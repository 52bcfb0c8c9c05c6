/* SPDX-License-Identifier: MIT
 *
 * forms.h -- choose the form of each table that is worth its memory, given a profile.
 *
 * A wld table can be kept in three forms: compressed, together with the pages decoded so far
 * (paging.h); as a quick file (quick.h); or as a flat file (flat.h).  For each slice of a profile
 * (profile.h), measured with compressed tables, this estimates how much memory each form takes and
 * how much time it saves, and chooses the forms that save most within the given memory.
 *
 * A quick file saves the decodes, but each probe of it takes longer than a probe of a decoded page,
 * and its chapters must be read once.  A flat file saves the decodes too; its pages must be read
 * once.
 *
 * (F1) The chosen forms take no more than the given memory, by the sizes in `costs`.
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
    uint64_t bytes[FORMS]; /* of memory; compressed: the file and the decoded pages */
    double saves[FORMS];   /* seconds of the profile; compressed: 0 */
    bool estimated;        /* there is no quick file yet: its size is estimated from the table's */
    enum form chosen;
};

const char *form_name(enum form f);

/* The costs of a slice in a profile; STATUS_MISSING if there is no table. */
enum status form_costs(struct catalog *c, const struct profile_line *line, struct form_costs *out,
                       struct error *e);

/* Set `chosen` in each of n costs, step by step: from compressed to quick or flat, from quick to
 * flat, always the step that saves most per byte among those that fit.  Returns the bytes that
 * quick and flat forms take. */
uint64_t forms_choose(struct form_costs *costs, int n, uint64_t memory);

/* Seconds saved per byte in the chosen form. */
double form_worth(const struct form_costs *c);

#endif
