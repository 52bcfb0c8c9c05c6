/* SPDX-License-Identifier: MIT */
#include "tune/samples.h"

#include "base/array.h"
#include "base/bytes.h"
#include "base/files.h"
#include "core/position.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

static const char magic[8] = {'k', 'e', 'l', 's', 'o', 'S', 'A', '1'};
static const char suffix[] = ".samples";

enum { FRAME_BYTES = sizeof magic + 8, PATH_SIZE = 4096 };

bool samples_add(struct samples *s, const struct sample *one)
{
    if (!array_room((void **)&s->list, &s->room, s->count + 1, sizeof *s->list))
        return false;
    s->list[s->count++] = *one;
    return true;
}

void samples_free(struct samples *s)
{
    free(s->list);
    *s = (struct samples){0};
}

/* ------------------------------------------------------------------------- records -- */

static void sample_encode(const struct sample *s, uint8_t out[SAMPLE_BYTES])
{
    placement_put(out, placement_of(&s->board));
    out[12] = (uint8_t)s->board.turn;
    out[13] = s->result;
    out[14] = s->value;
    out[15] = 0;
    bytes_put(out + 16, 2, (uint16_t)s->score);
}

static bool sample_decode(const uint8_t in[SAMPLE_BYTES], struct sample *s)
{
    *s = (struct sample){.board = placement_board(placement_get(in), in[12] ? WHITE : BLACK),
                         .result = in[13],
                         .value = in[14],
                         .score = (int16_t)bytes_get(in + 16, 2)};
    return in[12] <= 1 && s->result <= SAMPLE_UNKNOWN && s->value <= SAMPLE_UNKNOWN &&
           board_valid(&s->board);
}

/* --------------------------------------------------------------------------- files -- */

enum status samples_write(const struct samples *s, const char *path, struct error *e)
{
    size_t size = FRAME_BYTES + s->count * SAMPLE_BYTES;
    uint8_t *bytes = malloc(size);
    enum status rc;

    if (!bytes)
        return error_no_memory(e);
    memcpy(bytes, magic, sizeof magic);
    for (size_t i = 0; i < s->count; i++)
        sample_encode(&s->list[i], bytes + sizeof magic + i * SAMPLE_BYTES);
    bytes_put(bytes + size - 8, 8, XXH3_64bits(bytes, size - 8));
    rc = file_replace(path, bytes, size, e);
    free(bytes);
    return rc;
}

static enum status decode(struct samples *s, const char *path, const uint8_t *bytes, size_t size,
                          struct error *e)
{
    size_t count = (size - FRAME_BYTES) / SAMPLE_BYTES;

    if (memcmp(bytes, magic, sizeof magic) != 0)
        return error_set(e, STATUS_FORMAT, "%s: not a file of samples", path);
    if (size != FRAME_BYTES + count * SAMPLE_BYTES)
        return error_set(e, STATUS_DAMAGED, "%s: %zu bytes are not a whole number of records", path,
                         size);
    if (bytes_get(bytes + size - 8, 8) != XXH3_64bits(bytes, size - 8))
        return error_set(e, STATUS_DAMAGED, "%s: the checksum is wrong", path);
    for (size_t i = 0; i < count; i++) {
        size_t offset = sizeof magic + i * SAMPLE_BYTES;
        struct sample one;

        if (!sample_decode(bytes + offset, &one))
            return error_set(e, STATUS_DAMAGED, "%s: offset %zu: not a position", path, offset);
        if (!samples_add(s, &one))
            return error_no_memory(e);
    }
    return STATUS_OK;
}

static enum status read_file(struct samples *s, const char *path, struct error *e)
{
    int fd;
    uint64_t size;
    uint8_t *bytes;
    enum status rc = file_open(path, "a file of samples", FRAME_BYTES, &fd, &size, e);

    if (rc)
        return rc;
    if (!(rc = file_load(fd, path, 0, size, &bytes, e)))
        rc = decode(s, path, bytes, size, e);
    free(bytes);
    close(fd);
    return rc;
}

static int is_samples(const struct dirent *d)
{
    size_t n = strlen(d->d_name), k = strlen(suffix);

    return n > k && strcmp(d->d_name + n - k, suffix) == 0;
}

static enum status read_directory(struct samples *s, const char *dir, struct error *e)
{
    struct dirent **names;
    int n = scandir(dir, &names, is_samples, alphasort);
    enum status rc = n < 0 ? file_error(dir, e) : STATUS_OK;

    for (int i = 0; i < n; i++) {
        char path[PATH_SIZE];

        if (!rc && snprintf(path, sizeof path, "%s/%s", dir, names[i]->d_name) >= PATH_SIZE)
            rc = error_set(e, STATUS_IO, "%s: the name is too long", dir);
        if (!rc)
            rc = read_file(s, path, e);
        free(names[i]);
    }
    if (n >= 0)
        free(names);
    return rc;
}

enum status samples_read(struct samples *s, const char *path, struct error *e)
{
    struct stat st;

    if (stat(path, &st))
        return file_open_error(path, e);
    return S_ISDIR(st.st_mode) ? read_directory(s, path, e) : read_file(s, path, e);
}

enum status samples_value(struct samples *s, const struct tables *t, struct error *e)
{
    for (size_t i = 0; i < s->count; i++) {
        struct sample *one = &s->list[i];
        enum value v;
        enum status rc;

        if (one->value != SAMPLE_UNKNOWN || !tables_has(t, &one->board))
            continue;
        if ((rc = tables_value(t, &one->board, &v, e)) == STATUS_OK)
            one->value = (uint8_t)v;
        else if (rc != STATUS_MISSING)
            return rc;
    }
    return STATUS_OK;
}
