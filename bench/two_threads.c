/* SPDX-License-Identifier: MIT
 *
 * What a second thread is worth on this machine: plain arithmetic that shares nothing,
 * once on one thread, once on two.  On two processors that are halves of one core the
 * answer is well below 2, and no program does better. */
#include "base/clock.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

enum { STEPS = 400 * 1000 * 1000, RUNS = 5 };

static __attribute__((noinline)) void *spin(void *result)
{
    uint64_t x = 1, y = 2, sum = 0;

    for (int i = 0; i < STEPS; i++) {
        x = x * UINT64_C(6364136223846793005) + (uint64_t)i;
        y ^= y << 7;
        y ^= y >> 9;
        sum += x ^ y;
    }
    *(volatile uint64_t *)result = sum;
    return NULL;
}

static double spin_on(int threads)
{
    double start = clock_seconds();
    uint64_t result[2];
    pthread_t other;

    if (threads == 2 && pthread_create(&other, NULL, spin, &result[1]))
        return 0;
    spin(&result[0]);
    if (threads == 2)
        pthread_join(other, NULL);
    return clock_seconds() - start;
}

int main(void)
{
    double one = 1e9, two = 1e9;

    for (int i = 0; i < RUNS; i++) {
        double seconds = spin_on(1);

        one = seconds < one ? seconds : one;
        seconds = spin_on(2);
        two = seconds < two ? seconds : two;
    }
    printf("two threads do %.2f times the work of one on this machine (arithmetic only)\n",
           2 * one / two);
    return 0;
}
