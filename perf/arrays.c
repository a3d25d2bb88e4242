/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of operations: memory of the host and of devices, random numbers, and the limit: how fast this machine can read
 * an array once, which no method that reads every value can exceed. */
#include "perf/bench.h"
#include "perf/loops.h"
#include "tests/splitmix.h"

#include <inttypes.h>
#include <omp.h>

void *perf_array(struct perf_case *what, size_t bytes) {
    const uint32_t threads = what->device->host ? what->bench->threads_max : 1;
    void *made = what->array_count < PERF_ARRAYS ? perf_array_create(bytes, threads ? threads : 1) : NULL;
    if (!made)
        perf_fail("%s: out of memory for %zu elements; --n sets how many", what->name, what->n);
    return what->arrays[what->array_count++] = made;
}

void *perf_array_there(struct perf_case *what, size_t bytes) {
    void *made = NULL;
    if (what->device->host)
        return perf_array(what, bytes);
    if (what->there_count == PERF_ARRAYS ||
        uh_malloc(what->device->device, UH_MEMORY_DEVICE, bytes ? bytes : 1, 0, &made))
        perf_fail("%s: %s; --n sets how many elements", what->name, uh_last_error());
    return what->there[what->there_count++] = made;
}

const void *perf_copy_there(struct perf_case *what, const void *from, size_t bytes) {
    if (what->device->host)
        return from;
    void *to = perf_array_there(what, bytes);
    uh_queue *queue = perf_queue(what->device, 1);
    perf_check(uh_memcpy(queue, to, from, bytes, NULL) || uh_queue_wait(queue));
    return to;
}

uint32_t perf_random(uint64_t seed, uint64_t number) { return (uint32_t)(splitmix_at(seed << 40, number) >> 32); }

void perf_same_counts(const char *what, const uint64_t *found, const uint64_t *expected, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (found[i] != expected[i])
            perf_fail("wrong: the count of %s %zu is %" PRIu64 ", expected %" PRIu64, what, i, found[i], expected[i]);
}

void perf_free_state(struct perf_subject *subject) { free(subject->state); }

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
    if (limit->sum != limit->expected)
        perf_fail("wrong: the array's sum is %" PRIu64 ", expected %" PRIu64, limit->sum, limit->expected);
}
