/* SPDX-License-Identifier: MIT
 *
 * csv.h -- convert a list in our own JSON to CSV.
 *
 * A row is an object of the list, a column a key.  A nested object's columns are named
 * KEY.SUBKEY; a list of strings or numbers becomes one string, separated by blanks; a list of
 * objects within a row is omitted.  Strings are quoted if necessary (RFC 4180).
 *
 * (V1) Columns are in order of first appearance; all rows have all columns.
 *
 * It reads only what json.h writes.  The caller owns all arguments.  Safe on any thread. */
#ifndef KELSO_REPORT_CSV_H
#define KELSO_REPORT_CSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { CSV_COLUMNS_MAX = 64, CSV_NAME_MAX = 64 };

/* Write the list that the object `json` has under `key`; false if it has none. */
bool csv_from_json(const char *json, size_t length, const char *key, FILE *out);

#endif
