/* SPDX-License-Identifier: MIT
 *
 * The library on tables that something has happened to: one file of a good directory is
 * cut, changed, exchanged, emptied or replaced by a directory, and positions are asked
 * about.  Each answer is the one of the good tables, or a status whose words name the
 * file (K1).
 *
 * The good tables are in $KELSO_FUZZ_TABLES or build/fuzz-tables, as scripts/fuzz makes
 * them.  The input: which file (1), what happens to it (1), where (4), with what (4), then
 * positions: slice (1), number (3), kind (1). */
#include "fuzz.h"

#include "base/bytes.h"
#include "db/slice.h"
#include "kelso.h"

#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILES_MAX = 256, NAME_MAX_BYTES = 64, PATH_BYTES = 400, HEAD = 10, QUESTION = 5 };

struct file {
    char name[NAME_MAX_BYTES];
    uint8_t *bytes;
    size_t size;
};

struct world {
    char good[PATH_BYTES], work[PATH_BYTES];
    kelso_tables *truth;
    int files;
    struct file file[FILES_MAX];
    int slices;
    struct slice slice[SLICE_CODES];
    struct layout layout[16];
};

/* ------------------------------------------------------------------- the world -- */

static void path_join(char out[2 * PATH_BYTES], const char *dir, const char *name)
{
    snprintf(out, 2 * PATH_BYTES, "%s/%s", dir, name);
}

/* A table, a flat or a quick file. */
static bool is_table(const char *name)
{
    const char *dot = strrchr(name, '.');

    return dot && strlen(name) < NAME_MAX_BYTES &&
           (!strcmp(dot, ".wld") || !strcmp(dot, ".dtc") || !strcmp(dot, ".dtw") ||
            !strcmp(dot, ".flat") || !strcmp(dot, ".quick"));
}

static void file_load(struct file *f, const char *dir, const char *name)
{
    char path[2 * PATH_BYTES];
    FILE *in;
    long size;

    path_join(path, dir, name);
    MUST((in = fopen(path, "rb")));
    MUST(fseek(in, 0, SEEK_END) == 0 && (size = ftell(in)) > 0);
    rewind(in);
    strcpy(f->name, name);
    f->size = (size_t)size;
    MUST((f->bytes = malloc(f->size)));
    MUST(fread(f->bytes, 1, f->size, in) == f->size);
    fclose(in);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct file *)a)->name, ((const struct file *)b)->name);
}

static void file_link(const struct world *w, const struct file *f)
{
    char from[2 * PATH_BYTES], to[2 * PATH_BYTES];

    path_join(from, w->good, f->name);
    path_join(to, w->work, f->name);
    MUST(symlink(from, to) == 0);
}

static struct world world; /* made once, by the one thread there is */

static void world_close(void)
{
    char path[2 * PATH_BYTES];

    for (int i = 0; i < world.files; i++) {
        path_join(path, world.work, world.file[i].name);
        unlink(path);
        free(world.file[i].bytes);
    }
    rmdir(world.work);
    kelso_close(&world.truth);
    for (int i = 0; i < world.slices; i++)
        layout_free(&world.layout[i]);
}

static void world_open(struct world *w)
{
    const char *good = getenv("KELSO_FUZZ_TABLES");
    struct dirent *entry;
    kelso_error e;
    DIR *dir;

    if (!realpath(good ? good : "build/fuzz-tables", w->good) || !(dir = opendir(w->good))) {
        fprintf(stderr, "no tables to begin with: run scripts/fuzz\n");
        exit(1);
    }
    while ((entry = readdir(dir)) && w->files < FILES_MAX)
        if (is_table(entry->d_name))
            file_load(&w->file[w->files++], w->good, entry->d_name);
    closedir(dir);
    MUST(w->files > 0);
    qsort(w->file, (size_t)w->files, sizeof *w->file, by_name);
    snprintf(w->work, sizeof w->work, "%s/kelso-fuzz-XXXXXX",
             getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    MUST(mkdtemp(w->work));
    for (int i = 0; i < w->files; i++)
        file_link(w, &w->file[i]);
    MUST(kelso_open(&w->truth, w->good, 0, &e) == KELSO_OK);
    w->slices = slice_order(3, 3, w->slice);
    MUST(w->slices <= 16);
    for (int i = 0; i < w->slices; i++)
        MUST(layout_create(&w->layout[i], w->slice[i]) == 0);
    atexit(world_close);
}

/* --------------------------------------------------------------------- damage -- */

enum damage {
    NOTHING,
    CUT,
    FLIP,
    VERSION,
    SWAP,
    EMPTY,
    DIRECTORY,
    EXCHANGE,
    LONGER,
    OVERWRITE,
    DAMAGES
};

static void swap_bytes(uint8_t *a, uint8_t *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint8_t byte = a[i];

        a[i] = b[i];
        b[i] = byte;
    }
}

/* Change a copy of the file; returns its new size. */
static size_t damage_bytes(enum damage damage, uint8_t *bytes, size_t size, uint32_t where,
                           uint32_t with)
{
    size_t at = where % size, n = 1 + with % 64, other = (where >> 16 ^ with >> 8) % size;

    switch (damage) {
    case CUT:
        return at;
    case FLIP:
        bytes[at] ^= (uint8_t)(1u << with % 8);
        break;
    case VERSION:
        bytes[8] = (uint8_t)with;
        bytes[9] = (uint8_t)(with >> 8);
        break;
    case SWAP:
        if (at + n <= size && other + n <= size && (at + n <= other || other + n <= at))
            swap_bytes(bytes + at, bytes + other, n);
        break;
    case EMPTY:
        return 0;
    case LONGER:
        memset(bytes + size, (int)with, n);
        return size + n;
    case OVERWRITE:
        for (size_t i = at; i < size && i < at + n; i++)
            bytes[i] = (uint8_t)(with >> i % 4 * 8);
        break;
    default:
        break;
    }
    return size;
}

static void damage_file(const struct world *w, const struct file *f, const uint8_t *data)
{
    enum damage damage = (enum damage)(data[1] % DAMAGES);
    uint32_t where = (uint32_t)bytes_get(data + 2, 4), with = (uint32_t)bytes_get(data + 6, 4);
    const struct file *source = damage == EXCHANGE ? &w->file[where % (uint32_t)w->files] : f;
    char path[2 * PATH_BYTES];
    uint8_t *bytes;
    size_t size;
    FILE *out;

    path_join(path, w->work, f->name);
    MUST(unlink(path) == 0);
    if (damage == DIRECTORY) {
        MUST(mkdir(path, 0755) == 0);
        return;
    }
    MUST((bytes = malloc(source->size + 64)));
    memcpy(bytes, source->bytes, source->size);
    size = damage_bytes(damage, bytes, source->size, where, with);
    MUST((out = fopen(path, "wb")));
    MUST(fwrite(bytes, 1, size, out) == size && fclose(out) == 0);
    free(bytes);
}

static void repair_file(const struct world *w, const struct file *f)
{
    char path[2 * PATH_BYTES];

    path_join(path, w->work, f->name);
    MUST(unlink(path) == 0 || (errno == EISDIR && rmdir(path) == 0));
    file_link(w, f);
}

/* ------------------------------------------------------------------- questions -- */

static kelso_status ask(kelso_tables *t, const kelso_position *p, int kind, kelso_answer *a,
                        kelso_error *e)
{
    if (kind == KELSO_DTC)
        return kelso_probe_dtc(t, p, a, e);
    if (kind == KELSO_DTW)
        return kelso_probe_dtw(t, p, a, e);
    a->plies = 0;
    return kelso_probe_wld(t, p, &a->value, e);
}

static kelso_position position_from(const struct world *w, const uint8_t *data)
{
    int s = data[0] % w->slices;
    struct view v;
    struct board b;

    layout_view(&w->layout[s], bytes_get(data + 1, 3) % w->layout[s].positions, &v);
    b = view_board(&v, data[4] & 1 ? WHITE : BLACK);
    return (kelso_position){
        squares_pack(board_men(&b, BLACK)), squares_pack(board_kings(&b, BLACK)),
        squares_pack(board_men(&b, WHITE)), squares_pack(board_kings(&b, WHITE)),
        b.turn == BLACK ? KELSO_BLACK : KELSO_WHITE};
}

static void question(const struct world *w, kelso_tables *t, const struct file *f,
                     const uint8_t *data)
{
    kelso_position p = position_from(w, data);
    int kind = data[4] / 2 % 3;
    kelso_answer want, got;
    kelso_error e = {0};
    kelso_status rc;

    MUST(ask(w->truth, &p, kind, &want, NULL) == KELSO_OK);
    rc = ask(t, &p, kind, &got, &e);
    if (rc == KELSO_OK) {
        MUST(got.value == want.value && got.plies == want.plies);
        return;
    }
    MUST(rc == KELSO_DAMAGED || rc == KELSO_IO);
    MUST(e.status == rc && memchr(e.text, '\0', sizeof e.text));
    MUST(strstr(e.text, f->name));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct world *w = &world;
    const struct file *f;
    kelso_tables *t;
    kelso_error e;

    if (!w->files)
        world_open(w);
    if (size < HEAD)
        return 0;
    f = &w->file[data[0] % w->files];
    damage_file(w, f, data);
    MUST(kelso_open(&t, w->work, 1, &e) == KELSO_OK);
    for (size_t at = HEAD; at + QUESTION <= size && at < HEAD + 64 * QUESTION; at += QUESTION)
        question(w, t, f, data + at);
    kelso_close(&t);
    repair_file(w, f);
    return 0;
}
