/* SPDX-License-Identifier: MIT
 *
 * Any bytes as a certificate.  An odd first byte says that the sums are to be put right,
 * so that what comes behind them is reached too.  What is read has positions that are
 * positions, and is written back as it was. */
#include "fuzz.h"

#include "base/bytes.h"
#include "proof/certificate.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xxhash.h>

enum { HEADER = 64, CLAIM = 16, LONGEST = 4096 };

/* As docs in certificate.h have it. */
static void seal(uint8_t *file, size_t size)
{
    if (size < HEADER)
        return;
    memcpy(file, "kelso pf\1", 10);
    bytes_put(file + 32, 8, (size - HEADER) / CLAIM);
    bytes_put(file + 40, 8, XXH3_64bits(file + HEADER, size - HEADER));
    bytes_put(file + 48, 8, XXH3_64bits(file, 48));
}

static void must_come_back(const struct certificate *c, const uint8_t *file, size_t size)
{
    char path[64];
    uint8_t again[LONGEST];
    struct error e;
    int fd;

    snprintf(path, sizeof path, "/dev/shm/kelso-fuzz-%d", (int)getpid());
    MUST(certificate_write(c, path, &e) == STATUS_OK);
    fd = open(path, O_RDONLY);
    MUST(fd >= 0 && read(fd, again, sizeof again) == (ssize_t)size);
    close(fd);
    unlink(path);
    MUST(memcmp(again, file, size) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct certificate c = {0};
    struct error e = {0};
    uint8_t file[LONGEST];
    char path[32];
    int fd;

    if (size < 1 || size > LONGEST)
        return 0;
    memcpy(file, data + 1, --size);
    if (data[0] & 1)
        seal(file, size);
    fd = memfd_create("certificate", MFD_CLOEXEC);
    MUST(fd >= 0 && write(fd, file, size) == (ssize_t)size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (certificate_read(&c, path, &e)) {
        MUST(e.text[0] && strstr(e.text, path));
    } else {
        MUST(board_valid(&c.root));
        for (size_t i = 0; i < c.claims; i++) {
            struct board b = claim_board(&c.claim[i]);

            MUST(board_valid(&b));
        }
        must_come_back(&c, file, size);
    }
    certificate_free(&c);
    close(fd);
    return 0;
}
