/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the host backend. Submissions return when their work has ended. */
#ifndef UHI_HOST_H
#define UHI_HOST_H

#include <time.h>

#include "runtime/backend.h"

/* Finds out what this machine has: struct uhi_backend's list_devices. */
uh_status uhi_host_list_devices(struct uhi_device_list *list);

/* How many threads a queue has that asks for no number: OMP_NUM_THREADS (or what omp_set_num_threads said), else one a
 * core; never more than the hardware threads that this process may use. */
uint32_t uhi_host_default_threads(const uh_device *device);

/* What is available to programs: struct uhi_backend's free_memory. */
uh_status uhi_host_free_memory(uh_device *device, uint64_t *bytes);

/* Runs a kernel over a range: struct uhi_backend's launch. */
uh_status uhi_host_launch(uh_queue *queue, const uh_kernel *kernel, const struct uhi_range *range, const uh_arg *args,
                          size_t nargs, const struct uhi_submission *submission);

/* The group size that a launch would choose: struct uhi_backend's suggest_group_size. */
uh_status uhi_host_suggest_group_size(const char *call, uh_queue *queue, const uh_kernel *kernel,
                                      struct uhi_range *range);

/* A part of some work: number `part` of `parts`. */
typedef void (*uhi_part_function)(const void *context, size_t part, size_t parts);

/* Runs every part, by as many threads as uhi_host_threads says; returns when all are done. Allocates nothing and cannot
 * fail. `name` is for the log. */
void uhi_host_parallel(const uh_queue *queue, const char *name, uhi_part_function function, const void *context,
                       size_t parts);

/* The threads of a queue of the host; for a queue of another device, those that the host has by default. */
uint32_t uhi_host_threads(const uh_queue *queue);

/* How many of so many threads there are to work: one in a process that was forked after several have worked. */
uint32_t uhi_host_workers(uint32_t threads);

/* The host device's clock in nanoseconds. */
static inline uint64_t uhi_host_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

/* When a submission ran, for its event and the log, where one of them wants to know. */
struct uhi_host_run {
    int traced, timed;
    uh_event_times times;
};

/* Waits for what the submission comes after, and begins. */
uh_status uhi_host_begin(const uh_queue *queue, const struct uhi_submission *submission, struct uhi_host_run *run);

/* Ends it. Returns how many nanoseconds it took, where it is timed. */
unsigned long long uhi_host_end(const struct uhi_submission *submission, struct uhi_host_run *run);

#endif
