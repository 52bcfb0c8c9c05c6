/* SPDX-License-Identifier: MIT */
#include "base/sha256.h"
#include "base/files.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
static const uint32_t k[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t turned(uint32_t x, int by)
{
    return x >> by | x << (32 - by);
}

static void schedule(const uint8_t *block, uint32_t w[64])
{
    for (int i = 0; i < 16; i++)
        w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
               (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
    for (int i = 16; i < 64; i++) {
        uint32_t a = w[i - 15], b = w[i - 2];

        w[i] = w[i - 16] + (turned(a, 7) ^ turned(a, 18) ^ a >> 3) + w[i - 7] +
               (turned(b, 17) ^ turned(b, 19) ^ b >> 10);
    }
}

static void block_add(uint32_t h[8], const uint8_t *block)
{
    uint32_t w[64], v[8];

    schedule(block, w);
    memcpy(v, h, sizeof v);
    for (int i = 0; i < 64; i++) {
        uint32_t one = v[7] + (turned(v[4], 6) ^ turned(v[4], 11) ^ turned(v[4], 25)) +
                       ((v[4] & v[5]) ^ (~v[4] & v[6])) + k[i] + w[i];
        uint32_t two = (turned(v[0], 2) ^ turned(v[0], 13) ^ turned(v[0], 22)) +
                       ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));

        memmove(v + 1, v, 7 * sizeof *v);
        v[4] += one;
        v[0] = one + two;
    }
    for (int i = 0; i < 8; i++)
        h[i] += v[i];
}

void sha256_begin(struct sha256 *s)
{
    static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

    memcpy(s->h, start, sizeof start);
    s->length = 0;
}

void sha256_add(struct sha256 *s, const void *bytes, size_t n)
{
    const uint8_t *from = bytes;
    size_t held = s->length % SHA256_BLOCK;

    s->length += n;
    if (held) {
        size_t take = SHA256_BLOCK - held < n ? SHA256_BLOCK - held : n;

        memcpy(s->block + held, from, take);
        from += take;
        n -= take;
        if (held + take < SHA256_BLOCK)
            return;
        block_add(s->h, s->block);
    }
    for (; n >= SHA256_BLOCK; from += SHA256_BLOCK, n -= SHA256_BLOCK)
        block_add(s->h, from);
    if (n)
        memcpy(s->block, from, n);
}

void sha256_end(struct sha256 *s, uint8_t digest[SHA256_BYTES])
{
    static const uint8_t padding[SHA256_BLOCK] = {0x80};
    uint64_t bits = 8 * s->length;
    uint8_t length[8];

    for (int i = 0; i < 8; i++)
        length[i] = (uint8_t)(bits >> (56 - 8 * i));
    sha256_add(s, padding, 1 + (119 - s->length % SHA256_BLOCK) % SHA256_BLOCK);
    sha256_add(s, length, sizeof length);
    for (int i = 0; i < SHA256_BYTES; i++)
        digest[i] = (uint8_t)(s->h[i / 4] >> (24 - 8 * (i % 4)));
}

enum status sha256_file(const char *path, char text[SHA256_TEXT], struct error *e)
{
    enum { ROOM = 1 << 16 };
    static const char digits[] = "0123456789abcdef";
    uint8_t digest[SHA256_BYTES], *room = malloc(ROOM);
    uint64_t size, at = 0;
    struct sha256 s;
    enum status rc;
    int fd = -1;

    rc = room ? file_open(path, "a file", 0, &fd, &size, e)
              : error_set(e, STATUS_NO_MEMORY, "%s: not enough memory", path);
    sha256_begin(&s);
    while (!rc && at < size) {
        size_t n = size - at < ROOM ? (size_t)(size - at) : ROOM;

        if (!(rc = file_read_at(fd, path, room, n, at, e)))
            sha256_add(&s, room, n);
        at += n;
    }
    sha256_end(&s, digest);
    for (int i = 0; i < SHA256_BYTES; i++) {
        text[2 * i] = digits[digest[i] >> 4];
        text[2 * i + 1] = digits[digest[i] & 15];
    }
    text[2 * SHA256_BYTES] = 0;
    if (fd >= 0)
        close(fd);
    free(room);
    return rc;
}
