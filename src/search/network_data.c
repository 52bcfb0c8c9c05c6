/* SPDX-License-Identifier: MIT */
#include "search/network_kernels.h"

/* The program is built from the top of the source (Makefile). */
__asm__(".section .rodata\n"
        ".globl network_bytes, network_bytes_end\n"
        ".hidden network_bytes, network_bytes_end\n"
        "network_bytes:\n"
        ".incbin \"data/network.bin\"\n"
        "network_bytes_end:\n"
        ".byte 0\n"
        ".previous");
