/* SPDX-License-Identifier: Apache-2.0 */
/* A libcuda.so.1 without a card: it checks the calls of the executor (cuda.c), and runs no kernel. What is wrong is in
 * the log, after "wrong:". Its device memory cannot be touched by the host. */
#pragma once

#include "cuda.h"

enum {
    FAKE_CUDA_LOCAL_BASE = 1024,    /* bytes of shared memory that the card keeps */
    FAKE_CUDA_SHARED = 227 * 1024,  /* at most per group, of all kinds */
    FAKE_CUDA_MEMORY = 64 * 1048576 /* bytes of device memory */
};

struct fake_cuda {
    /* One line per call since the last call of this function (malloc): name and numbers. */
    char *(*take_log)(void);
    /* The n-th call of this name from now on, 1 being the next, fails; NULL: none. */
    void (*fail)(const char *name, unsigned n, CUresult result);
    /* Allocations, streams and modules alive. */
    size_t (*live)(void);
};

/* The library's symbol fake_cuda_table. */
extern __attribute__((visibility("default"))) const struct fake_cuda fake_cuda_table;
