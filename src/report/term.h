/* SPDX-License-Identifier: MIT
 *
 * term.h -- what the terminal can show, and numbers formatted for people.
 *
 * (T1) Colour is used only on a terminal, never with NO_COLOR set or TERM=dumb.
 *
 * No state; safe on any thread. */
#ifndef KELSO_REPORT_TERM_H
#define KELSO_REPORT_TERM_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

bool term_is_tty(FILE *f);
bool term_colour(FILE *f); /* may we write escape sequences for colour? */
bool term_utf8(void);      /* after setlocale: is the locale UTF-8? */
bool term_dumb(void);      /* TERM=dumb: a line cannot be erased */
int term_width(FILE *f);   /* columns: $COLUMNS, else the terminal's, else 80 */

enum { FORMAT_MAX = 32 };

/* 1234567 -> "1,234,567". */
const char *format_count(uint64_t n, char out[FORMAT_MAX]);

/* 1234567 -> "1.23 M"; three significant digits and k, M, G or T. */
const char *format_short(double n, char out[FORMAT_MAX]);

/* `one` where n is 1, else `more`. */
const char *plural(uint64_t n, const char *one, const char *more);

/* 4000 -> "1:06:40", 75 -> "1:15", 3.14159 -> "3.1 s". */
const char *format_duration(double seconds, char out[FORMAT_MAX]);

#endif
