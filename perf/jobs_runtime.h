/* SPDX-License-Identifier: Apache-2.0 */
/* The small jobs that unihist-perf runtime measures, and their bare Level Zero calls. */
#ifndef PERF_JOBS_RUNTIME_H
#define PERF_JOBS_RUNTIME_H

#include "perf/error.h"

#include <unihist/gpu.h>

#include <stddef.h>

/* Each is one operation in an in-order queue. A copy is of PERF_JOB_BYTES bytes. */
enum perf_job {
    PERF_JOB_LAUNCH, /* group size, arguments, launch of a kernel that does nothing */
    PERF_JOB_COPY,   /* from plain host memory to the device */
    PERF_JOB_EVENT,  /* a launch that gives an event, the wait for it, and its end */
    PERF_JOB_COUNT
};

enum { PERF_JOB_BYTES = 4096, PERF_JOB_BATCH_MAX = 10000, PERF_JOB_GROUP = 64 };

/* The name of a job; NULL after the last one. */
const char *perf_job_word(unsigned index);

/* The kernel of perf/jobs_runtime.cl. */
#define PERF_JOB_KERNEL "empty"

struct perf_bare;

/* How commands are kept in order: by a barrier before each, by an event of each, for which the next one waits, or by an
 * in-order list. A job that ends before the next begins (an event) needs none of it. */
enum perf_order { PERF_ORDER_BARRIER, PERF_ORDER_CHAIN, PERF_ORDER_LIST };

/* Memory and the program's kernel in a context of its own on the same device, without the library. Fails for a device
 * that is not Level Zero's. The caller destroys it. All in a build with Level Zero alone. */
struct perf_bare *perf_bare_create(const uh_device *device, const uh_program *program);
void perf_bare_destroy(struct perf_bare *bare);

/* Whether loader and driver have them, for PERF_ORDER_LIST. */
int perf_bare_has_in_order_lists(const uh_device *device);

/* Does the job `count` times (PERF_JOB_BATCH_MAX at most) and does not wait for its end; waits for it. */
void perf_bare_run(struct perf_bare *bare, enum perf_job job, enum perf_order order, size_t count);
void perf_bare_finish(struct perf_bare *bare);

#endif
