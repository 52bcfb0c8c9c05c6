/* SPDX-License-Identifier: MIT */
#include "db/swap.h"

#include "base/bytes.h"
#include "base/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

enum {
    PIECE = 1 << 20, /* bytes of the table */
    LEVEL = 1,
    VERSION = 1,
    HEAD = 40,
    ENTRY = 16,
};

static const char magic[8] = {'K', 'E', 'L', 'S', 'O', 'S', 'W', 'P'};

struct piece {
    uint64_t at; /* in the file */
    uint32_t length, check;
    uint8_t *memory; /* or here */
};

struct packed {
    enum raw_form form;
    uint64_t stored; /* bytes */
    uint64_t count;
    struct piece *piece; /* NULL: in a file whose head has not been read yet */
};

struct swap {
    char *dir; /* NULL: in memory */
    int lock;
    uint64_t memory, files;
    struct packed *at[KINDS][SLICE_CODES];
    uint64_t raw[KINDS][SLICE_CODES]; /* bytes of files that are or were mapped; 0: none */
};

static uint64_t raw_size(const struct raw *r)
{
    return r->layout.blocks * r->stride;
}

static char *file_name(const struct swap *s, enum kind kind, struct slice table, const char *end,
                       char path[SCRATCH_PATH_MAX])
{
    return scratch_path(path, s->dir, kind, table, end);
}

static void packed_free(struct packed *p)
{
    for (uint64_t i = 0; p && p->piece && i < p->count; i++)
        free(p->piece[i].memory);
    if (p)
        free(p->piece);
    free(p);
}

static struct packed *packed_create(const struct raw *r)
{
    struct packed *p = calloc(1, sizeof *p);

    if (!p)
        return NULL;
    p->form = r->form;
    p->count = (raw_size(r) + PIECE - 1) / PIECE;
    p->piece = calloc(p->count + 1, sizeof *p->piece);
    if (!p->piece) {
        packed_free(p);
        return NULL;
    }
    return p;
}

/* ------------------------------------------------------------------- head -- */

static uint64_t head_size(uint64_t pieces)
{
    return HEAD + ENTRY * pieces + 8;
}

/* The part of the head that comes before the list of pieces. */
static void head_make(uint8_t *head, enum kind kind, const struct raw *r, uint64_t pieces)
{
    struct slice s = r->layout.slice;
    const uint8_t side[4] = {s.kings, s.men, s.opp_kings, s.opp_men};

    memset(head, 0, HEAD);
    memcpy(head, magic, 8);
    bytes_put(head + 8, 4, VERSION);
    memcpy(head + 12, side, 4);
    head[16] = (uint8_t)kind;
    head[17] = (uint8_t)r->form;
    bytes_put(head + 24, 8, raw_size(r));
    bytes_put(head + 32, 8, pieces);
}

static enum status head_write(int fd, const char *path, enum kind kind, const struct raw *r,
                              const struct packed *p, struct error *e)
{
    uint64_t n = head_size(p->count);
    uint8_t *head = malloc(n);
    enum status rc;

    if (!head)
        return error_no_memory(e);
    head_make(head, kind, r, p->count);
    for (uint64_t i = 0; i < p->count; i++) {
        uint8_t *at = head + HEAD + ENTRY * i;

        bytes_put(at, 8, p->piece[i].at);
        bytes_put(at + 8, 4, p->piece[i].length);
        bytes_put(at + 12, 4, p->piece[i].check);
    }
    bytes_put(head + n - 8, 8, XXH3_64bits(head, n - 8));
    rc = file_write_at(fd, path, head, n, 0, e);
    free(head);
    return rc;
}

enum status swap_damaged(const char *path, struct error *e)
{
    return error_set(
        e, STATUS_DAMAGED,
        "%s: a checksum does not match; remove the file and run the same command to continue",
        path);
}

static enum status head_read(int fd, const char *path, enum kind kind, const struct raw *r,
                             struct packed *p, struct error *e)
{
    uint64_t n = head_size(p->count);
    uint8_t *head = malloc(n), expected[HEAD];
    enum status rc;

    if (!head)
        return error_no_memory(e);
    head_make(expected, kind, r, p->count);
    rc = file_read_at(fd, path, head, n, 0, e);
    if (!rc && (memcmp(head, expected, HEAD) != 0 ||
                bytes_get(head + n - 8, 8) != XXH3_64bits(head, n - 8)))
        rc = swap_damaged(path, e);
    for (uint64_t i = 0; i < p->count && !rc; i++) {
        const uint8_t *at = head + HEAD + ENTRY * i;

        p->piece[i] = (struct piece){.at = bytes_get(at, 8),
                                     .length = (uint32_t)bytes_get(at + 8, 4),
                                     .check = (uint32_t)bytes_get(at + 12, 4)};
        if (p->piece[i].length > ZSTD_compressBound(PIECE))
            rc = swap_damaged(path, e);
    }
    free(head);
    return rc;
}

/* ------------------------------------------------------------- open, close -- */

/* The form of the table in a packed file; RAW_FORMS if it cannot be read. */
static enum raw_form file_form(int dir, const char *name)
{
    int fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
    uint8_t head[HEAD];
    bool read = fd >= 0 && !file_read_at(fd, name, head, HEAD, 0, NULL);

    if (fd >= 0)
        close(fd);
    return read && head[17] < RAW_FORMS ? (enum raw_form)head[17] : RAW_FORMS;
}

static enum status file_found(struct swap *s, int dir, const char *name, struct error *e)
{
    struct packed *p;
    struct slice table;
    enum kind kind;

    if (scratch_parse(name, "packed-tmp", &table, &kind) ||
        scratch_parse(name, "parts.tmp", &table, &kind))
        unlinkat(dir, name, 0);
    if (scratch_parse(name, "raw", &table, &kind) || scratch_parse(name, "parts", &table, &kind))
        s->raw[kind][slice_code(table)] = 1; /* its size is counted when it is used */
    if (!scratch_parse(name, "packed", &table, &kind))
        return STATUS_OK;
    p = s->at[kind][slice_code(table)] = calloc(1, sizeof *p);
    if (!p)
        return error_no_memory(e);
    p->form = file_form(dir, name);
    return STATUS_OK;
}

static enum status files_find(struct swap *s, struct error *e)
{
    DIR *d = opendir(s->dir);
    struct dirent *entry;
    enum status rc = STATUS_OK;

    if (!d)
        return file_error(s->dir, e);
    while (!rc && (entry = readdir(d)))
        rc = file_found(s, dirfd(d), entry->d_name, e);
    closedir(d);
    return rc;
}

enum status swap_open(struct swap **out, const char *dir, struct error *e)
{
    struct swap *s = calloc(1, sizeof *s);
    enum status rc = STATUS_OK;

    *out = NULL;
    if (!s)
        return error_no_memory(e);
    s->lock = -1;
    if (dir && !(s->dir = strdup(dir)))
        rc = error_no_memory(e);
    if (!rc && dir)
        rc = directory_make(dir, e);
    if (!rc && dir)
        rc = directory_lock(dir, &s->lock, e);
    if (!rc && dir)
        rc = files_find(s, e);
    if (rc)
        swap_close(&s);
    *out = s;
    return rc;
}

void swap_close(struct swap **s)
{
    if (!*s)
        return;
    for (int k = 0; k < KINDS; k++)
        for (int i = 0; i < SLICE_CODES; i++)
            packed_free((*s)->at[k][i]);
    if ((*s)->lock >= 0)
        close((*s)->lock);
    free((*s)->dir);
    free(*s);
    *s = NULL;
}

bool swap_has(const struct swap *s, enum kind kind, struct slice table)
{
    return s->at[kind][slice_code(table)] != NULL;
}

bool swap_fits(const struct swap *s, enum kind kind, struct slice table, enum raw_form form)
{
    return swap_has(s, kind, table) && s->at[kind][slice_code(table)]->form == form;
}

static void packed_drop(struct swap *s, enum kind kind, struct slice table)
{
    struct packed *p = s->at[kind][slice_code(table)];
    char path[SCRATCH_PATH_MAX];

    if (!p)
        return;
    if (s->dir)
        unlink(file_name(s, kind, table, "packed", path));
    *(s->dir ? &s->files : &s->memory) -= p->stored;
    packed_free(p);
    s->at[kind][slice_code(table)] = NULL;
}

void swap_drop(struct swap *s, enum kind kind, struct slice table)
{
    char path[SCRATCH_PATH_MAX];

    if (s->raw[kind][slice_code(table)]) {
        unlink(file_name(s, kind, table, "raw", path));
        unlink(file_name(s, kind, table, "parts", path));
        s->files -= s->raw[kind][slice_code(table)] > 1 ? s->raw[kind][slice_code(table)] : 0;
        s->raw[kind][slice_code(table)] = 0;
    }
    packed_drop(s, kind, table);
}

uint64_t swap_memory(const struct swap *s)
{
    return s->memory;
}

uint64_t swap_files(const struct swap *s)
{
    return s->files;
}

/* ------------------------------------------------------------------ mapped -- */

bool swap_on_disk(const struct swap *s)
{
    return s->dir != NULL;
}

char *swap_journal(const struct swap *s, enum kind kind, struct slice table,
                   char path[SCRATCH_PATH_MAX])
{
    return file_name(s, kind, table, "parts", path);
}

/* Allocate every block of the file: a store into the mapping must not fail later. */
static enum status file_fill(int fd, const char *path, uint64_t bytes, struct error *e)
{
    int rc = ftruncate(fd, 0) != 0 ? errno : EINTR;

    while (rc == EINTR) /* in memory, a signal breaks it off and nothing is kept */
        rc = posix_fallocate(fd, 0, (off_t)bytes);
    if (rc == 0)
        return STATUS_OK;
    errno = rc;
    file_error(path, e);
    unlink(path);
    return STATUS_IO;
}

enum status swap_map(struct swap *s, enum kind kind, struct raw *r, bool keep, bool *kept,
                     struct error *e)
{
    uint64_t *size = &s->raw[kind][slice_code(r->layout.slice)];
    char path[SCRATCH_PATH_MAX];
    enum status rc = STATUS_OK;
    struct stat st;
    int fd;

    file_name(s, kind, r->layout.slice, "raw", path);
    fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0 || fstat(fd, &st) != 0) {
        rc = file_error(path, e);
    } else {
        *size = *size ? *size : 1; /* there is a file to drop, whatever happens now */
        *kept = keep && (uint64_t)st.st_size == r->bytes;
        if (!*kept)
            rc = file_fill(fd, path, r->bytes, e);
    }
    if (!rc && mmap(r->data, r->bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) ==
                   MAP_FAILED) {
        rc = file_error(path, e);
        r->data = NULL; /* the addresses are lost, as in big_move */
    }
    if (fd >= 0)
        close(fd);
    if (rc)
        return rc;
    s->files += r->bytes - (*size > 1 ? *size : 0);
    *size = r->bytes;
    return STATUS_OK;
}

/* ------------------------------------------------------------ pack, unpack -- */

/* A table being packed or unpacked. */
struct transfer {
    struct crew *crew;
    struct packed *packed;
    uint8_t *data;
    uint64_t bytes;
    int fd; /* -1: in memory */
    const char *path;
    _Atomic uint64_t next, end; /* the next piece; the end of the file */
    struct error error[CREW_MAX];
};

static uint64_t piece_size(const struct transfer *m, uint64_t i)
{
    return m->bytes - i * PIECE < PIECE ? m->bytes - i * PIECE : PIECE;
}

static enum status piece_pack(struct transfer *m, ZSTD_CCtx *z, uint8_t *buffer, uint64_t i,
                              struct error *e)
{
    struct piece *p = &m->packed->piece[i];
    size_t n = ZSTD_compressCCtx(z, buffer, ZSTD_compressBound(PIECE), m->data + i * PIECE,
                                 piece_size(m, i), LEVEL);

    if (ZSTD_isError(n))
        return error_set(e, STATUS_NO_MEMORY, "zstd: %s", ZSTD_getErrorName(n));
    p->length = (uint32_t)n;
    p->check = (uint32_t)XXH3_64bits(buffer, n);
    p->at = atomic_fetch_add(&m->end, n);
    if (m->fd >= 0)
        return file_write_at(m->fd, m->path, buffer, n, p->at, e);
    p->memory = malloc(n);
    if (!p->memory)
        return error_no_memory(e);
    memcpy(p->memory, buffer, n);
    return STATUS_OK;
}

static enum status piece_unpack(struct transfer *m, ZSTD_DCtx *z, uint8_t *buffer, uint64_t i,
                                struct error *e)
{
    const struct piece *p = &m->packed->piece[i];
    const uint8_t *from = p->memory ? p->memory : buffer;
    enum status rc = STATUS_OK;
    size_t n;

    if (!p->memory)
        rc = file_read_at(m->fd, m->path, buffer, p->length, p->at, e);
    if (rc)
        return rc;
    if ((uint32_t)XXH3_64bits(from, p->length) != p->check)
        return swap_damaged(m->path, e);
    n = ZSTD_decompressDCtx(z, m->data + i * PIECE, piece_size(m, i), from, p->length);
    return n == piece_size(m, i) ? STATUS_OK : swap_damaged(m->path, e);
}

static void pack_job(void *arg, int id)
{
    struct transfer *m = arg;
    uint8_t *buffer = malloc(ZSTD_compressBound(PIECE));
    ZSTD_CCtx *z = ZSTD_createCCtx();

    if (!buffer || !z)
        error_no_memory(&m->error[id]);
    for (uint64_t i; !m->error[id].status && !crew_stopped(m->crew) &&
                     (i = atomic_fetch_add(&m->next, 1)) < m->packed->count;)
        piece_pack(m, z, buffer, i, &m->error[id]);
    ZSTD_freeCCtx(z);
    free(buffer);
}

static void unpack_job(void *arg, int id)
{
    struct transfer *m = arg;
    uint8_t *buffer = malloc(ZSTD_compressBound(PIECE));
    ZSTD_DCtx *z = ZSTD_createDCtx();

    if (!buffer || !z)
        error_no_memory(&m->error[id]);
    for (uint64_t i; !m->error[id].status && !crew_stopped(m->crew) &&
                     (i = atomic_fetch_add(&m->next, 1)) < m->packed->count;)
        piece_unpack(m, z, buffer, i, &m->error[id]);
    ZSTD_freeDCtx(z);
    free(buffer);
}

static enum status transfer_run(struct transfer *m, crew_job *job, struct error *e)
{
    crew_run(m->crew, job, m);
    for (int i = 0; i < m->crew->threads; i++)
        if (m->error[i].status)
            return error_pass(e, &m->error[i]);
    return crew_stopped(m->crew) ? error_set(e, STATUS_INTERRUPTED, "interrupted") : STATUS_OK;
}

static enum status file_put(struct swap *s, struct transfer *m, enum kind kind, const struct raw *r,
                            struct error *e)
{
    char temporary[SCRATCH_PATH_MAX], path[SCRATCH_PATH_MAX];
    enum status rc;

    m->path = file_name(s, kind, r->layout.slice, "packed-tmp", temporary);
    m->fd = open(temporary, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (m->fd < 0)
        return file_error(temporary, e);
    m->end = head_size(m->packed->count);
    rc = transfer_run(m, pack_job, e);
    if (!rc)
        rc = head_write(m->fd, temporary, kind, r, m->packed, e);
    if (rc)
        unlink(temporary);
    else
        rc = file_publish(m->fd, temporary, file_name(s, kind, r->layout.slice, "packed", path), e);
    close(m->fd);
    return rc;
}

enum status swap_out(struct swap *s, struct crew *crew, enum kind kind, const struct raw *r,
                     struct error *e)
{
    struct transfer m = {.crew = crew, .data = r->data, .bytes = raw_size(r), .fd = -1};
    enum status rc;

    if (swap_fits(s, kind, r->layout.slice, r->form))
        return STATUS_OK;
    packed_drop(s, kind, r->layout.slice);
    m.packed = packed_create(r);
    if (!m.packed)
        return error_no_memory(e);
    rc = s->dir ? file_put(s, &m, kind, r, e) : transfer_run(&m, pack_job, e);
    if (rc) {
        packed_free(m.packed);
        return rc;
    }
    m.packed->stored = m.end;
    *(s->dir ? &s->files : &s->memory) += m.end;
    s->at[kind][slice_code(r->layout.slice)] = m.packed;
    return STATUS_OK;
}

/* Read the list of pieces of a file that an earlier builder left. */
static enum status packed_know(struct packed *p, int fd, const char *path, enum kind kind,
                               const struct raw *r, struct error *e)
{
    struct packed *known = p->piece ? NULL : packed_create(r);
    enum status rc;

    if (p->piece)
        return STATUS_OK;
    if (!known)
        return error_no_memory(e);
    rc = head_read(fd, path, kind, r, known, e);
    if (rc) {
        packed_free(known);
        return rc;
    }
    *p = *known;
    free(known);
    return STATUS_OK;
}

enum status swap_in(struct swap *s, struct crew *crew, enum kind kind, struct raw *r,
                    struct error *e)
{
    struct packed *p = s->at[kind][slice_code(r->layout.slice)];
    struct transfer m = {
        .crew = crew, .packed = p, .data = r->data, .bytes = raw_size(r), .fd = -1};
    char path[SCRATCH_PATH_MAX] = "a table in memory";
    enum status rc = STATUS_OK;

    m.path = path;
    if (s->dir) {
        file_name(s, kind, r->layout.slice, "packed", path);
        m.fd = open(path, O_RDONLY | O_CLOEXEC);
        if (m.fd < 0)
            return file_error(path, e);
        rc = packed_know(p, m.fd, path, kind, r, e);
    }
    if (!rc)
        rc = transfer_run(&m, unpack_job, e);
    if (m.fd >= 0)
        close(m.fd);
    return rc;
}
