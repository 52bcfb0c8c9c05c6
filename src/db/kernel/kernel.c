/* SPDX-License-Identifier: MIT */
#include "db/kernel/kernel.h"

/* clang-format off */
const int8_t kernel_neighbour[32][4] = {
    {4, 5, -1, -1}, {5, 6, -1, -1}, {6, 7, -1, -1}, {7, -1, -1, -1},
    {-1, 8, -1, 0}, {8, 9, 0, 1}, {9, 10, 1, 2}, {10, 11, 2, 3},
    {12, 13, 4, 5}, {13, 14, 5, 6}, {14, 15, 6, 7}, {15, -1, 7, -1},
    {-1, 16, -1, 8}, {16, 17, 8, 9}, {17, 18, 9, 10}, {18, 19, 10, 11},
    {20, 21, 12, 13}, {21, 22, 13, 14}, {22, 23, 14, 15}, {23, -1, 15, -1},
    {-1, 24, -1, 16}, {24, 25, 16, 17}, {25, 26, 17, 18}, {26, 27, 18, 19},
    {28, 29, 20, 21}, {29, 30, 21, 22}, {30, 31, 22, 23}, {31, -1, 23, -1},
    {-1, -1, -1, 24}, {-1, -1, 24, 25}, {-1, -1, 25, 26}, {-1, -1, 26, 27},
};/* clang-format on */

/* KERNEL_PLAIN: a build without the others, which take long to compile. */
#if defined(__x86_64__) && !defined(KERNEL_PLAIN)
#define KERNEL_ALL(X) X(plain) X(avx2) X(avx512)
#else
#define KERNEL_ALL(X) X(plain)
#endif

#define KERNEL_DECLARE(isa)                                                                        \
    extern const struct kernel kernel_wld_##isa, kernel_dtc_##isa, kernel_dtw_##isa,               \
        kernel_dtw9_##isa;
KERNEL_ALL(KERNEL_DECLARE)

enum kernel_isa kernel_isa_best(void)
{
#if defined(__x86_64__) && !defined(KERNEL_PLAIN)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vbmi"))
        return ISA_AVX512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2"))
        return ISA_AVX2;
#endif
    return ISA_PLAIN;
}

const struct kernel *kernel_get(enum kernel_type type, enum kernel_isa isa)
{
#define KERNEL_ROW(isa)                                                                            \
    {&kernel_wld_##isa, &kernel_dtc_##isa, &kernel_dtw_##isa, &kernel_dtw9_##isa},
    static const struct kernel *const all[][KERNEL_TYPES] = {KERNEL_ALL(KERNEL_ROW)};

    if (isa > kernel_isa_best())
        return NULL;
    return all[isa][type];
}
