/* SPDX-License-Identifier: MIT */
#include "base/parse.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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
