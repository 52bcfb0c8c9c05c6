/* SPDX-License-Identifier: MIT */
#include "report/term.h"

#include <inttypes.h>
#include <langinfo.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

bool term_is_tty(FILE *f)
{
    return isatty(fileno(f));
}

bool term_dumb(void)
{
    const char *term = getenv("TERM");

    return term && strcmp(term, "dumb") == 0;
}

bool term_colour(FILE *f)
{
    const char *no = getenv("NO_COLOR");

    return term_is_tty(f) && !(no && *no) && !term_dumb();
}

bool term_utf8(void)
{
    return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

int term_width(FILE *f)
{
    const char *columns = getenv("COLUMNS");
    struct winsize size;
    int n = columns ? atoi(columns) : 0;

    if (n > 0)
        return n;
    return ioctl(fileno(f), TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : 80;
}

const char *format_count(uint64_t n, char out[FORMAT_MAX])
{
    char digits[FORMAT_MAX];
    int length = sprintf(digits, "%" PRIu64, n), used = 0;

    for (int i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0)
            out[used++] = ',';
        out[used++] = digits[i];
    }
    out[used] = '\0';
    return out;
}

const char *plural(uint64_t n, const char *one, const char *more)
{
    return n == 1 ? one : more;
}

const char *format_short(double n, char out[FORMAT_MAX])
{
    static const char *const units[] = {"", " k", " M", " G", " T"};
    int u = 0;

    while (n >= 999.5 && u < 4) {
        n /= 1000;
        u++;
    }
    snprintf(out, FORMAT_MAX, "%.*f%s", n >= 99.95 || u == 0 ? 0 : n >= 9.995 ? 1 : 2, n, units[u]);
    return out;
}

const char *format_duration(double seconds, char out[FORMAT_MAX])
{
    uint64_t s = seconds < 1e15 ? (uint64_t)(seconds + 0.5) : 0;

    if (seconds < 9.95)
        snprintf(out, FORMAT_MAX, "%.1f s", seconds);
    else if (s < 3600)
        snprintf(out, FORMAT_MAX, "%" PRIu64 ":%02" PRIu64, s / 60, s % 60);
    else
        snprintf(out, FORMAT_MAX, "%" PRIu64 ":%02" PRIu64 ":%02" PRIu64, s / 3600, s / 60 % 60,
                 s % 60);
    return out;
}
