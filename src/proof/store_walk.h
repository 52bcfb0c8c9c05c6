/* SPDX-License-Identifier: MIT
 *
 * store_walk.h -- is the file of a store what LMDB takes it for?
 *
 * LMDB maps its file and believes it: a damaged page ends the process by a signal, or is read as
 * something else.  Before it is let near the trees, each page that can be reached is read here
 * and checked: its number and kind, that its nodes lie inside of it, that keys ascend, that no page
 * is reached twice or is free at the same time, and that the counts of each tree are right.
 *
 *     page      number 8, 0 2, flags 2, end of the pointers 2, begin of the nodes 2; or pages 4
 *     node      size or page 4, flags (or the page's upper part) 2, size of the key 2, key, data
 *     tree      0 4, flags 2, depth 2, branch, leaf and overflow pages 8 each, entries 8, root 8
 *     meta      magic 4, version 4, 0 8, size of the map 8, two trees (free pages, names),
 *               last page 8, transaction 8; behind the head of pages 0 and 1
 *
 * (W1) what was let through does not lead LMDB outside of the file, or round in circles.
 * (W2) whatever the bytes, the walk ends, and stays inside its memory.
 *
 * Values in records have seals of their own (store_codec.h).  A file that is changed after the walk
 * is not noticed.  Any thread. */
#ifndef KELSO_PROOF_STORE_WALK_H
#define KELSO_PROOF_STORE_WALK_H

#include "base/status.h"

#include <stdint.h>

/* The two heads of the file, to be checked before LMDB opens it; also if another process is
 * writing.  A file that does not exist or is empty is fine. */
enum status store_walk_heads(const char *path, struct error *e);

/* The trees as they were after this transaction, which a reader must hold; `fd` belongs to the
 * caller.  STATUS_MISSING if the heads have moved on: take another transaction. */
enum status store_walk_trees(int fd, const char *path, uint64_t transaction, struct error *e);

#endif
