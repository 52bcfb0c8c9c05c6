/* SPDX-License-Identifier: MIT
 *
 * Files of a census that something has happened to, in memory: (L2) and (L4) of ply.h, (R2) of
 * codes.h.  A row is read as it was, or refused with words that name the file.
 *
 * The good file holds the first moves of a game.  The input: whether to seal (1), then the damages,
 * DAMAGE_BYTES each. */
#include "damage.h"
#include "memory_file.h"

#include "core/movegen.h"
#include "games/code.h"
#include "games/ply.h"

#include <sys/stat.h>
#include <xxhash.h>

enum { HEADER = 64, CELL = 24, CELLS = BANDS * BANDS };
enum { ROW = 1 }; /* where the moves of the good file are */

static struct world {
    struct memory_file file;
    struct code_tables *tables;
    struct bands bands;
    struct ply_question question;
    uint8_t *bytes, *damaged;
    size_t size;
    uint64_t count; /* codes, and what they add up to */
    uint64_t sum;
} world;

/* Is there something to be read in a row?  One that is as it was and was empty is left out. */
static bool row_matters(const struct world *w, int row)
{
    uint64_t index;
    size_t at;

    if (!w->bytes || row == ROW)
        return true;
    index = bytes_get(w->bytes + 40, 8);
    at = index + (size_t)row * BANDS * CELL;
    return bytes_get(w->damaged + 40, 8) != index ||
           memcmp(w->damaged + at, w->bytes + at, (size_t)BANDS * CELL) != 0;
}

static uint64_t read_rows(const struct world *w, const struct ply *p, uint64_t *sum,
                          enum status *rc, struct error *e)
{
    struct ply_bytes bytes = {0};
    uint64_t count = 0, code;

    *sum = 0;
    *rc = STATUS_OK;
    for (int row = 0; row < BANDS && !*rc; row++) {
        if (!row_matters(w, row))
            continue;
        if ((*rc = ply_read_row(p, row, &bytes, e)) || bytes.size == 0)
            continue;
        for (int column = 0; column < BANDS; column++) {
            struct run_reader r = ply_row_cell(p, &w->bands, row, column, &bytes);

            for (; run_next(&r, &code); count++)
                *sum += code * 31 + (uint64_t)row;
        }
    }
    free(bytes.own);
    return count;
}

/* The seven first moves, each in its cell. */
static void put_moves(const struct world *w, struct ply *p)
{
    struct move_list legal;

    moves_generate(&board_start, &legal);
    for (int row = 0; row < BANDS; row++) {
        struct ply_cell cells[BANDS] = {0};
        struct run_writer bytes = {0};

        for (int column = 0; column < BANDS; column++) {
            struct codes codes = {0};
            size_t before = bytes.size;

            for (int i = 0; i < legal.count; i++) {
                struct board b = board_after(&board_start, &legal.move[i]);
                uint64_t code = code_encode(w->tables, &b);

                if (row == ROW && code >= w->bands.first[column] &&
                    (column + 1 == BANDS || code < w->bands.first[column + 1])) {
                    MUST(codes_reserve(&codes, 1));
                    codes.data[codes.count++] = code;
                }
            }
            if (codes.count) {
                struct codes scratch = {0};

                MUST(codes_sort(&codes, &scratch, 0, code_end(w->tables)));
                MUST(run_put(&bytes, &codes, w->bands.first[column]));
                free(scratch.data);
            }
            cells[column] = (struct ply_cell){
                before, (uint32_t)(bytes.size - before), (uint32_t)codes.count,
                bytes.size > before ? XXH3_64bits(bytes.data + before, bytes.size - before) : 0};
            free(codes.data);
        }
        MUST(ply_put_row(p, row, &bytes, cells, NULL) == STATUS_OK);
        run_writer_free(&bytes);
    }
}

static void world_open(struct world *w)
{
    char dir[] = "/tmp/kelso-fuzz-XXXXXX", path[64];
    bool found;
    enum status rc;
    struct error e;
    struct stat st;
    struct ply p;
    FILE *in;

    MUST((w->tables = code_tables_open()));
    bands_init(&w->bands, w->tables);
    w->question = ply_question_of(&board_start, CENSUS_PLAIN);
    MUST(mkdtemp(dir));
    MUST(ply_create(&p, dir, 1, &w->question, &e) == STATUS_OK);
    put_moves(w, &p);
    MUST(ply_finish(&p, &e) == STATUS_OK);
    snprintf(path, sizeof path, "%s", p.path);
    ply_close(&p);
    MUST(ply_open(&p, dir, 1, &w->question, &found, &e) == STATUS_OK && found);
    w->count = read_rows(w, &p, &w->sum, &rc, &e);
    MUST(rc == STATUS_OK && w->count == 7);
    ply_close(&p);
    MUST(stat(path, &st) == 0 && (in = fopen(path, "rb")));
    w->size = (size_t)st.st_size;
    MUST((w->bytes = malloc(w->size)) && (w->damaged = malloc(w->size + DAMAGE_LONGER)));
    MUST(fread(w->bytes, 1, w->size, in) == w->size);
    fclose(in);
    unlink(path);
    rmdir(dir);
    memory_file_open(&w->file, strrchr(path, '/') + 1);
}

static void seal_row(uint8_t *bytes, size_t size, uint64_t index, int row)
{
    for (int i = row * BANDS; i < (row + 1) * BANDS; i++) {
        uint8_t *cell = bytes + index + (size_t)i * CELL;
        uint64_t at = bytes_get(cell, 8), n = bytes_get(cell + 8, 4);

        if (n && at <= size && n <= size - at)
            bytes_put(cell + 16, 8, XXH3_64bits(bytes + at, n));
    }
}

/* Give the damaged file right sums. */
static void seal(const struct world *w, size_t size)
{
    uint8_t *bytes = w->damaged;
    uint64_t index = size > HEADER ? bytes_get(bytes + 40, 8) : size;

    if (index < size && size - index >= (uint64_t)CELLS * CELL) {
        for (int row = 0; row < BANDS; row++)
            if (row_matters(w, row))
                seal_row(bytes, size, index, row);
        bytes_put(bytes + 48, 8, XXH3_64bits(bytes + index, (size_t)CELLS * CELL));
    }
    if (size >= HEADER)
        bytes_put(bytes + 56, 8, XXH3_64bits(bytes, 56));
}

static bool only_cells_differ(const struct world *w, size_t size)
{
    uint64_t index = bytes_get(w->bytes + 40, 8);

    return size == w->size && memcmp(w->damaged, w->bytes, HEADER) == 0 &&
           memcmp(w->damaged + index, w->bytes + index, size - index) == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct ply open = {.fd = -1}; /* when the file was good */
    struct world *w = &world;
    struct error e = {0};
    bool found = false, sealed = size > 0 && (data[0] & 15) == 15;
    uint64_t sum, count;
    enum status rc;
    struct ply p;
    size_t n;

    if (!w->bytes)
        world_open(w);
    if (size < 1)
        return 0;
    memcpy(w->damaged, w->bytes, n = w->size);
    for (size_t at = 1; at + DAMAGE_BYTES <= size && at < 4 * DAMAGE_BYTES && n > 0;
         at += DAMAGE_BYTES) {
        size_t end = data[0] & 2 && n > HEADER + 64 ? HEADER + 64 : n;

        n = damage_bytes(data + at, w->damaged, n < w->size ? n : w->size, 0, end);
    }
    if (sealed)
        seal(w, n);
    if (open.fd < 0) {
        memory_file_fill(&w->file, w->bytes, w->size);
        MUST(!ply_open(&open, w->file.dir, 1, &w->question, &found, &e) && found);
    }
    memory_file_fill(&w->file, w->damaged, n);
    if (only_cells_differ(w, n)) { /* as if it were opened anew, which takes long */
        count = read_rows(w, &open, &sum, &rc, &e);
        MUST(rc || (count == w->count && sum == w->sum));
    } else if (!(rc = ply_open(&p, w->file.dir, 1, &w->question, &found, &e))) {
        MUST(found);
        count = read_rows(w, &p, &sum, &rc, &e);
        MUST(rc || sealed || (count == w->count && sum == w->sum));
        ply_close(&p);
    }
    if (rc)
        MUST(e.status == rc && strstr(e.text, w->file.path));
    return 0;
}
