/* SPDX-License-Identifier: Apache-2.0 */
/* The small jobs that unihist-perf runtime measures, done by the library and by bare Level Zero calls. */
#ifndef PERF_JOBS_RUNTIME_H
#define PERF_JOBS_RUNTIME_H

#include "perf/error.h"

#include <unihist/gpu.h>

#include <stddef.h>
#include <stdint.h>

/* Each is one operation in an in-order queue. A copy is of PERF_JOB_BYTES bytes. */
enum perf_job {
    PERF_JOB_LAUNCH, /* group size, arguments, launch of a kernel that does nothing */
    PERF_JOB_COPY,   /* from plain host memory to the device */
    PERF_JOB_EVENT,  /* a launch that gives an event, the wait for it, and its end */
    PERF_JOB_BUILD,  /* a module from SPIR-V that nobody has built yet */
    PERF_JOB_DISK,   /* a module that another process has built; bare: from the native binary */
    PERF_JOB_MEMORY, /* a module that this process has built; bare: from the native binary */
    PERF_JOB_COUNT
};

enum { PERF_JOB_BYTES = 4096, PERF_JOB_BATCH_MAX = 10000, PERF_JOB_MODULES = 2 };

/* What a job is called, and what it is. Static. */
const char *perf_job_name(enum perf_job job);
const char *perf_job_text(enum perf_job job);

/* The kernel's group. */
enum { PERF_JOB_GROUP = 64 };

/* A SPIR-V program. */
struct perf_spirv {
    const void *code;
    size_t size;
};

/* The kernel of perf/jobs_runtime.cl, and its program; NULL and 0 in a build without Level Zero. */
#define PERF_JOB_KERNEL "empty"
struct perf_spirv perf_job_program(void);

/* A copy of a program that does the same but is another one for every cache: `number` stands in its header, where the
 * version of the tool that made it is. The caller frees it; NULL where memory is lacking. */
void *perf_spirv_variant(const struct perf_spirv *spirv, uint32_t number);

/* ---- by the library --------------------------------------------------------------------------------------------- */

struct perf_ours;

/* Makes a queue and memory on a device, and the kernel: on the host device from a C function. The caller destroys it.
 */
int perf_ours_create(uh_device *device, struct perf_ours **ours, struct perf_error *error);
void perf_ours_destroy(struct perf_ours *ours);

/* Does the job `count` times (PERF_JOB_BATCH_MAX at most; modules: PERF_JOB_MODULES) and does not wait for its end. */
int perf_ours_run(struct perf_ours *ours, enum perf_job job, size_t count, struct perf_error *error);

/* Waits for what was submitted, and destroys the modules. */
int perf_ours_finish(struct perf_ours *ours, struct perf_error *error);

/* Builds the modules that `runs` runs of PERF_JOB_DISK will load: for another process to do. */
int perf_ours_build_ahead(struct perf_ours *ours, size_t runs, struct perf_error *error);

/* ---- by bare Level Zero calls ----------------------------------------------------------------------------------- */

struct perf_bare;

/* How commands are kept in order: by a barrier before each, by an event of each, for which the next one waits, or by an
 * in-order list. Jobs that end before the next begins (events, modules) need none of it. */
enum perf_order { PERF_ORDER_BARRIER, PERF_ORDER_CHAIN, PERF_ORDER_LIST };

/* The same in a context of its own on the same device, without the library. Fails for a device that is none of Level
 * Zero's, and in a build without Level Zero. */
int perf_bare_create(const uh_device_properties *device, struct perf_bare **bare, struct perf_error *error);
void perf_bare_destroy(struct perf_bare *bare);

/* Whether loader and driver have them, for PERF_ORDER_LIST. */
int perf_bare_has_in_order_lists(const uh_device_properties *device);

int perf_bare_run(struct perf_bare *bare, enum perf_job job, enum perf_order order, size_t count,
                  struct perf_error *error);
int perf_bare_finish(struct perf_bare *bare, struct perf_error *error);

#endif
