/* SPDX-License-Identifier: MIT */
#include "report/progress.h"

#include "base/clock.h"
#include "report/json.h"
#include "report/term.h"

#include <stdarg.h>
#include <string.h>

enum {
    BAR_INTERVAL_MS = 100,
    LINE_INTERVAL_MS = 5000,
    BAR_MIN = 8, /* cells; a smaller bar is useless */
    BAR_MAX = 24,
    STATUS_MAX = 320
};

static uint64_t now_ms(void)
{
    return (uint64_t)(1000 * clock_seconds());
}

static uint64_t interval(const struct progress *p)
{
    return p->mode == PROGRESS_BAR ? BAR_INTERVAL_MS : LINE_INTERVAL_MS;
}

void progress_open(struct progress *p, enum progress_mode mode)
{
    memset(p, 0, sizeof *p);
    p->out = stderr;
    if (mode == PROGRESS_AUTO)
        mode = !term_is_tty(p->out) ? PROGRESS_NONE : term_dumb() ? PROGRESS_PLAIN : PROGRESS_BAR;
    p->mode = mode;
    p->colour = term_colour(p->out);
    p->unit = "";
    p->started = clock_seconds();
    atomic_store(&p->next_draw, UINT64_MAX); /* until there is a stage */
    pthread_mutex_init(&p->lock, NULL);
}

/* ----------------------------------------------------------------- drawing -- */

struct progress_now {
    uint64_t done, total;
    double seconds, rate, left; /* left < 0: unknown */
    bool at_most;               /* `left` follows from the limit */
};

static struct progress_now look(struct progress *p)
{
    struct progress_now s = {.done = atomic_load(&p->done), .total = atomic_load(&p->total)};

    s.seconds = clock_seconds() - p->started;
    s.rate = s.seconds > 0 ? (double)s.done / s.seconds : 0;
    s.left = s.total >= s.done && s.rate > 0 ? (double)(s.total - s.done) / s.rate : -1;
    if (s.total == 0)
        s.left = -1;
    if (s.left < 0 && p->limit > 0) {
        s.left = p->limit > s.seconds ? p->limit - s.seconds : 0;
        s.at_most = true;
    }
    return s;
}

/* "1.20 M/s", "3.5/s", "12.0/min". */
static const char *format_rate(double rate, char out[FORMAT_MAX])
{
    char number[FORMAT_MAX];

    if (rate >= 9.95 || rate <= 0)
        snprintf(out, FORMAT_MAX, "%.20s/s", format_short(rate, number));
    else if (rate >= 0.95)
        snprintf(out, FORMAT_MAX, "%.1f/s", rate);
    else
        snprintf(out, FORMAT_MAX, "%.1f/min", 60 * rate);
    return out;
}

/* "0:15 left", "at most 0:15 left", or the elapsed time if that is unknown. */
static const char *format_left(const struct progress_now *s, char out[FORMAT_MAX])
{
    char time[FORMAT_MAX];

    format_duration(s->left >= 0 ? s->left : s->seconds, time);
    snprintf(out, FORMAT_MAX, "%s%.16s%s", s->at_most ? "at most " : "", time,
             s->left >= 0 ? " left" : "");
    return out;
}

/* "label  41%  12.3 M of 30.0 M positions  1.20 M/s  0:15 left" */
static void describe(const struct progress *p, const struct progress_now *s, char *out, size_t size)
{
    char done[FORMAT_MAX], total[FORMAT_MAX], rate[FORMAT_MAX], left[FORMAT_MAX];
    size_t n = 0;

    format_short((double)s->done, done);
    if (s->total)
        n += (size_t)snprintf(out + n, size - n, "%3.0f%%  %s of %s",
                              100.0 * (double)s->done / (double)s->total, done,
                              format_short((double)s->total, total));
    else
        n += (size_t)snprintf(out + n, size - n, "%s", done);
    snprintf(out + n, size - n, " %s  %s  %s", p->unit, format_rate(s->rate, rate),
             format_left(s, left));
}

/* The same for little room: "41%  0:15 left". */
static void describe_short(const struct progress_now *s, char *out, size_t size)
{
    char done[FORMAT_MAX], left[FORMAT_MAX];

    if (s->total)
        snprintf(out, size, "%3.0f%%  %s", 100.0 * (double)s->done / (double)s->total,
                 format_left(s, left));
    else
        snprintf(out, size, "%s  %s", format_short((double)s->done, done), format_left(s, left));
}

/* "[=====     ] " of `cells`, or nothing if they are too few. */
static const char *format_bar(double share, int cells, char out[BAR_MAX + 4])
{
    if (cells > BAR_MAX)
        cells = BAR_MAX;
    out[0] = '\0';
    if (cells < BAR_MIN)
        return out;
    out[0] = '[';
    memset(out + 1, ' ', (size_t)cells);
    memset(out + 1, '=', (size_t)((share > 1 ? 1 : share) * cells));
    strcpy(out + 1 + cells, "] ");
    return out;
}

/* The status line, in at most `width` columns: label, bar, figures; the bar shrinks and goes
 * first, then figures, then the end of the label. */
static void compose(const struct progress *p, const struct progress_now *s, int width,
                    char line[STATUS_MAX])
{
    char bar[BAR_MAX + 4], text[STATUS_MAX / 2];
    double share = s->total ? (double)s->done / (double)s->total : 0;
    int label = (int)strlen(p->label), room;

    describe(p, s, text, sizeof text);
    if (label + 1 + (int)strlen(text) > width)
        describe_short(s, text, sizeof text);
    room = width - 1 - (int)strlen(text);
    label = label < room ? label : room > 0 ? room : 0;
    format_bar(share, s->total ? room - label - 3 : 0, bar);
    snprintf(line, STATUS_MAX, "%.*s %s%s", label, p->label, bar, text);
}

static void draw_bar(const struct progress *p, const struct progress_now *s)
{
    char line[STATUS_MAX];
    int width = term_width(p->out) - 1;

    compose(p, s, width, line);
    fprintf(p->out, "\r%s%.*s%s\033[K", p->colour ? "\033[36m" : "", width, line,
            p->colour ? "\033[0m" : "");
}

static void draw_json(const struct progress *p, const struct progress_now *s)
{
    struct json j = json_open(p->out);

    json_object(&j, NULL);
    json_text(&j, "progress", p->label);
    json_text(&j, "unit", p->unit);
    json_uint(&j, "done", s->done);
    if (s->total)
        json_uint(&j, "total", s->total);
    json_real(&j, "seconds", s->seconds);
    json_real(&j, "rate", s->rate);
    if (s->left >= 0)
        json_real(&j, "left", s->left);
    json_end(&j);
}

static void draw(struct progress *p) /* with the lock held */
{
    struct progress_now s = look(p);
    char text[STATUS_MAX / 2];

    switch (p->mode) {
    case PROGRESS_BAR:
        draw_bar(p, &s);
        p->shown = true;
        break;
    case PROGRESS_JSON:
        draw_json(p, &s);
        break;
    case PROGRESS_PLAIN:
        describe(p, &s, text, sizeof text);
        fprintf(p->out, "%s: %s\n", p->label, text);
        break;
    default:
        break;
    }
    fflush(p->out);
}

static void erase(struct progress *p)
{
    if (p->shown)
        fputs("\r\033[K", p->out);
    p->shown = false;
}

/* Redraw if it is due; the first thread does it, no thread waits. */
static void draw_if_due(struct progress *p)
{
    uint64_t due = atomic_load_explicit(&p->next_draw, memory_order_relaxed), now;

    if (due == UINT64_MAX || (now = now_ms()) < due)
        return;
    if (!atomic_compare_exchange_strong(&p->next_draw, &due, now + interval(p)))
        return;
    if (pthread_mutex_trylock(&p->lock) != 0)
        return;
    draw(p);
    pthread_mutex_unlock(&p->lock);
}

/* ------------------------------------------------------------------ public -- */

void progress_stage(struct progress *p, const char *label, const char *unit, uint64_t total)
{
    pthread_mutex_lock(&p->lock);
    snprintf(p->label, sizeof p->label, "%s", label);
    p->unit = unit;
    p->started = clock_seconds();
    p->limit = 0;
    atomic_store(&p->done, 0);
    atomic_store(&p->total, total);
    pthread_mutex_unlock(&p->lock);
    if (p->mode != PROGRESS_NONE && atomic_load(&p->next_draw) == UINT64_MAX)
        atomic_store(&p->next_draw, now_ms() + interval(p));
    draw_if_due(p);
}

void progress_limit(struct progress *p, double seconds)
{
    pthread_mutex_lock(&p->lock);
    p->limit = seconds;
    pthread_mutex_unlock(&p->lock);
}

void progress_label(struct progress *p, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    pthread_mutex_lock(&p->lock);
    vsnprintf(p->label, sizeof p->label, format, args);
    pthread_mutex_unlock(&p->lock);
    va_end(args);
    draw_if_due(p);
}

void progress_add(struct progress *p, uint64_t n)
{
    atomic_fetch_add_explicit(&p->done, n, memory_order_relaxed);
    draw_if_due(p);
}

void progress_set(struct progress *p, uint64_t done)
{
    atomic_store_explicit(&p->done, done, memory_order_relaxed);
    draw_if_due(p);
}

static void note_json(FILE *out, const char *text)
{
    struct json j = json_open(out);

    json_object(&j, NULL);
    json_text(&j, "note", text);
    json_end(&j);
}

void progress_erase(struct progress *p)
{
    pthread_mutex_lock(&p->lock);
    erase(p);
    fflush(p->out);
    pthread_mutex_unlock(&p->lock);
}

void progress_note(struct progress *p, const char *format, ...)
{
    char text[2 * STATUS_MAX];
    va_list args;

    if (p->mode == PROGRESS_NONE)
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    pthread_mutex_lock(&p->lock);
    erase(p);
    if (p->mode == PROGRESS_JSON)
        note_json(p->out, text);
    else
        fprintf(p->out, "%s\n", text);
    fflush(p->out);
    pthread_mutex_unlock(&p->lock);
}

void progress_close(struct progress *p)
{
    erase(p);
    fflush(p->out);
    pthread_mutex_destroy(&p->lock);
}
