/* SPDX-License-Identifier: MIT */
#include "games/ply.h"

#include "core/position.h"
#include "base/bytes.h"
#include "base/files.h"
#include "core/notation.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

enum { HEADER_SIZE = 64, HEADER_SUMMED = 56, CELL_SIZE = 24, CELLS = BANDS * BANDS };

static const char magic[8] = {'K', 'L', 'S', 'O', 'P', 'L', 'Y', '2'};

struct ply_question ply_question_of(const struct board *start, enum census_counting counting)
{
    return (struct ply_question){counting, start->turn == BLACK ? *start : board_flip(start)};
}

/* ------------------------------------------------------------------ create -- */

static void ply_name(char out[PLY_PATH_MAX], const char *dir, int number, const char *ending)
{
    snprintf(out, PLY_PATH_MAX, "%s/ply-%02d.%s", dir, number, ending);
}

static void temporary_name(const struct ply *p, char out[PLY_PATH_MAX + 8])
{
    snprintf(out, PLY_PATH_MAX + 8, "%s.tmp", p->path);
}

static bool ply_allocate(struct ply *p, int number, const struct ply_question *question)
{
    *p = (struct ply){.number = number, .question = *question, .fd = -1};
    p->cell = calloc(BANDS, sizeof *p->cell);
    return p->cell != NULL;
}

enum status ply_create(struct ply *p, const char *dir, int number,
                       const struct ply_question *question, struct error *e)
{
    char temporary[PLY_PATH_MAX + 8];

    if (!ply_allocate(p, number, question))
        return error_no_memory(e);
    if (!dir)
        return STATUS_OK;
    ply_name(p->path, dir, number, "census");
    temporary_name(p, temporary);
    p->fd = open(temporary, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (p->fd < 0)
        return file_error(temporary, e);
    p->bytes = HEADER_SIZE;
    p->writing = true;
    return STATUS_OK;
}

enum status ply_put_row(struct ply *p, int row, struct run_writer *bytes,
                        const struct ply_cell cells[BANDS], struct error *e)
{
    enum status status = STATUS_OK;
    uint64_t start = p->fd < 0 ? 0 : p->bytes;

    for (int c = 0; c < BANDS; c++) {
        struct ply_cell *cell = &p->cell[row][c];

        *cell = cells[c];
        cell->offset += start;
        cell->sum = XXH3_64bits(bytes_at(bytes->data, cells[c].offset), cell->bytes);
        p->count += cell->count;
    }
    p->bytes += bytes->size;
    if (p->fd >= 0)
        return file_write_at(p->fd, p->path, bytes->data, bytes->size, start, e);
    if (bytes->size > 0 && !(p->row[row] = malloc(bytes->size)))
        status = error_no_memory(e);
    else if (bytes->size > 0)
        memcpy(p->row[row], bytes->data, bytes->size);
    return status;
}

/* ------------------------------------------------------------------ finish -- */

static void header_fill(const struct ply *p, uint64_t index_sum, uint8_t header[HEADER_SIZE])
{
    memcpy(header, magic, sizeof magic);
    bytes_put(header + 8, 4, (uint64_t)p->number);
    bytes_put(header + 12, 4, p->question.counting);
    bytes_put(header + 16, 4, BANDS);
    placement_put(header + 20, placement_of(&p->question.start));
    bytes_put(header + 32, 8, p->count);
    bytes_put(header + 40, 8, p->bytes);
    bytes_put(header + 48, 8, index_sum);
    bytes_put(header + HEADER_SUMMED, 8, XXH3_64bits(header, HEADER_SUMMED));
}

static enum status write_index(const struct ply *p, struct error *e)
{
    enum status status;
    uint8_t header[HEADER_SIZE];
    uint8_t *index = malloc((size_t)CELLS * CELL_SIZE);

    if (!index)
        return error_no_memory(e);
    for (int i = 0; i < CELLS; i++) {
        const struct ply_cell *cell = &p->cell[i / BANDS][i % BANDS];
        uint8_t *at = index + (size_t)i * CELL_SIZE;

        bytes_put(at, 8, cell->offset);
        bytes_put(at + 8, 4, cell->bytes);
        bytes_put(at + 12, 4, cell->count);
        bytes_put(at + 16, 8, cell->sum);
    }
    header_fill(p, XXH3_64bits(index, (size_t)CELLS * CELL_SIZE), header);
    status = file_write_at(p->fd, p->path, index, (size_t)CELLS * CELL_SIZE, p->bytes, e);
    if (status == STATUS_OK)
        status = file_write_at(p->fd, p->path, header, HEADER_SIZE, 0, e);
    free(index);
    return status;
}

enum status ply_finish(struct ply *p, struct error *e)
{
    char temporary[PLY_PATH_MAX + 8];
    enum status status;

    if (p->fd < 0)
        return STATUS_OK;
    temporary_name(p, temporary);
    if ((status = write_index(p, e)) != STATUS_OK)
        return status;
    p->writing = false; /* file_publish removes what it cannot publish */
    return file_publish(p->fd, temporary, p->path, e);
}

/* -------------------------------------------------------------------- open -- */

static enum status damaged(const struct ply *p, struct error *e, const char *what)
{
    return error_set(e, STATUS_DAMAGED, "%s: %s; remove the file to compute it again", p->path,
                     what);
}

static struct board header_start(const uint8_t header[HEADER_SIZE])
{
    return placement_board(placement_get(header + 20), BLACK);
}

/* (L4) */
static enum status check_question(const struct ply *p, const uint8_t header[HEADER_SIZE],
                                  struct error *e)
{
    static const char *const name[] = {[CENSUS_PLAIN] = "plain", [CENSUS_BRYANT] = "bryant"};
    uint64_t counting = bytes_get(header + 12, 4);
    struct board start = header_start(header);
    char found[FEN_TEXT_MAX], expected[FEN_TEXT_MAX];

    if (counting > CENSUS_BRYANT || (start.side[BLACK] & start.side[WHITE]) ||
        squares_count(start.side[BLACK]) > CODE_PIECES_MAX ||
        squares_count(start.side[WHITE]) > CODE_PIECES_MAX)
        return damaged(p, e, "damaged header");
    if (counting != p->question.counting)
        return error_set(e, STATUS_MISMATCH,
                         "%s: holds another census: counted as %s, not as %s; use another "
                         "directory",
                         p->path, name[counting], name[p->question.counting]);
    if (board_equal(&start, &p->question.start))
        return STATUS_OK;
    fen_format(&start, found);
    fen_format(&p->question.start, expected);
    return error_set(e, STATUS_MISMATCH,
                     "%s: holds another census: from %s, not from %s; use another directory",
                     p->path, found, expected);
}

static enum status read_header(struct ply *p, uint64_t *index_sum, struct error *e)
{
    uint8_t header[HEADER_SIZE];
    enum status status = file_read_at(p->fd, p->path, header, HEADER_SIZE, 0, e);

    if (status != STATUS_OK)
        return status;
    if (memcmp(header, magic, sizeof magic - 1) == 0 && header[7] == '1')
        return damaged(p, e, "an old file that does not name its start position");
    if (memcmp(header, magic, sizeof magic) != 0)
        return damaged(p, e, "no census file");
    if (bytes_get(header + HEADER_SUMMED, 8) != XXH3_64bits(header, HEADER_SUMMED))
        return damaged(p, e, "damaged header");
    if (bytes_get(header + 8, 4) != (uint64_t)p->number || bytes_get(header + 16, 4) != BANDS)
        return damaged(p, e, "written for another ply or by another version");
    p->count = bytes_get(header + 32, 8);
    p->bytes = bytes_get(header + 40, 8);
    *index_sum = bytes_get(header + 48, 8);
    return check_question(p, header, e);
}

/* The cells of a row follow each other without a gap; an empty one may say any offset. */
static bool row_is_whole(const struct ply *p, int row)
{
    uint64_t at = p->cell[row][0].offset;

    for (int c = 0; c < BANDS; c++) {
        const struct ply_cell *cell = &p->cell[row][c];

        if (cell->bytes && cell->offset != at)
            return false;
        at += cell->bytes;
    }
    return at == p->cell[row][0].offset || at <= p->bytes;
}

static bool index_parse(struct ply *p, const uint8_t *index)
{
    uint64_t count = 0;

    for (int i = 0; i < CELLS; i++) {
        const uint8_t *at = index + (size_t)i * CELL_SIZE;
        struct ply_cell *cell = &p->cell[i / BANDS][i % BANDS];

        cell->offset = bytes_get(at, 8);
        cell->bytes = (uint32_t)bytes_get(at + 8, 4);
        cell->count = (uint32_t)bytes_get(at + 12, 4);
        cell->sum = bytes_get(at + 16, 8);
        count += cell->count;
        if (cell->bytes && (cell->offset > p->bytes || cell->bytes > p->bytes - cell->offset))
            return false;
    }
    for (int row = 0; row < BANDS; row++)
        if (!row_is_whole(p, row))
            return false;
    return count == p->count;
}

static enum status read_index(struct ply *p, uint64_t sum, struct error *e)
{
    size_t size = (size_t)CELLS * CELL_SIZE;
    uint8_t *index = malloc(size);
    enum status status;

    if (!index)
        return error_no_memory(e);
    status = file_read_at(p->fd, p->path, index, size, p->bytes, e);
    if (status == STATUS_OK && (XXH3_64bits(index, size) != sum || !index_parse(p, index)))
        status = damaged(p, e, "damaged index");
    free(index);
    return status;
}

enum status ply_open(struct ply *p, const char *dir, int number,
                     const struct ply_question *question, bool *found, struct error *e)
{
    enum status status;
    uint64_t sum = 0;

    *found = false;
    if (!ply_allocate(p, number, question))
        return error_no_memory(e);
    ply_name(p->path, dir, number, "census");
    p->fd = open(p->path, O_RDONLY | O_CLOEXEC);
    if (p->fd < 0 && errno == ENOENT) {
        ply_close(p);
        return STATUS_OK;
    }
    if (p->fd < 0)
        status = file_error(p->path, e);
    else if ((status = read_header(p, &sum, e)) == STATUS_OK)
        status = read_index(p, sum, e);
    *found = status == STATUS_OK;
    if (!*found)
        ply_close(p);
    return status;
}

/* -------------------------------------------------------------------- read -- */

static bool bytes_reserve(struct ply_bytes *b, size_t size)
{
    if (size > b->capacity) {
        free(b->own);
        b->capacity = size + size / 4;
        b->own = malloc(b->capacity);
        if (!b->own)
            b->capacity = 0;
    }
    b->data = b->own;
    b->size = size;
    return b->own || size == 0;
}

static enum status fetch(const struct ply *p, int row, uint64_t offset, size_t size,
                         struct ply_bytes *out, struct error *e)
{
    if (p->fd < 0) {
        out->data = p->row[row] + offset;
        out->size = size;
        return STATUS_OK;
    }
    if (!bytes_reserve(out, size))
        return error_no_memory(e);
    return file_read_at(p->fd, p->path, out->own, size, offset, e);
}

static enum status check(const struct ply *p, int row, int column, const uint8_t *data,
                         struct error *e)
{
    const struct ply_cell *cell = &p->cell[row][column];

    if (p->fd < 0 || cell->bytes == 0 || XXH3_64bits(data, cell->bytes) == cell->sum)
        return STATUS_OK;
    return error_set(e, STATUS_DAMAGED,
                     "%s: damaged at byte %" PRIu64 "; remove the file to compute it again",
                     p->path, cell->offset);
}

enum status ply_bad_code(const struct ply *p, int row, int column, struct error *e)
{
    return error_set(e, STATUS_DAMAGED,
                     "%s: a code of another cell at byte %" PRIu64
                     "; remove the file to compute it again",
                     p->path, p->cell[row][column].offset);
}

enum status ply_read_cell(const struct ply *p, int row, int column, struct ply_bytes *out,
                          struct error *e)
{
    const struct ply_cell *cell = &p->cell[row][column];
    enum status status;

    if (cell->bytes == 0) {
        out->size = 0;
        return STATUS_OK;
    }
    status = fetch(p, row, cell->offset, cell->bytes, out, e);
    return status == STATUS_OK ? check(p, row, column, out->data, e) : status;
}

/* The cells of a row follow each other without a gap. */
static size_t row_bytes(const struct ply *p, int row)
{
    size_t bytes = 0;

    for (int c = 0; c < BANDS; c++)
        bytes += p->cell[row][c].bytes;
    return bytes;
}

enum status ply_read_row(const struct ply *p, int row, struct ply_bytes *out, struct error *e)
{
    size_t size = row_bytes(p, row), at = 0;
    enum status status;

    out->size = 0;
    if (size == 0)
        return STATUS_OK;
    status = fetch(p, row, p->cell[row][0].offset, size, out, e);
    for (int c = 0; status == STATUS_OK && c < BANDS; c++) {
        status = check(p, row, c, bytes_at(out->data, at), e);
        at += p->cell[row][c].bytes;
    }
    return status;
}

struct run_reader ply_row_cell(const struct ply *p, const struct bands *bands, int row, int column,
                               const struct ply_bytes *bytes)
{
    const struct ply_cell *cell = &p->cell[row][column];

    if (cell->bytes == 0)
        return run_open(NULL, 0, 0);
    return run_open(bytes_at(bytes->data, cell->offset - p->cell[row][0].offset), cell->bytes,
                    bands->first[column]);
}

void ply_close(struct ply *p)
{
    char temporary[PLY_PATH_MAX + 8];

    if (p->fd >= 0)
        close(p->fd);
    if (p->writing) {
        temporary_name(p, temporary);
        unlink(temporary);
    }
    for (int r = 0; r < BANDS; r++)
        free(p->row[r]);
    free(p->cell);
    *p = (struct ply){.fd = -1};
}
