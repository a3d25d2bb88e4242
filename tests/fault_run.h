/* SPDX-License-Identifier: Apache-2.0 */
/* Driver calls that fail, on the driver of tests/soft_gpu: for every Level Zero call of a whole use of queue, memory
 * and some operation, a use in which just that call fails. It must give the status that the code means and a message
 * that names the call, leave outputs alone, leak nothing, and the next use must work. A call whose failure costs
 * nothing (a hint, a query, a destruction) may go unnoticed, but then all results must be right. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "tests/description.h"

/* What is run, again and again. */
struct fault_run {
    void (*use)(const void *context, struct outcome *outcome);
    const void *context;
    int (*host_goes_on)(const void *context); /* whether the host's results are right; NULL: nothing to try */
    int (*may_pass)(const char *call);        /* whether its failure may go unnoticed; NULL: where results are right */
    int several;  /* devices share the work, and do that of one that fails: failures may go unnoticed, calls come from
                     several threads, and which device builds which kernels is up to who is fastest */
    int lives_on; /* one of these is not the driver's: the others are lost, and the next use works by it */
    size_t step;  /* each of three codes fails every step-th call, together all of them where step is at most 3 */
    size_t next;  /* after every next-th call a use without a fault; 0: after each code only */
};

struct fault_report {
    size_t calls, uses, noticed;
    char problem[1024]; /* "": all was as it must be */
};

enum { FAULT_MAX_CALLS = 6000 };

/* Whether the driver of tests/soft_gpu is in use; else -1, after a line that says so. */
int fault_find(void);

/* Every call fails with a code. Returns 0, or -1 with the problem. */
int fault_every_call(const struct fault_run *run, struct fault_report *report);

/* The device is lost at every step-th call; `recover` makes the library drop it, if that is all that it has to
 * drop. Returns 0, or -1 with the problem. */
int fault_every_loss(const struct fault_run *run, void (*recover)(void), struct fault_report *report);

/* Else the device is lost for the rest of a process, so each loss has one of its own: it calls fault_lose, which loses
 * it at that call and returns the exit code. fault_losses starts about `uses` of them, evenly over the calls of a use,
 * by test_run_child(mode) with UNIHIST_TEST_LOSE=call. Of several devices, all of the driver's are lost. */
int fault_lose(const struct fault_run *run, uint64_t call);
int fault_losses(const struct fault_run *run, const char *mode, size_t uses, struct fault_report *report);
