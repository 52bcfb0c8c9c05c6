/* SPDX-License-Identifier: MIT */
#include "db/derived.h"
#include "base/bytes.h"
#include "base/files.h"

#include <assert.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

void derived_encode(const struct derived_kind *k, const struct table *t,
                    const struct derived_places *p, uint64_t body, uint8_t out[DERIVED_HEADER])
{
    struct slice s = table_slice(t);

    memset(out, 0, DERIVED_HEADER);
    memcpy(out, k->magic, 8);
    bytes_put(out + 8, 2, (uint64_t)k->version);
    bytes_put(out + 10, 1, slice_symmetric(s) ? 1 : 2);
    bytes_put(out + 12, 1, s.kings);
    bytes_put(out + 13, 1, s.men);
    bytes_put(out + 14, 1, s.opp_kings);
    bytes_put(out + 15, 1, s.opp_men);
    bytes_put(out + 16, 8, table_digest(t));
    bytes_put(out + 24, 8, p->count[0]);
    bytes_put(out + 32, 8, p->count[1]);
    bytes_put(out + 40, 8, p->first);
    bytes_put(out + 48, 8, p->size);
    bytes_put(out + DERIVED_BODY_SUM, 8, body);
    bytes_put(out + DERIVED_SUM, 8, XXH3_64bits(out, DERIVED_SUM));
}

/* Is `head` the header of such a file, of this version, made from this table? */
static enum status header_check(const struct derived_kind *k, const struct table *t,
                                const struct derived_places *p, const char *path,
                                const uint8_t head[DERIVED_HEADER], struct error *e)
{
    uint64_t version = bytes_get(head + 8, 2);
    uint8_t expected[DERIVED_HEADER];

    if (memcmp(head, k->magic, 8) != 0)
        return error_set(e, STATUS_FORMAT, "%s: not %s: %s", path, k->what, k->remedy);
    if (bytes_get(head + DERIVED_SUM, 8) != XXH3_64bits(head, DERIVED_SUM))
        return error_set(e, STATUS_DAMAGED, "%s: the checksum of the header does not match: %s",
                         path, k->remedy);
    if (version != (uint64_t)k->version)
        return error_set(e, STATUS_MISMATCH, "%s: version %" PRIu64 ", expected %d", path, version,
                         k->version);
    if (bytes_get(head + 16, 8) != table_digest(t))
        return error_set(e, STATUS_MISMATCH,
                         "%s: made from another table: expected digest %016" PRIx64
                         ", found %016" PRIx64,
                         path, table_digest(t), bytes_get(head + 16, 8));
    derived_encode(k, t, p, bytes_get(head + DERIVED_BODY_SUM, 8), expected);
    if (memcmp(head, expected, DERIVED_HEADER) != 0)
        return error_set(e, STATUS_FORMAT, "%s: the header does not fit its table: %s", path,
                         k->remedy);
    return STATUS_OK;
}

enum status derived_head_read(const struct derived_kind *k, const struct table *t,
                              const struct derived_places *places, int fd, uint64_t size,
                              const char *path, uint8_t **head, struct error *e)
{
    struct derived_places p = *places;
    enum status rc = file_load(fd, path, 0, DERIVED_HEADER, head, e);

    if (!rc && !p.size)
        p.size = bytes_get(*head + 48, 8);
    if (rc || (rc = header_check(k, t, &p, path, *head, e))) /* it says if the rest can be used */
        return rc;
    if (size != p.size)
        return error_set(e, STATUS_DAMAGED, "%s: %" PRIu64 " bytes, expected %" PRIu64 ": %s", path,
                         size, p.size, k->remedy);
    free(*head);
    if ((rc = file_load(fd, path, 0, p.first, head, e)) ||
        (rc = header_check(k, t, &p, path, *head, e))) /* it may have changed meanwhile */
        return rc;
    if (XXH3_64bits(*head + DERIVED_HEADER, p.first - DERIVED_HEADER) !=
        bytes_get(*head + DERIVED_BODY_SUM, 8))
        return error_set(e, STATUS_DAMAGED, "%s: offset %d: the checksum of %s does not match: %s",
                         path, DERIVED_HEADER, k->head, k->remedy);
    return STATUS_OK;
}

char *derived_path(char *buf, size_t size, const char *dir, struct slice s, const char *end)
{
    char name[SLICE_NAME_MAX];

    snprintf(buf, size, "%s/%s.%s", dir, slice_name(slice_canonical(s), name), end);
    return buf;
}

enum status derived_create(struct derived_file *f, const char *dir, struct slice s, const char *end,
                           uint64_t first, struct error *e)
{
    char temporary[16];

    assert(first >= DERIVED_HEADER);
    snprintf(temporary, sizeof temporary, "%s.tmp", end);
    derived_path(f->path, sizeof f->path, dir, s, end);
    derived_path(f->temporary, sizeof f->temporary, dir, s, temporary);
    f->fd = -1;
    f->first = first;
    if (!(f->head = calloc(1, first)))
        return error_set(e, STATUS_NO_MEMORY, "%s: not enough memory", f->path);
    f->fd = open(f->temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    return f->fd < 0 ? file_error(f->temporary, e) : STATUS_OK;
}

uint64_t derived_body_sum(const struct derived_file *f)
{
    return XXH3_64bits(f->head + DERIVED_HEADER, f->first - DERIVED_HEADER);
}

enum status derived_publish(struct derived_file *f, struct error *e)
{
    enum status rc = file_write_at(f->fd, f->temporary, f->head, f->first, 0, e);

    return rc ? rc : file_publish(f->fd, f->temporary, f->path, e);
}

void derived_close(struct derived_file *f, enum status rc)
{
    if (f->fd >= 0)
        close(f->fd);
    if (rc)
        unlink(f->temporary);
    free(f->head);
}
