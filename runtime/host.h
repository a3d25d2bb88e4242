/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of the host backend. Submissions return after their work has ended. */
#pragma once

#include <time.h>

#include "runtime/backend.h"

/* Detects this machine's hardware: struct uhi_backend's list_devices. */
uh_status uhi_host_list_devices(struct uhi_device_list *list);

/* Returns the default number of threads of a queue: OMP_NUM_THREADS (or omp_set_num_threads), otherwise one per core;
 * at most the hardware threads that this process may use. */
uint32_t uhi_host_default_threads(const uh_device *device);

/* Memory available to programs: struct uhi_backend's free_memory. */
uh_status uhi_host_free_memory(uh_device *device, uint64_t *bytes);

/* Runs a kernel over a range: struct uhi_backend's launch. */
uh_status uhi_host_launch(uh_queue *queue, const uh_kernel *kernel, const struct uhi_range *range, const uh_arg *args,
                          size_t nargs, const struct uhi_submission *submission);

/* Runs part number `part` of `parts` of some work. */
typedef void (*uhi_part_function)(const void *context, size_t part, size_t parts);

/* Runs every part, on uhi_host_threads threads; returns when all are done. Allocates nothing and cannot fail. `name` is
 * for the log. */
void uhi_host_parallel(const uh_queue *queue, const char *name, uhi_part_function function, const void *context,
                       size_t parts);

/* Returns the thread count of a host queue; for a queue of another device, the host's default. */
uint32_t uhi_host_threads(const uh_queue *queue);

/* Returns how many of `threads` threads may run: one in a process forked after several had run. */
uint32_t uhi_host_workers(uint32_t threads);

/* Returns the host device's clock in nanoseconds. */
static inline uint64_t uhi_host_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

/* Times of a submission, if its event or the log needs them. */
struct uhi_host_run {
    int traced, timed;
    uh_event_times times;
};

/* Waits for the submission's dependencies, and starts it. */
uh_status uhi_host_begin(const uh_queue *queue, const struct uhi_submission *submission, struct uhi_host_run *run);

/* Ends it. Returns its duration in nanoseconds, if it is timed. */
unsigned long long uhi_host_end(const struct uhi_submission *submission, struct uhi_host_run *run);
