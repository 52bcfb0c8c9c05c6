/* SPDX-License-Identifier: MIT
 *
 * sha256.h -- the hash of FIPS 180-4, for digests that people publish and compare.
 *
 * Files are protected against damage by XXH3, which is fast.  SHA-256 can be checked by other
 * programs (sha256sum), and it cannot be forged.
 *
 * (S1) The digest does not depend on how the bytes are divided among calls of sha256_add.
 *
 * The caller owns a struct sha256; nothing is allocated. */
#ifndef KELSO_BASE_SHA256_H
#define KELSO_BASE_SHA256_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

enum { SHA256_BYTES = 32, SHA256_BLOCK = 64, SHA256_TEXT = 2 * SHA256_BYTES + 1 };

struct sha256 {
    uint32_t h[8];
    uint64_t length; /* bytes so far */
    uint8_t block[SHA256_BLOCK];
};

void sha256_begin(struct sha256 *s);
void sha256_add(struct sha256 *s, const void *bytes, size_t n);
void sha256_end(struct sha256 *s, uint8_t digest[SHA256_BYTES]);

/* The digest of a whole file in lower-case hexadecimal. */
enum status sha256_file(const char *path, char text[SHA256_TEXT], struct error *e);

#endif
