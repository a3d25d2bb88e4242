/* SPDX-License-Identifier: Apache-2.0 */
/* A fault run, on the driver of tests/soft_gpu: for every Level Zero call that a whole life of queue, memory and some
 * operation makes, a life in which just that call fails. It must give the status that the code means and a message that
 * names the call, leak nothing, and the next life must work. A call whose failure costs nothing (a hint, a query, a
 * destruction) may go unnoticed. That outputs are left alone, and right where nothing was noticed, the life looks at.
 */
#ifndef TEST_FAULT_RUN_H
#define TEST_FAULT_RUN_H

#include "tests/support.h"

#include <stdint.h>

#include <unihist/runtime.h>

#include "tests/soft_gpu/soft_gpu.h"

/* What a life ended with: the first failure and its message. */
struct outcome {
    uh_status status;
    char message[512];
};

/* Keeps the first failure. */
void fault_note(struct outcome *outcome, uh_status status);

/* What is run; its memory stays the caller's. */
struct fault_run {
    struct outcome (*live)(void);
    size_t most_calls;         /* that a life may make, at most FAULT_MOST_CALLS */
    size_t step;               /* each code fails every step-th call, together all of them where there are step codes */
    size_t next;               /* after every next-th of these a life without a fault; 0: after each code only */
    int (*host_goes_on)(void); /* whether the host still gives right results; NULL: nothing to try */
};

enum { FAULT_MOST_CALLS = 4000 };

/* The driver (`found` may be NULL) and its first device. Returns 0, or -1 with a line that says why the run is skipped.
 */
int fault_find(struct soft_gpu *found, uh_device **device);

/* Every call fails, with one of the codes, or each where step is 1. */
void fault_every_call(const struct fault_run *run);

/* Every stride-th call fails in a life, and the life after it works. */
void fault_one_life_after_each(const struct fault_run *run, size_t stride);

/* The device is lost for the rest of a process, so each life is one of its own: `program N` loses it at call N and
 * returns fault_lose(). Losing starts about `lives` of them over the calls of the last recorded life. */
int fault_lose(const struct fault_run *run, uint64_t call);
void fault_losses(const char *program, size_t lives);

#endif
