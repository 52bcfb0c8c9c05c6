/* SPDX-License-Identifier: MIT */
#include "report/outcomes.h"

#include <stdio.h>

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
