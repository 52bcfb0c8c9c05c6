/* SPDX-License-Identifier: MIT */
#include "db/forecast.h"

#include "base/clock.h"
#include "core/notation.h"
#include "db/catalog.h"
#include "db/ondemand.h"

#include <stdlib.h>
#include <string.h>

/* Processor seconds per thousand million values of a kind: for all slices of at most five pieces on
 * one thread of a Zen 3 processor with AVX2, including writing the files.  Eight pieces took 31 for
 * wld, tables read back included. */
static const double seconds_each[KINDS] = {[KIND_WLD] = 36, [KIND_DTC] = 108, [KIND_DTW] = 100};

static const double slice_seconds = 0.003; /* to make and sync files, however small */

/* Bytes per million values by the difference in pieces: wld, dtc, dtw.  Rows of up to six pieces
 * are measured builds (dtc: up to five), and so are 4v3, 5v2, 6v1 and 4v4 of wld; the rest is
 * extrapolated from the rows above. */
enum { DIFFERENCES = 5 };

static const uint32_t bytes_each[BUILD_PIECES_MAX + 1][DIFFERENCES][KINDS] = {
    [2] = {{1219323, 1182626, 1109805}},
    [3] = {{57562, 204880, 339633}},
    [4] = {{43524, 50777, 79718}, {4084, 69031, 206090}},
    [5] = {{9754, 126108, 286450}, {819, 34137, 158938}},
    [6] = {{28835, 53000, 84214}, {1112, 80000, 237473}, {494, 28000, 129039}},
    [7] = {{13000, 126000, 300000}, {572, 60000, 220000}, {516, 28000, 120000}},
    [8] = {{26000, 55000, 90000},
           {1000, 80000, 240000},
           {570, 50000, 200000},
           {520, 28000, 120000}},
    [9] = {{13000, 126000, 300000},
           {570, 60000, 220000},
           {520, 50000, 200000},
           {520, 28000, 120000}},
    [10] = {{26000, 55000, 90000},
            {1000, 80000, 240000},
            {570, 60000, 220000},
            {520, 50000, 200000},
            {520, 28000, 120000}},
};

static uint64_t bytes_of(struct slice s, enum kind kind)
{
    int pieces = slice_pieces(s), own = s.kings + s.men;
    int difference = abs(2 * own - pieces) / 2; /* 0: as even as the pieces allow */

    if (pieces > BUILD_PIECES_MAX || difference >= DIFFERENCES)
        return 0;
    return slice_values(s) * bytes_each[pieces][difference][kind] / 1000000;
}

static bool slice_add(const struct catalog *c, struct slice s, const struct build_options *o,
                      struct build_forecast *f)
{
    bool missing = false;

    for (int k = 0; k < KINDS; k++) {
        bool wanted = o->kind[k] || k == KIND_WLD;

        if (!wanted || (c && catalog_has(c, s, (enum kind)k)))
            continue;
        missing = true;
        f->bytes[k] += bytes_of(s, (enum kind)k);
        f->cpu_seconds += seconds_each[k] * 1e-9 * (double)slice_values(s) + slice_seconds;
    }
    return missing;
}

void forecast_build(const struct build_plan *p, const struct build_options *o,
                    struct build_forecast *f)
{
    struct catalog *c = NULL;
    struct error e;

    *f = (struct build_forecast){0};
    if (catalog_open(&c, o->dir, &e))
        c = NULL;
    for (int i = 0; i < p->count; i++) {
        if (slice_add(c, p->slice[i], o, f)) {
            f->slices++;
            f->values += slice_values(p->slice[i]);
        } else {
            f->there++;
        }
    }
    catalog_close(&c);
}

uint64_t forecast_bytes(const struct build_forecast *f)
{
    uint64_t sum = 0;

    for (int k = 0; k < KINDS; k++)
        sum += f->bytes[k];
    return sum;
}

static bool ending_solve(void)
{
    static const char fen[] = "B:WK31,30:BK18,25";
    struct ondemand *o;
    struct board b;
    struct error e;
    bool solved;

    if (!fen_parse(fen, strlen(fen), &b, NULL) || ondemand_open(&o, &b, false, &e))
        return false;
    solved = !ondemand_solve(o, 1, UINT64_MAX, NULL, NULL, &e);
    ondemand_close(&o);
    return solved;
}

double forecast_pace(void)
{
    static const double once = 0.045; /* processor seconds of the table's machine */
    double began = clock_seconds(), gone = 0;
    int rounds = 0;

    for (; gone < 0.2; gone = clock_seconds() - began, rounds++)
        if (!ending_solve())
            return 1;
    return gone / (once * rounds);
}
