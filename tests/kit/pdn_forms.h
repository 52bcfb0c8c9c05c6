/* SPDX-License-Identifier: MIT
 *
 * pdn_forms.h -- ways in which games are written in real files: the text, the same games in
 * canonical form, and what the reader notes. */
#ifndef KELSO_TESTS_PDN_FORMS_H
#define KELSO_TESTS_PDN_FORMS_H

#include <stddef.h>

struct pdn_form {
    const char *name;
    const char *text; /* UTF-8, or Latin-1 in the form of that name */
    const char *canonical;
    const char *notes; /* the kinds, in the order of enum pdn_note */
};

extern const struct pdn_form pdn_forms[];
extern const size_t pdn_forms_count;

#endif
