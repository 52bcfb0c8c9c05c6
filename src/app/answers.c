/* SPDX-License-Identifier: MIT */
#include "app/answers.h"

#include "app/command.h"
#include "app/database.h"
#include "core/notation.h"

int answers_open(struct answers *a, const char *dir, uint64_t memory)
{
    struct error e;

    *a = (struct answers){0};
    if (database_open(dir, &a->catalog))
        return EXIT_BAD;
    if (probe_open(&a->probe, a->catalog, memory ? memory : UINT64_C(256) << 20, &e)) {
        answers_close(a);
        return app_error("%s", e.text);
    }
    a->source = source_from_probe(a->probe);
    return EXIT_DONE;
}

void answers_close(struct answers *a)
{
    probe_close(&a->probe);
    catalog_close(&a->catalog);
}

const char *value_name(enum value v)
{
    return v == VALUE_WIN ? "win" : v == VALUE_DRAW ? "draw" : "loss";
}

const char *outcome_text(struct outcome o, enum kind kind, char text[OUTCOME_TEXT_MAX])
{
    const char *verb = o.value == VALUE_WIN ? "wins" : o.value == VALUE_DRAW ? "draws" : "loses";

    if (o.value == VALUE_DRAW || kind == KIND_WLD)
        return verb;
    snprintf(text, OUTCOME_TEXT_MAX, "%s in %d", verb, o.plies);
    return text;
}

void json_plies(struct json *j, const char *key, const struct verdict *v, enum kind kind)
{
    if (v->known[kind] && v->value != VALUE_DRAW)
        json_int(j, key, v->of[kind].plies);
    else
        json_null(j, key);
}

int answers_error(const struct board *b, const struct error *e)
{
    char fen[FEN_TEXT_MAX];

    fen_format(b, fen);
    return app_error("%s: %s", fen, e->text);
}
