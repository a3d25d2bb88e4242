/* SPDX-License-Identifier: Apache-2.0 */
/* The limit: how fast this machine can read the array once. No method that reads every value can be faster. */
#include "perf/bench.h"
#include "perf/loops.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An array to read, and what the sum of its 8-byte words, modulo 2^64, must be; bytes beyond the last whole word are
 * left out. */
struct limit {
    size_t words;
    uint64_t expected, sum;
};

/* The CPU's own best, regardless of UNIHIST_ISA. */
static const struct perf_loops *best_loops(void) {
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        return &perf_loops_v4;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma"))
        return &perf_loops_v3;
    return &perf_loops_v2;
}

void perf_limit_start(struct perf_subject *subject) {
    struct limit *limit = subject->state = perf_memory(1, sizeof *limit);
    snprintf(subject->note, sizeof subject->note, "reads the array once");
    limit->words = subject->what->x_bytes / 8;
    for (size_t i = 0; i < limit->words; i++) {
        uint64_t word;
        memcpy(&word, (const char *)subject->what->x + 8 * i, sizeof word);
        limit->expected += word;
    }
}

void perf_limit_run(struct perf_subject *subject) {
    const struct perf_loops *loops = best_loops();
    const unsigned char *data = subject->what->x;
    struct limit *limit = subject->state;
    uint64_t sum = 0;
#pragma omp parallel num_threads((int)subject->threads) reduction(+ : sum)
    {
        size_t team = (size_t)omp_get_num_threads(), me = (size_t)omp_get_thread_num();
        size_t each = limit->words / team, first = each * me, last = me + 1 == team ? limit->words : first + each;
        sum += loops->add_up(data + 8 * first, 8 * (last - first));
    }
    limit->sum = sum;
}

void perf_limit_check(struct perf_subject *subject) {
    const struct limit *limit = subject->state;
    if (limit->sum == limit->expected)
        return;
    perf_fail("wrong: the array's sum is %llu, expected %llu", (unsigned long long)limit->sum,
              (unsigned long long)limit->expected);
}
