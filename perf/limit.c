/* SPDX-License-Identifier: Apache-2.0 */
#include "perf/limit.h"

#include "perf/limit_read.h"

#include <omp.h>
#include <string.h>

typedef uint64_t (*read_function)(const unsigned char *data, size_t bytes);

/* The CPU's own best, whatever UNIHIST_ISA holds the library to. */
static read_function pick_read(void) {
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        return perf_limit_read_v4;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma"))
        return perf_limit_read_v3;
    return perf_limit_read_v2;
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
    read_function read = pick_read();
    uint64_t sum = 0;
#pragma omp parallel num_threads((int)limit->threads) reduction(+ : sum)
    {
        size_t team = (size_t)omp_get_num_threads(), me = (size_t)omp_get_thread_num();
        size_t words = limit->bytes / 8;
        size_t first = words / team * me, last = me + 1 == team ? words : first + words / team;
        sum += read((const unsigned char *)limit->data + 8 * first, 8 * (last - first));
    }
    limit->sum = sum;
}
