/* SPDX-License-Identifier: MIT
 *
 * frames.h -- large pieces of memory that are used again.
 *
 * The system clears each page that it hands out, which took a quarter of the time of
 * king-heavy slices, and much more where a virtual machine must first get the page
 * from its host.  Memory that is given back stays here and is moved, page table by
 * page table, under the addresses of the next piece that is taken.
 *
 * (F1) a piece is aligned to 64 bytes and has any content.
 * (F2) what is held, in use or spare, is never more than the most that was in use at
 *      one time.
 *
 * One thread takes and gives. */
#ifndef KELSO_DB_FRAMES_H
#define KELSO_DB_FRAMES_H

#include <stddef.h>
#include <stdint.h>

struct frames;

struct frames *frames_create(void);
void frames_free(struct frames **f); /* all pieces must have been given back */

/* What a piece of so many bytes takes. */
size_t frames_size(size_t bytes);

/* NULL when memory is short.  Without frames (NULL) the system alone is asked. */
void *frames_take(struct frames *f, size_t bytes);
void frames_give(struct frames *f, void *piece, size_t bytes);

/* Bytes that are held and not in use. */
uint64_t frames_spare(const struct frames *f);

#endif
