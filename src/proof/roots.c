/* SPDX-License-Identifier: MIT */
#include "proof/roots.h"
#include "core/notation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char name[] = "roots";

/* The whole list; *text is NULL if there is none yet. */
static enum status roots_read(struct store *s, char **text, struct error *e)
{
    struct error why = {0};
    enum status rc = store_get_text(s, name, text, &why);

    return rc && rc != STATUS_MISSING ? error_pass(e, &why) : STATUS_OK;
}

/* Is `line` one of the lines of `text`? */
static bool lines_have(const char *text, const char *line)
{
    size_t length = strlen(line);

    for (; text && *text; text += strcspn(text, "\n"), text += *text == '\n')
        if (strcspn(text, "\n") == length && strncmp(text, line, length) == 0)
            return true;
    return false;
}

enum status roots_add(struct store *s, const struct board *b, struct error *e)
{
    char fen[FEN_TEXT_MAX], *roots, *longer = NULL;
    enum status rc = roots_read(s, &roots, e);

    if (rc)
        return rc;
    fen_format(b, fen);
    if (!lines_have(roots, fen)) {
        if (asprintf(&longer, "%s%s\n", roots ? roots : "", fen) < 0)
            longer = NULL;
        rc = longer ? store_put_text(s, name, longer, e)
                    : error_set(e, STATUS_NO_MEMORY, "not enough memory for the list of roots");
    }
    free(roots);
    free(longer);
    return rc;
}

static enum status root_visit(struct store *s, const char *fen, roots_visit *visit, void *context,
                              struct error *e)
{
    struct text_error where;
    struct store_record r;
    struct error why = {0};
    struct board b;
    enum status rc;

    if (!fen_parse(fen, strlen(fen), &b, &where))
        return STATUS_OK;
    rc = store_get(s, &b, &r, &why);
    if (rc && rc != STATUS_MISSING)
        return error_pass(e, &why);
    visit(context, &b, rc ? NULL : &r);
    return STATUS_OK;
}

enum status roots_each(struct store *s, roots_visit *visit, void *context, struct error *e)
{
    char *roots, *save = NULL;
    enum status rc = roots_read(s, &roots, e);

    if (rc)
        return rc;
    for (char *fen = roots ? strtok_r(roots, "\n", &save) : NULL; !rc && fen;
         fen = strtok_r(NULL, "\n", &save))
        rc = root_visit(s, fen, visit, context, e);
    free(roots);
    return rc;
}
