/* SPDX-License-Identifier: MIT
 *
 * document.h -- docs/format.md repeats the tables of offsets in headers for people, line by
 * line the same. */
#ifndef KELSO_TESTS_DOCUMENT_H
#define KELSO_TESTS_DOCUMENT_H

/* How many rows of such tables a header has; fails if the document lacks one. */
int document_rows(const char *header_path);

#endif
