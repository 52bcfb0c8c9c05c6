/* SPDX-License-Identifier: MIT
 *
 * store_walk.h -- check that the file of a store is sound before LMDB uses it.
 *
 * LMDB maps its file and trusts it: a damaged page kills the process with a signal, or is misread.
 * So before LMDB reads the trees, every reachable page is read and checked here: its number and
 * kind, that its nodes lie inside it, that keys ascend, that no page is reached twice or is also
 * listed as free, that the counts of each tree are correct, and that each tree has a known name.
 *
 *     page      number 8, 0 2, flags 2, end of the pointers 2, start of the nodes 2; or pages 4
 *     node      size or page 4, flags (or the page's upper part) 2, size of the key 2, key, data
 *     tree      0 4, flags 2, depth 2, branch, leaf and overflow pages 8 each, entries 8, root 8
 *     meta      magic 4, version 4, 0 8, size of the map 8, two trees (free pages, names),
 *               last page 8, transaction 8; after the page header of pages 0 and 1
 *
 * (W1) A file that passes does not lead LMDB outside the file or into a cycle.
 * (W2) For any bytes, the walk terminates and stays inside its memory.
 *
 * Values in records have seals of their own (store_codec.h).  Changes to the file after the walk go
 * unnoticed.  Any thread. */
#ifndef KELSO_PROOF_STORE_WALK_H
#define KELSO_PROOF_STORE_WALK_H

#include "base/status.h"

#include <stdint.h>

/* Check the two meta pages of the file, before LMDB opens it; another process may be writing.  A
 * file that does not exist or is empty is fine. */
enum status store_walk_heads(const char *path, struct error *e);

/* Check the trees as of this transaction, which a reader must hold; `fd` belongs to the caller.
 * `names`, which ends with NULL, lists the names that trees may have.  STATUS_MISSING if the meta
 * pages have moved on: take another transaction. */
enum status store_walk_trees(int fd, const char *path, uint64_t transaction,
                             const char *const *names, struct error *e);

#endif
