/* SPDX-License-Identifier: MIT
 *
 * golden.h -- read published lists (data/) and golden files.  Paths are relative to the top
 * of the source, where the tests run. */
#ifndef KELSO_TESTS_GOLDEN_H
#define KELSO_TESTS_GOLDEN_H

#include "core/move.h"
#include "kit/test.h"

/* A whole file, NUL-terminated; free() it.  Fails the test if it is missing. */
char *golden_read(const char *path, size_t *length);

/* Call `visit` for each line "name | FEN | moves"; lines that begin with # are left
 * out.  Returns the number of lines. */
int golden_each_game(const char *file,
                     void (*visit)(void *context, const char *name, const char *fen, char *moves),
                     void *context);

struct board golden_board(const char *fen);

/* The move that `text` names in b; fails the test if it names none. */
struct move golden_move(const struct board *b, const char *text);

#endif
