/* SPDX-License-Identifier: MIT */
#include "db/part_log.h"

#include "base/array.h"
#include "base/bytes.h"
#include "base/files.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

enum { VERSION = 1, HEAD = 32, RECORD = 24, LEVEL = 1 };

static const char magic[8] = {'K', 'E', 'L', 'S', 'O', 'L', 'O', 'G'};

struct part_log {
    int fd;
    char *path;
    uint8_t head[HEAD];
    uint64_t at;  /* the next record to read */
    uint64_t end; /* of what counts: where the next record is written */
    uint8_t *packed, *values;
    size_t packed_room, values_room;
};

struct log_record {
    uint64_t size, stored, check;
};

static uint64_t stored_check(uint64_t size, const uint8_t *stored, size_t n)
{
    return XXH3_64bits_withSeed(stored, n, size);
}

/* The record at `at`, its stored bytes in l->packed; false if it is not whole. */
static bool record_read(struct part_log *l, uint64_t at, uint64_t length, struct log_record *r)
{
    uint8_t head[RECORD];
    void *packed = l->packed;

    if (length - at < RECORD || file_read_at(l->fd, l->path, head, RECORD, at, NULL))
        return false;
    *r = (struct log_record){bytes_get(head, 8), bytes_get(head + 8, 8), bytes_get(head + 16, 8)};
    if (r->stored > length - at - RECORD || !array_room(&packed, &l->packed_room, r->stored + 1, 1))
        return false;
    l->packed = packed;
    return !file_read_at(l->fd, l->path, l->packed, r->stored, at + RECORD, NULL) &&
           stored_check(r->size, l->packed, r->stored) == r->check;
}

/* Where so many parts end, and how many there are. */
static uint64_t parts_find(struct part_log *l, uint32_t most, uint32_t *found)
{
    struct stat st;
    struct log_record r;
    uint64_t end = HEAD, length = fstat(l->fd, &st) == 0 ? (uint64_t)st.st_size : 0;

    *found = 0;
    for (uint64_t at = HEAD; *found < most && record_read(l, at, length, &r);) {
        at += RECORD + r.stored;
        if (r.size == 0) {
            ++*found;
            end = at;
        }
    }
    return end;
}

static void head_make(struct part_log *l, const struct part_log_name *name)
{
    struct slice s = name->slice;
    const uint8_t side[4] = {s.kings, s.men, s.opp_kings, s.opp_men};

    memcpy(l->head, magic, 8);
    bytes_put(l->head + 8, 4, VERSION);
    memcpy(l->head + 12, side, 4);
    bytes_put(l->head + 16, 2, name->kind);
    bytes_put(l->head + 18, 2, name->form);
    bytes_put(l->head + 20, 4, (uint64_t)name->rank);
    bytes_put(l->head + 24, 4, (uint64_t)name->ranks);
}

enum status part_log_open(struct part_log **out, const char *path, const struct part_log_name *name,
                          uint32_t *parts, uint32_t *done, struct error *e)
{
    struct part_log *l = *out = calloc(1, sizeof *l);
    uint8_t head[HEAD];

    *done = 0;
    if (l)
        l->fd = -1;
    if (!l || !(l->path = strdup(path))) {
        part_log_close(out);
        return error_no_memory(e);
    }
    head_make(l, name);
    l->fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (l->fd < 0) {
        part_log_close(out);
        return file_error(path, e);
    }
    l->at = l->end = HEAD;
    if (file_read_at(l->fd, path, head, HEAD, 0, NULL) || memcmp(head, l->head, 28) != 0)
        return STATUS_OK;
    l->end = parts_find(l, UINT32_MAX, done);
    if (*done)
        *parts = (uint32_t)bytes_get(head + 28, 4);
    return STATUS_OK;
}

void part_log_close(struct part_log **l)
{
    if (!*l)
        return;
    if ((*l)->fd >= 0)
        close((*l)->fd);
    free((*l)->path);
    free((*l)->packed);
    free((*l)->values);
    free(*l);
    *l = NULL;
}

enum status part_log_cut(struct part_log *l, uint32_t parts, uint32_t done, struct error *e)
{
    uint32_t found;
    enum status rc;

    bytes_put(l->head + 28, 4, parts);
    l->end = parts_find(l, done, &found);
    if (ftruncate(l->fd, (off_t)l->end) != 0)
        return file_error(l->path, e);
    rc = file_write_at(l->fd, l->path, l->head, HEAD, 0, e);
    return rc ? rc : file_sync_name(l->path, e); /* (W2): the file may be new */
}

enum status part_log_next(struct part_log *l, const uint8_t **bytes, size_t *n, struct error *e)
{
    struct log_record r = {0};
    void *values = l->values;

    *n = 0;
    while (l->at < l->end && !r.size) {
        if (!record_read(l, l->at, l->end, &r))
            return error_set(e, STATUS_DAMAGED, "%s: a checksum does not match", l->path);
        l->at += RECORD + r.stored;
    }
    if (!r.size)
        return STATUS_OK;
    if (!array_room(&values, &l->values_room, r.size, 1))
        return error_no_memory(e);
    l->values = values;
    if (ZSTD_decompress(l->values, r.size, l->packed, r.stored) != r.size)
        return error_set(e, STATUS_DAMAGED, "%s: values cannot be unpacked", l->path);
    *bytes = l->values;
    *n = r.size;
    return STATUS_OK;
}

static enum status record_write(struct part_log *l, uint64_t size, uint64_t stored, struct error *e)
{
    uint8_t head[RECORD];
    enum status rc;

    bytes_put(head, 8, size);
    bytes_put(head + 8, 8, stored);
    bytes_put(head + 16, 8, stored_check(size, l->packed, stored));
    rc = file_write_at(l->fd, l->path, l->packed, stored, l->end + RECORD, e);
    if (!rc)
        rc = file_write_at(l->fd, l->path, head, RECORD, l->end, e);
    l->end += RECORD + stored;
    return rc;
}

enum status part_log_add(struct part_log *l, const uint8_t *bytes, size_t n, struct error *e)
{
    void *packed = l->packed;
    size_t stored;

    if (!array_room(&packed, &l->packed_room, ZSTD_compressBound(n), 1))
        return error_no_memory(e);
    l->packed = packed;
    stored = ZSTD_compress(l->packed, l->packed_room, bytes, n, LEVEL);
    if (ZSTD_isError(stored))
        return error_set(e, STATUS_NO_MEMORY, "zstd: %s", ZSTD_getErrorName(stored));
    return record_write(l, n, stored, e);
}

enum status part_log_end(struct part_log *l, struct error *e)
{
    enum status rc = record_write(l, 0, 0, e);

    if (!rc && fsync(l->fd) != 0)
        rc = file_error(l->path, e);
    return rc;
}
