/* SPDX-License-Identifier: MIT */
#include "games/spill.h"

#include "base/array.h"
#include "base/files.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

static void row_name(const struct spill *s, int row, char out[PLY_PATH_MAX])
{
    snprintf(out, PLY_PATH_MAX, "%s/spill-%03d.tmp", s->dir, row);
}

static void row_clear(struct spill *s, int row)
{
    struct spill_row *r = &s->row[row];
    char path[PLY_PATH_MAX];

    if (r->fd >= 0) {
        row_name(s, row, path);
        close(r->fd);
        unlink(path);
    }
    free(r->run);
    free(r->data);
    *r = (struct spill_row){.fd = -1};
}

void spill_open(struct spill *s, const char *dir)
{
    char path[PLY_PATH_MAX];

    *s = (struct spill){.dir = dir};
    pthread_mutex_init(&s->lock, NULL);
    for (int row = 0; row < BANDS; row++) {
        s->row[row].fd = -1;
        if (dir) {
            row_name(s, row, path);
            unlink(path);
        }
    }
}

void spill_close(struct spill *s)
{
    for (int row = 0; row < BANDS; row++)
        row_clear(s, row);
    pthread_mutex_destroy(&s->lock);
}

/* --------------------------------------------------------------------- put -- */

static bool row_reserve(struct spill_row *r, size_t more, bool in_memory)
{
    return array_room((void **)&r->run, &r->run_room, r->runs + 1, sizeof *r->run) &&
           (!in_memory || array_room((void **)&r->data, &r->data_room, r->bytes + more, 1));
}

static enum status row_store(struct spill *s, int row, const struct run_writer *run,
                             struct error *e)
{
    struct spill_row *r = &s->row[row];
    char path[PLY_PATH_MAX];

    if (!s->dir) {
        memcpy(r->data + r->bytes, run->data, run->size);
        return STATUS_OK;
    }
    row_name(s, row, path);
    if (r->fd < 0)
        r->fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (r->fd < 0)
        return file_error(path, e);
    return file_write_at(r->fd, path, run->data, run->size, r->bytes, e);
}

enum status spill_put(struct spill *s, int row, const struct run_writer *run, struct error *e)
{
    struct spill_row *r = &s->row[row];
    uint64_t sum = XXH3_64bits(run->data, run->size);
    enum status status;

    pthread_mutex_lock(&s->lock);
    if (!row_reserve(r, run->size, !s->dir))
        status = error_no_memory(e);
    else
        status = row_store(s, row, run, e);
    if (status == STATUS_OK) {
        r->run[r->runs++] = (struct spill_run){.offset = r->bytes, .sum = sum, .size = run->size};
        r->bytes += run->size;
        s->bytes += run->size;
        if (s->bytes > s->peak)
            s->peak = s->bytes;
    }
    pthread_mutex_unlock(&s->lock);
    return status;
}

/* -------------------------------------------------------------------- take -- */

static enum status row_load(struct spill *s, int row, struct ply_bytes *out, struct error *e)
{
    struct spill_row *r = &s->row[row];
    char path[PLY_PATH_MAX];

    if (!s->dir) {
        free(out->own);
        *out = (struct ply_bytes){r->data, r->bytes, r->data, r->data_room};
        r->data = NULL;
        return STATUS_OK;
    }
    row_name(s, row, path);
    if (out->capacity < r->bytes) {
        free(out->own);
        out->capacity = r->bytes;
        out->own = malloc(r->bytes);
    }
    out->data = out->own;
    out->size = r->bytes;
    if (!out->own) {
        out->capacity = 0;
        return error_no_memory(e);
    }
    return file_read_at(r->fd, path, out->own, r->bytes, 0, e);
}

static enum status row_check(const struct spill *s, int row, const struct ply_bytes *bytes,
                             struct error *e)
{
    const struct spill_row *r = &s->row[row];
    char path[PLY_PATH_MAX];

    for (size_t i = 0; i < r->runs; i++)
        if (XXH3_64bits(bytes_at(bytes->data, r->run[i].offset), r->run[i].size) != r->run[i].sum) {
            row_name(s, row, path);
            return error_set(e, STATUS_DAMAGED, "%s: damaged while it was in use", path);
        }
    return STATUS_OK;
}

enum status spill_take(struct spill *s, int row, struct ply_bytes *out, struct spill_run **runs,
                       size_t *count, struct error *e)
{
    struct spill_row *r = &s->row[row];
    enum status status = STATUS_OK;

    *runs = NULL;
    *count = 0;
    if (r->runs == 0)
        return STATUS_OK;
    status = row_load(s, row, out, e);
    if (status == STATUS_OK && s->dir)
        status = row_check(s, row, out, e);
    if (status == STATUS_OK) {
        *runs = r->run;
        *count = r->runs;
        r->run = NULL;
    }
    pthread_mutex_lock(&s->lock);
    s->bytes -= r->bytes;
    pthread_mutex_unlock(&s->lock);
    row_clear(s, row);
    return status;
}
