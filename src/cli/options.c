/* SPDX-License-Identifier: MIT */
#include "cli/options.h"

#include "cli/command.h"
#include "cli/nearest.h"
#include "base/machine.h"
#include "base/parse.h"
#include "report/term.h"

#include <limits.h>
#include <string.h>

/* ----------------------------------------------------------------- options -- */

static int64_t int_max(const struct option_spec *o)
{
    return o->min || o->max ? o->max : INT_MAX;
}

/* A time of 0 would mean no limit, and beyond a century the clocks overflow. */
static bool set_duration(const char *text, double *out)
{
    return parse_duration(text, out) && *out > 0 && *out < 3.2e9;
}

static bool set_memory(const struct option_spec *o, const char *text, uint64_t *out)
{
    return parse_size(text, o->unit, out) && *out <= memory_all();
}

static bool set_value(const struct option_spec *o, const char *text, void *args)
{
    void *field = (char *)args + o->offset;

    switch (o->type) {
    case OPTION_FLAG:
        *(bool *)field = true;
        return true;
    case OPTION_INT:
        return parse_int(text, o->min, int_max(o), field);
    case OPTION_COUNT:
        return parse_count(text, field);
    case OPTION_SIZE:
        return parse_size(text, o->unit, field);
    case OPTION_MEMORY:
        return set_memory(o, text, field);
    case OPTION_DURATION:
        return set_duration(text, field);
    case OPTION_TEXT:
        *(const char **)field = text;
        return true;
    case OPTION_CHOICE:
        return parse_choice(text, o->choices, field);
    case OPTION_GROUP:
    case OPTION_RENAMED:
        break;
    }
    return false;
}

static int complain_value(const struct command *c, const struct option_spec *o, const char *text)
{
    char all[FORMAT_MAX];
    uint64_t size;

    switch (o->type) {
    case OPTION_INT:
        app_error("%s: --%s expects a number from %lld to %lld, found '%s'", c->name, o->name,
                  (long long)o->min, (long long)int_max(o), text);
        break;
    case OPTION_COUNT:
        app_error("%s: --%s expects a number such as 20000 or 5M, found '%s'", c->name, o->name,
                  text);
        break;
    case OPTION_MEMORY:
        if (parse_size(text, o->unit, &size)) {
            app_error("%s: --%s expects at most the machine's %sB, found '%s'", c->name, o->name,
                      format_short((double)memory_all(), all), text);
            break;
        }
        /* fall through */
    case OPTION_SIZE:
        app_error("%s: --%s expects a size such as 512M, found '%s'", c->name, o->name, text);
        break;
    case OPTION_DURATION:
        app_error("%s: --%s expects a time such as 90s or 10m, found '%s'", c->name, o->name, text);
        break;
    default:
        app_error("%s: --%s expects one of %s, found '%s'", c->name, o->name, o->choices, text);
    }
    return -1;
}

struct option_walk option_walk(const struct option_spec *table)
{
    return (struct option_walk){.at = table};
}

bool option_next(struct option_walk *w, struct option_spec *out)
{
    while (w->at) {
        const struct option_spec *o = w->at++;

        if (o->type == OPTION_GROUP) {
            w->outer = w->at;
            w->base = o->offset;
            w->at = o->group;
        } else if (o->name) {
            *out = *o;
            out->offset += w->base;
            return true;
        } else { /* the end of a group, or of the table */
            w->at = w->outer;
            w->outer = NULL;
            w->base = 0;
        }
    }
    return false;
}

static bool find_option(const struct command *c, const char *name, size_t n,
                        struct option_spec *out)
{
    struct option_walk w = option_walk(c->options);

    while (option_next(&w, out))
        if (strlen(out->name) == n && memcmp(out->name, name, n) == 0)
            return true;
    return false;
}

/* `word` names no option; its name has this length, 0 if it has none. */
static void unknown_option(const struct command *c, const char *word, size_t length)
{
    struct option_walk w = option_walk(c->options);
    char name[32] = "";
    struct nearest near;
    struct option_spec o;

    snprintf(name, sizeof name, "%.*s", (int)(length < 31 ? length : 31), word + 2);
    near = nearest_to(name);
    while (length && option_next(&w, &o))
        if (o.type != OPTION_RENAMED)
            nearest_try(&near, o.name);
    if (near.name)
        app_error("%s: unknown option '%s'; did you mean '--%s'?", c->name, word, near.name);
    else
        app_error("%s: unknown option '%s'; see 'kelso help %s'", c->name, word, c->name);
}

/* Read the option at argv[i]; returns how many words it took, or -1. */
static int take_option(const struct command *c, int argc, char **argv, int i, void *args)
{
    const char *word = argv[i], *name = word + 2, *value = strchr(word, '=');
    size_t length = value ? (size_t)(value++ - name) : strlen(name);
    struct option_spec spec, *o = &spec;
    int used = 1;

    if (word[1] != '-' || !find_option(c, name, length, o)) {
        unknown_option(c, word, word[1] == '-' ? length : 0);
        return -1;
    }
    if (o->type == OPTION_RENAMED) {
        app_error("%s: --%s is now --%s", c->name, o->name, o->help);
        return -1;
    }
    if (o->type == OPTION_FLAG && value) {
        app_error("%s: --%s takes no value", c->name, o->name);
        return -1;
    }
    if (o->type != OPTION_FLAG && !value) {
        if (i + 1 == argc) {
            app_error("%s: --%s expects a value: --%s %s", c->name, o->name, o->name, o->value);
            return -1;
        }
        value = argv[i + 1];
        used = 2;
    }
    return set_value(o, value, args) ? used : complain_value(c, o, value);
}

static int check_operands(const struct command *c, int n, char **argv)
{
    if (n < c->operands_min)
        app_error("%s: too few arguments: kelso %s %s", c->name, c->name, c->usage);
    else if (n > c->operands_max)
        app_error("%s: unexpected argument '%s'; see 'kelso help %s'", c->name,
                  argv[c->operands_max], c->name);
    else
        return n;
    return -1;
}

int options_parse(const struct command *c, int argc, char **argv, void *args)
{
    int operands = 0;
    bool ended = false;

    for (int i = 0; i < argc;) {
        int used = 1;

        if (!ended && strcmp(argv[i], "--") == 0)
            ended = true;
        else if (!ended && argv[i][0] == '-' && argv[i][1])
            used = take_option(c, argc, argv, i, args);
        else
            argv[operands++] = argv[i];
        if (used < 0)
            return -1;
        i += used;
    }
    return check_operands(c, operands, argv);
}
