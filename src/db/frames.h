/* SPDX-License-Identifier: MIT
 *
 * frames.h -- large pieces of memory, recycled.
 *
 * The system clears every page it hands out.  That took a quarter of the time of king-heavy
 * slices, and much more where a virtual machine must first get the page from its host.  Memory
 * that is given back is kept here and remapped to the addresses of the next piece that is
 * taken.
 *
 * (F1) A piece is aligned to 64 bytes; its content is undefined.
 * (F2) The memory held, in use or spare, never exceeds the peak of the memory in use.
 *
 * One thread takes and gives.  The caller owns a piece until it gives it back. */
#ifndef KELSO_DB_FRAMES_H
#define KELSO_DB_FRAMES_H

#include <stddef.h>
#include <stdint.h>

struct frames;

struct frames *frames_create(void);
void frames_free(struct frames **f); /* all pieces must have been given back */

/* The memory that a piece of this size takes. */
size_t frames_size(size_t bytes);

/* NULL when memory is short.  With frames NULL the memory comes straight from the system. */
void *frames_take(struct frames *f, size_t bytes);
void frames_give(struct frames *f, void *piece, size_t bytes);

/* Bytes held but not in use. */
uint64_t frames_spare(const struct frames *f);

/* Return spare memory to the system until no more than `bytes` are held, or none is spare. */
void frames_limit(struct frames *f, uint64_t bytes);

#endif
