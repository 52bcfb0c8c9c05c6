/* SPDX-License-Identifier: MIT */
#include "kit/test.h"

#include "base/random.h"

#include <inttypes.h>
#include <time.h>

uint64_t rng_next(struct rng *r)
{
    return random_next(&r->state);
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
