/* SPDX-License-Identifier: Apache-2.0 */
#include "perf/limit.h"

#include "perf/loops.h"

#include <omp.h>
#include <string.h>

/* The CPU's own best, whatever UNIHIST_ISA holds the library to. */
static const struct perf_loops *best_loops(void) {
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        return &perf_loops_v4;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma"))
        return &perf_loops_v3;
    return &perf_loops_v2;
}

void perf_limit_init(struct perf_limit *limit, const void *data, size_t bytes, uint32_t threads) {
    const unsigned char *at = data;
    *limit = (struct perf_limit){.data = data, .bytes = bytes / 8 * 8, .threads = threads};
    for (size_t i = 0; i < limit->bytes; i += 8) {
        uint64_t word;
        memcpy(&word, at + i, sizeof word);
        limit->expected += word;
    }
}

void perf_limit_read(struct perf_limit *limit) {
    const struct perf_loops *loops = best_loops();
    uint64_t sum = 0;
#pragma omp parallel num_threads((int)limit->threads) reduction(+ : sum)
    {
        size_t team = (size_t)omp_get_num_threads(), me = (size_t)omp_get_thread_num();
        size_t words = limit->bytes / 8;
        size_t first = words / team * me, last = me + 1 == team ? words : first + words / team;
        sum += loops->add_up((const unsigned char *)limit->data + 8 * first, 8 * (last - first));
    }
    limit->sum = sum;
}
