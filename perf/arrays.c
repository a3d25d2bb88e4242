/* SPDX-License-Identifier: Apache-2.0 */
/* What operations are given to make their cases of: memory, of the host and of devices, and random numbers. */
#include "perf/bench.h"
#include "tests/splitmix.h"

#include <stdlib.h>

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

uint32_t perf_random(uint64_t seed, uint64_t number) {
    return (uint32_t)(splitmix_at(seed << 40, number) >> 32);
}

void perf_free_state(struct perf_subject *subject) {
    free(subject->state);
}
