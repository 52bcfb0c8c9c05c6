/* SPDX-License-Identifier: MIT
 *
 * parse.h -- numbers, sizes and times as people type them.
 *
 * (P1) Either the whole text is parsed or nothing: if it is malformed or out of range, the result
 *      is false and *out is unchanged.
 *
 * Any thread. */
#ifndef KELSO_BASE_PARSE_H
#define KELSO_BASE_PARSE_H

#include <stdbool.h>
#include <stdint.h>

/* A whole number from min to max, within an int. */
bool parse_int(const char *text, int64_t min, int64_t max, int *out);

/* How many: 20000, 50k, 2M, 1.5G. */
bool parse_count(const char *text, uint64_t *out);

/* Bytes: 4096, 512K, 64M, 2G, 1.5T.  A number without a letter counts `unit` bytes (0: one). */
bool parse_size(const char *text, uint64_t unit, uint64_t *out);

/* Seconds: 90, 1.5s, 10m, 2h, 250ms. */
bool parse_duration(const char *text, double *out);

/* The index of `text` in a list such as "auto|always|never". */
bool parse_choice(const char *text, const char *choices, int *out);

#endif
