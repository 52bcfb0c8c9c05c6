/* SPDX-License-Identifier: MIT
 *
 * network_kernels.h -- link-time parts of network.c: the loops for other instruction sets, and
 * the bytes of data/network.bin.  Constant data, safe on any thread.  Private to search. */
#ifndef KELSO_SEARCH_NETWORK_KERNELS_H
#define KELSO_SEARCH_NETWORK_KERNELS_H

#include "search/network.h"

extern const struct network_kernel network_kernel_avx2, network_kernel_avx512;
extern const uint8_t network_bytes[], network_bytes_end[];

#endif
