/* SPDX-License-Identifier: MIT
 *
 * sha256.h -- the hash of FIPS 180-4, for digests that people publish and compare.
 *
 * Files are guarded against damage by XXH3, which is quick; SHA-256 is what other programs
 * (sha256sum) can check too, and it cannot be forged.
 *
 * (S1) the digest does not depend on how the bytes are cut into calls of sha256_add.
 *
 * A struct sha256 is a value of its owner; no allocation. */
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
