/* SPDX-License-Identifier: MIT */
#include "cli/options.h"

#include "cli/command.h"
#include "cli/machine.h"
#include "report/term.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ values -- */

bool parse_int(const char *text, int64_t min, int64_t max, int *out)
{
    char *end;
    long long n;

    errno = 0;
    n = strtoll(text, &end, 10);
    if (end == text || *end || errno || n < min || n > max)
        return false;
    *out = (int)n;
    return true;
}

/* A plain decimal number, with what follows it; -1 if there is none.  strtod alone
 * would take "nan", "inf", "0x1p3" and " -0" too. */
static double read_decimal(const char *text, const char **end)
{
    size_t digits = strspn(text, "0123456789");
    size_t all = digits;

    if (text[digits] == '.')
        all += 1 + strspn(text + digits + 1, "0123456789");
    *end = text + all;
    return digits ? strtod(text, NULL) : -1;
}

/* The power of `base` that a letter at *end stands for: K, M, G, T in either case; 1 if there is
 * none, and then *end stays. */
static double read_letter(const char **end, double base)
{
    static const char letters[] = "KMGT";
    const char *letter = **end ? strchr(letters, **end & ~0x20) : NULL;

    if (!letter)
        return 1;
    ++*end;
    return pow(base, (double)(letter - letters + 1));
}

static bool fits(double n, uint64_t *out)
{
    if (!(n >= 0 && n < ldexp(1, 63)))
        return false;
    *out = (uint64_t)n;
    return true;
}

bool parse_count(const char *text, uint64_t *out)
{
    const char *end;
    double n = read_decimal(text, &end);

    n *= read_letter(&end, 1000);
    return !*end && fits(n, out);
}

bool parse_size(const char *text, uint64_t unit, uint64_t *out)
{
    const char *end, *digits;
    double n = read_decimal(text, &digits), scale;

    end = digits;
    scale = read_letter(&end, 1024);
    if (end == digits && unit)
        scale = (double)unit;
    else if (end != digits)
        end += strncmp(end, "iB", 2) == 0 ? 2 : *end == 'B';
    return !*end && fits(n * scale, out);
}

bool parse_duration(const char *text, double *out)
{
    static const struct {
        const char *name;
        double seconds;
    } units[] = {{"", 1}, {"s", 1}, {"ms", 0.001}, {"m", 60}, {"h", 3600}, {"d", 86400}};
    const char *end;
    double n = read_decimal(text, &end);

    if (n < 0)
        return false;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(end, units[i].name) == 0) {
            *out = n * units[i].seconds;
            return isfinite(*out);
        }
    return false;
}

bool parse_choice(const char *text, const char *choices, int *out)
{
    size_t length = strlen(text);

    for (int i = 0; *choices; i++) {
        size_t n = strcspn(choices, "|");

        if (n == length && memcmp(text, choices, n) == 0) {
            *out = i;
            return true;
        }
        choices += n + (choices[n] == '|');
    }
    return false;
}

/* ----------------------------------------------------------------- options -- */

static int64_t int_max(const struct option_spec *o)
{
    return o->min || o->max ? o->max : INT_MAX;
}

/* A time of 0 would be none at all, and beyond a century the clocks overflow. */
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

static const struct option_spec *find_option(const struct command *c, const char *name, size_t n)
{
    for (const struct option_spec *o = c->options; o && o->name; o++)
        if (strlen(o->name) == n && memcmp(o->name, name, n) == 0)
            return o;
    return NULL;
}

/* Read the option at argv[i]; returns how many words it took, or -1. */
static int take_option(const struct command *c, int argc, char **argv, int i, void *args)
{
    const char *word = argv[i], *name = word + 2, *value = strchr(word, '=');
    size_t length = value ? (size_t)(value++ - name) : strlen(name);
    const struct option_spec *o = word[1] == '-' ? find_option(c, name, length) : NULL;
    int used = 1;

    if (!o) {
        app_error("%s: unknown option '%s'; see 'kelso help %s'", c->name, word, c->name);
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
