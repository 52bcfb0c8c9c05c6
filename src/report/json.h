/* SPDX-License-Identifier: MIT
 *
 * json.h -- write JSON to a stream, value by value.
 *
 * Values are written in order, each with its key (NULL in an array and at the top level); the
 * writer adds commas and escapes.
 *
 *     struct json j = json_open(stdout);
 *     json_object(&j, NULL);
 *     json_text(&j, "fen", fen);
 *     json_array(&j, "moves");
 *     json_text(&j, NULL, "11-15");
 *     json_end(&j);
 *     json_end(&j);                     a newline follows the last end
 *
 * (J1) The output is one line of valid JSON in UTF-8 for any input: bytes that are not UTF-8
 *      become U+FFFD.
 * (J2) Nothing is allocated; nesting is at most JSON_DEPTH_MAX (asserted).
 *
 * A writer belongs to one thread.  Write errors stay with the stream. */
#ifndef KELSO_REPORT_JSON_H
#define KELSO_REPORT_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { JSON_DEPTH_MAX = 64 };

struct json {
    FILE *out;
    int depth;
    uint64_t objects;  /* bit d: level d is an object, not an array */
    uint64_t nonempty; /* bit d: level d has a value already */
};

struct json json_open(FILE *out);

void json_object(struct json *j, const char *key);
void json_array(struct json *j, const char *key);
void json_end(struct json *j); /* close the innermost object or array */

void json_text(struct json *j, const char *key, const char *value); /* NULL writes null */
void json_bytes(struct json *j, const char *key, const char *value, size_t length);
void json_int(struct json *j, const char *key, int64_t value);
void json_uint(struct json *j, const char *key, uint64_t value);
void json_real(struct json *j, const char *key, double value); /* nan, inf write null */
void json_bool(struct json *j, const char *key, bool value);
void json_null(struct json *j, const char *key);

#endif
