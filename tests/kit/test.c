/* SPDX-License-Identifier: MIT */
#include "kit/test.h"

#include <inttypes.h>
#include <time.h>

uint64_t rng_next(struct rng *r)
{
    uint64_t z = r->state += UINT64_C(0x9E3779B97F4A7C15);

    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

int rng_below(struct rng *r, int n)
{
    return (int)(rng_next(r) % (uint64_t)n);
}

struct rng rng_for_test(const char *test)
{
    const char *given = getenv("KELSO_SEED");
    struct timespec now;
    struct rng r;

    clock_gettime(CLOCK_REALTIME, &now);
    r.state = given ? strtoull(given, NULL, 0)
                    : (uint64_t)now.tv_sec * 1000000007u + (uint64_t)now.tv_nsec;
    printf("# %s: KELSO_SEED=%" PRIu64 "\n", test, r.state);
    fflush(stdout);
    return r;
}

bool test_is_long(void)
{
    const char *value = getenv("KELSO_LONG");

    return value && *value;
}

#ifndef __has_feature
#define __has_feature(x) 0
#endif

bool test_is_sanitized(void)
{
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
    return true;
#else
    return false;
#endif
}
