/* SPDX-License-Identifier: MIT */
#include "db/manifest.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int by_name(const void *a, const void *b)
{
    const struct manifest_entry *x = a, *y = b;

    return strcmp(x->name, y->name);
}

enum status manifest_list(struct manifest *m, const struct catalog *c, int pieces, struct error *e)
{
    struct slice list[SLICE_CODES];
    int n = slice_order(pieces, PIECES_MAX, list);

    *m = (struct manifest){.entry = calloc((size_t)n * KINDS + 1, sizeof *m->entry)};
    if (!m->entry)
        return error_set(e, STATUS_NO_MEMORY, "not enough memory for a list of tables");
    for (int i = 0; i < n; i++)
        for (int k = 0; k < KINDS; k++) {
            char name[SLICE_NAME_MAX];

            if (catalog_has(c, list[i], (enum kind)k))
                snprintf(m->entry[m->count++].name, MANIFEST_NAME_MAX, "%s.%s",
                         slice_name(list[i], name), kind_name((enum kind)k));
        }
    qsort(m->entry, (size_t)m->count, sizeof *m->entry, by_name);
    return STATUS_OK;
}

/* Is this the name of a table file?  A manifest must not make us open any other file. */
static bool name_good(const char *name)
{
    char stem[SLICE_NAME_MAX], again[SLICE_NAME_MAX];
    const char *dot = strrchr(name, '.');
    struct slice s;

    if (!dot || dot - name >= (int)sizeof stem)
        return false;
    memcpy(stem, name, (size_t)(dot - name));
    stem[dot - name] = 0;
    for (int k = 0; k < KINDS; k++)
        if (strcmp(dot + 1, kind_name((enum kind)k)) == 0)
            return slice_parse(stem, &s) &&
                   strcmp(slice_name(slice_canonical(s), again), stem) == 0;
    return false;
}

/* Parse one line without its newline; false if it is malformed. */
static bool line_parse(const char *line, size_t n, struct manifest_entry *out)
{
    size_t digits = SHA256_TEXT - 1;

    if (n <= digits + 2 || n - digits - 2 >= MANIFEST_NAME_MAX ||
        memcmp(line + digits, "  ", 2) != 0)
        return false;
    for (size_t i = 0; i < digits; i++) {
        if (!isxdigit((unsigned char)line[i]))
            return false;
        out->sha256[i] = (char)tolower((unsigned char)line[i]);
    }
    out->sha256[digits] = 0;
    memcpy(out->name, line + digits + 2, n - digits - 2);
    out->name[n - digits - 2] = 0;
    return name_good(out->name);
}

enum status manifest_parse(struct manifest *m, const char *path, const char *text, struct error *e)
{
    size_t lines = 1;

    for (const char *p = text; *p; p++)
        lines += *p == '\n';
    *m = (struct manifest){.entry = calloc(lines, sizeof *m->entry)};
    if (!m->entry)
        return error_set(e, STATUS_NO_MEMORY, "%s: not enough memory", path);
    for (int number = 1; *text; number++) {
        size_t n = strcspn(text, "\n");

        if (n && !line_parse(text, n, &m->entry[m->count++])) {
            manifest_free(m);
            return error_set(e, STATUS_FORMAT,
                             "%s:%d: expected a SHA-256, two blanks and the name of a table", path,
                             number);
        }
        text += n + (text[n] == '\n');
    }
    return STATUS_OK;
}

void manifest_free(struct manifest *m)
{
    free(m->entry);
    *m = (struct manifest){0};
}

enum status manifest_digest(const struct catalog *c, const char *name, char sha256[SHA256_TEXT],
                            struct error *e)
{
    char path[TABLE_PATH_MAX + MANIFEST_NAME_MAX];

    snprintf(path, sizeof path, "%s/%s", catalog_dir(c), name);
    return sha256_file(path, sha256, e);
}
