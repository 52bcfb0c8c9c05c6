/* SPDX-License-Identifier: MIT */
#include "report/csv.h"

#include <stdlib.h>
#include <string.h>

/* A place in the text. */
struct reader {
    const char *at, *end;
};

/* The columns, and the fields of the current row: places of values in the text. */
struct rows {
    int columns;
    char name[CSV_COLUMNS_MAX][CSV_NAME_MAX];
    struct reader field[CSV_COLUMNS_MAX];
};

/* ------------------------------------------------------------------------ reading -- */

static bool next_is(const struct reader *r, char c)
{
    return r->at < r->end && *r->at == c;
}

static bool take(struct reader *r, char c)
{
    if (!next_is(r, c))
        return false;
    r->at++;
    return true;
}

/* Skip a text; the reader is at its first quote. */
static void skip_text(struct reader *r)
{
    for (r->at++; r->at < r->end && *r->at != '"'; r->at++)
        if (*r->at == '\\')
            r->at++;
    if (r->at < r->end)
        r->at++;
}

/* Skip a value of any kind. */
static struct reader skip_value(struct reader *r)
{
    struct reader value = {r->at, r->end};
    int depth = 0;

    while (r->at < r->end) {
        char c = *r->at;

        if (depth == 0 && (c == ',' || c == '}' || c == ']'))
            break;
        if (c == '"') {
            skip_text(r);
            continue;
        }
        depth += (c == '{' || c == '[') - (c == '}' || c == ']');
        r->at++;
    }
    value.end = r->at < value.end ? r->at : value.end;
    return value;
}

/* The next key of an object, after `{` or `,`; false at its end. */
static bool take_key(struct reader *r, struct reader *key)
{
    take(r, '{');
    take(r, ',');
    if (!next_is(r, '"'))
        return false;
    key->at = r->at + 1;
    skip_text(r);
    key->end = r->at - 1;
    return take(r, ':');
}

static bool find_list(struct reader r, const char *name, struct reader *list)
{
    struct reader key;

    while (take_key(&r, &key)) {
        struct reader value = skip_value(&r);

        if ((size_t)(key.end - key.at) == strlen(name) && memcmp(key.at, name, strlen(name)) == 0 &&
            next_is(&value, '[')) {
            *list = value;
            return true;
        }
    }
    return false;
}

/* --------------------------------------------------------------------------- rows -- */

static void keep(struct rows *rows, const char *name, struct reader value)
{
    int i = 0;

    while (i < rows->columns && strcmp(rows->name[i], name) != 0)
        i++;
    if (i == CSV_COLUMNS_MAX)
        return;
    if (i == rows->columns)
        strcpy(rows->name[rows->columns++], name);
    rows->field[i] = value;
}

/* The fields of an object; `prefix` is prepended to their keys. */
static void take_fields(struct rows *rows, struct reader object, const char *prefix)
{
    struct reader key;

    while (take_key(&object, &key)) {
        struct reader value = skip_value(&object);
        char name[CSV_NAME_MAX];
        int n = snprintf(name, sizeof name, "%s%.*s", prefix, (int)(key.end - key.at), key.at);

        if (n >= CSV_NAME_MAX - 1)
            continue;
        if (next_is(&value, '{')) {
            strcpy(name + n, ".");
            take_fields(rows, value, name);
        } else if (!(next_is(&value, '[') && value.end - value.at > 1 && value.at[1] == '{')) {
            keep(rows, name, value);
        }
    }
}

/* The character that a letter after a backslash stands for. */
static char escaped(char letter)
{
    static const char letters[] = "bfnrt", meant[] = "\b\f\n\r\t";
    const char *at = letter ? strchr(letters, letter) : NULL;

    return at ? meant[at - letters] : letter;
}

/* "00XX" or "fffd", as json.h writes them. */
static size_t code_bytes(const char *digits, char *out)
{
    unsigned long code = strtoul((char[]){digits[0], digits[1], digits[2], digits[3], 0}, NULL, 16);

    if (code < 0x80) {
        *out = (char)code;
        return 1;
    }
    memcpy(out, "\xEF\xBF\xBD", 3);
    return 3;
}

/* A text without its quotes and escapes. */
static size_t text_bytes(struct reader value, char *out)
{
    size_t n = 0;

    for (const char *at = value.at + 1; at < value.end - 1; at++) {
        if (*at != '\\') {
            out[n++] = *at;
            continue;
        }
        at++;
        if (*at == 'u' && value.end - at > 5) {
            n += code_bytes(at + 1, out + n);
            at += 4;
        } else {
            out[n++] = escaped(*at);
        }
    }
    return n;
}

/* The content of a field as plain text; the room is at least its length in JSON. */
static size_t field_bytes(struct reader value, char *out)
{
    size_t n = 0;

    if (next_is(&value, '"'))
        return text_bytes(value, out);
    if (take(&value, '[')) {
        while (value.at < value.end && !next_is(&value, ']')) {
            if (n)
                out[n++] = ' ';
            n += field_bytes(skip_value(&value), out + n);
            take(&value, ',');
        }
        return n;
    }
    n = (size_t)(value.end - value.at);
    if (n == 4 && memcmp(value.at, "null", 4) == 0)
        return 0;
    memcpy(out, value.at, n);
    return n;
}

static void write_bytes(const char *bytes, size_t n, FILE *out)
{
    bool plain = true;

    for (size_t i = 0; i < n; i++)
        plain = plain && !strchr(",\"\r\n", bytes[i]);
    if (plain) {
        fwrite(bytes, 1, n, out);
        return;
    }
    putc('"', out);
    for (size_t i = 0; i < n; i++) {
        if (bytes[i] == '"')
            putc('"', out);
        putc(bytes[i], out);
    }
    putc('"', out);
}

/* A key that is null in some rows and an object in others has the columns of the object alone. */
static bool shadowed(const struct rows *rows, int i)
{
    size_t n = strlen(rows->name[i]);

    for (int k = 0; k < rows->columns; k++)
        if (strncmp(rows->name[k], rows->name[i], n) == 0 && rows->name[k][n] == '.')
            return true;
    return false;
}

static bool write_row(const struct rows *rows, FILE *out)
{
    size_t most = 1;
    char *room;

    for (int i = 0; i < rows->columns; i++) {
        size_t n = (size_t)(rows->field[i].end - rows->field[i].at);

        most = n > most ? n : most;
    }
    if (!(room = malloc(most)))
        return false;
    for (int i = 0, written = 0; i < rows->columns; i++) {
        if (shadowed(rows, i))
            continue;
        if (written++)
            putc(',', out);
        if (rows->field[i].at)
            write_bytes(room, field_bytes(rows->field[i], room), out);
    }
    fputs("\r\n", out);
    free(room);
    return true;
}

static void write_names(const struct rows *rows, FILE *out)
{
    for (int i = 0, written = 0; i < rows->columns; i++) {
        if (shadowed(rows, i))
            continue;
        if (written++)
            putc(',', out);
        write_bytes(rows->name[i], strlen(rows->name[i]), out);
    }
    fputs("\r\n", out);
}

/* One pass over all rows: to collect their columns, or to write them. */
static bool go_over(struct rows *rows, struct reader list, FILE *out)
{
    take(&list, '[');
    while (next_is(&list, '{')) {
        struct reader object = skip_value(&list);

        memset(rows->field, 0, sizeof rows->field);
        take_fields(rows, object, "");
        if (out && !write_row(rows, out))
            return false;
        take(&list, ',');
    }
    return true;
}

bool csv_from_json(const char *json, size_t length, const char *key, FILE *out)
{
    struct rows *rows = calloc(1, sizeof *rows);
    struct reader list;
    bool good = rows && find_list((struct reader){json, json + length}, key, &list);

    if (good) {
        go_over(rows, list, NULL);
        write_names(rows, out);
        good = go_over(rows, list, out);
    }
    free(rows);
    return good;
}
