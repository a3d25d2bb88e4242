/* SPDX-License-Identifier: Apache-2.0 */
/* What the runtime adds to a small job on a device: the same by the library and by bare Level Zero calls. */
#define _XOPEN_SOURCE 700 /* nftw */
#include "perf/bench.h"
#include "perf/jobs_runtime.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct work {
    struct perf_ours *ours;
    struct perf_bare *bare; /* NULL on the host device */
    char cache[64];         /* a folder of our own, "" before it is made */
};

static int is_module(enum perf_job job) {
    return job == PERF_JOB_BUILD || job == PERF_JOB_DISK || job == PERF_JOB_MEMORY;
}

/* ---- subjects --------------------------------------------------------------------------------------------------- */

static int run_ours(struct perf_subject *subject, struct perf_error *error) {
    const struct work *work = subject->work;
    return perf_ours_run(work->ours, (enum perf_job)subject->choice, subject->what->calls, error);
}

static int finish_ours(struct perf_subject *subject, struct perf_error *error) {
    return perf_ours_finish(((struct work *)subject->work)->ours, error);
}

static int run_bare(struct perf_subject *subject, struct perf_error *error) {
    const struct work *work = subject->work;
    const enum perf_order order = strcmp(subject->name, "bare-barrier") == 0    ? PERF_ORDER_BARRIER
                                  : strcmp(subject->name, "bare-in-order") == 0 ? PERF_ORDER_LIST
                                                                                : PERF_ORDER_CHAIN;
    return perf_bare_run(work->bare, (enum perf_job)subject->choice, order, subject->what->calls, error);
}

static int finish_bare(struct perf_subject *subject, struct perf_error *error) {
    return perf_bare_finish(((struct work *)subject->work)->bare, error);
}

static void add(struct perf_subject *picked, size_t *count, const char *name, enum perf_role role, enum perf_job job) {
    const int bare = *count > 0;
    struct perf_subject *subject = &picked[(*count)++];
    *subject = (struct perf_subject){.name = name,
                                     .role = role,
                                     .threads = 1,
                                     .choice = (int)job,
                                     .run = bare ? run_bare : run_ours,
                                     .check = bare ? finish_bare : finish_ours};
    snprintf(subject->note, sizeof subject->note, "%s", perf_job_text(job));
}

/* Those behind the library that do all it does are the baseline. What ends before the next begins is in order anyhow.
 */
static void pick(const struct perf_case *what, struct perf_subject *picked, size_t *count) {
    const enum perf_job job = (enum perf_job)what->shape;
    *count = 0;
    add(picked, count, "unihist", PERF_COMPARED, job);
    if (what->device->host)
        return;
    if (is_module(job) || job == PERF_JOB_EVENT) {
        add(picked, count, "bare", PERF_BASELINE, job);
        return;
    }
    add(picked, count, "bare-barrier", PERF_BASELINE, job);
    add(picked, count, "bare-chain", PERF_BASELINE, job);
    if (perf_bare_has_in_order_lists(&what->device->properties))
        add(picked, count, "bare-in-order", PERF_BASELINE, job);
}

/* ---- cases ------------------------------------------------------------------------------------------------------ */

/* A launch may take a fifth longer than the fastest bare calls, or a microsecond where that is more. */
static const struct perf_goal of_launch[] = {
    {PERF_BESIDE_BASELINE, "x bare", "unihist", NULL, 1, .floor = 1.2, .slack = 1e-6, .shapes = 1 << PERF_JOB_LAUNCH},
    {.unit = NULL}};

static int uses_cache(void) {
    const char *cache = getenv("UNIHIST_CACHE");
    return !cache || strcmp(cache, "off") != 0;
}

static int build_ahead(struct perf_bench *bench, struct perf_error *error) {
    struct perf_ours *ours = NULL;
    int status = perf_ours_create(bench->devices[0].device, &ours, error);
    if (status == PERF_OK)
        status = perf_ours_build_ahead(ours, PERF_ROUNDS + 1, error);
    perf_ours_destroy(ours);
    return status;
}

static int list(struct perf_bench *bench, struct perf_error *error) {
    const int host = bench->devices[0].host;
    int status = PERF_OK;
    if (bench->options.build_ahead)
        return host ? PERF_OK : build_ahead(bench, error);
    for (int i = 0; status == PERF_OK && i < PERF_JOB_COUNT; i++) {
        const enum perf_job job = (enum perf_job)i;
        const int cached = job == PERF_JOB_DISK || job == PERF_JOB_MEMORY;
        struct perf_case what = {.operation = &uhi_perf_runtime,
                                 .unit = PERF_TIMES,
                                 .baseline = "x bare",
                                 .n = 1,
                                 .calls = is_module(job) ? PERF_JOB_MODULES : (size_t)bench->options.batch,
                                 .bytes = job == PERF_JOB_COPY ? PERF_JOB_BYTES : 0,
                                 .shape = i,
                                 .fewest_runs = is_module(job)};
        if (!(bench->options.jobs >> i & 1) || (is_module(job) && host) || (cached && !uses_cache()))
            continue;
        snprintf(what.name, sizeof what.name, "runtime/%s/*", perf_job_name(job));
        if (job == PERF_JOB_LAUNCH) {
            what.title = "a launch";
            what.goals = of_launch;
            snprintf(what.once_more, sizeof what.once_more,
                     "runtime --jobs launch --min-time %g --batch %g --device %.30s", bench->options.min_time,
                     bench->options.batch, bench->devices[0].properties.selector);
        }
        status = perf_add_case(bench, &what, error);
    }
    return status;
}

static int make(struct perf_case *what, void *work, struct perf_error *error) {
    (void)what;
    (void)work;
    (void)error;
    return PERF_OK;
}

/* ---- the device and the cache of modules ------------------------------------------------------------------------ */

/* The library is to keep built modules in a folder of our own, where another process builds those that we shall load.
 */
static int make_cache(struct perf_bench *bench, struct work *work, struct perf_error *error) {
    char folder[] = "/tmp/unihist-perf.XXXXXX", arguments[128], *output = NULL;
    if (!mkdtemp(folder))
        return perf_fail(error, "cannot make a folder in /tmp for built modules");
    snprintf(work->cache, sizeof work->cache, "%s", folder);
    if (setenv("XDG_CACHE_HOME", folder, 1))
        return perf_fail(error, "out of memory");
    if (bench->devices[0].host || !uses_cache() || !(bench->options.jobs >> PERF_JOB_DISK & 1))
        return PERF_OK;
    snprintf(arguments, sizeof arguments, "runtime --build-ahead --device %.64s 2>&1",
             bench->devices[0].properties.selector);
    int status = perf_run_self("", arguments, &output, error);
    free(output);
    return status;
}

static int begin(struct perf_bench *bench, void *shared, struct perf_error *error) {
    struct work *work = shared;
    const struct perf_device *device = &bench->devices[0];
    char text[128];
    int status = make_cache(bench, work, error);
    snprintf(text, sizeof text, "%.0f jobs are submitted and timed at once, then waited for%s", bench->options.batch,
             device->host ? "; there is no Level Zero device, so there is nothing to compare with" : "");
    perf_report_fact("batch", text);
    if (status == PERF_OK)
        status = perf_ours_create(device->device, &work->ours, error);
    if (status == PERF_OK && !device->host)
        status = perf_bare_create(&device->properties, &work->bare, error);
    return status;
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *walk) {
    (void)status;
    (void)type;
    (void)walk;
    return remove(path);
}

static void end(void *shared) {
    struct work *work = shared;
    perf_bare_destroy(work->bare);
    perf_ours_destroy(work->ours);
    if (work->cache[0])
        nftw(work->cache, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

const struct perf_operation uhi_perf_runtime = {
    .name = "runtime",
    .about =
        "runtime: the host's time for small jobs on a device through the runtime, and by bare Level Zero calls that\n"
        "do the same in order: what the runtime adds. On the host device there is nothing to compare with.",
    .of = PERF_OF_RUNTIME,
    .work_size = sizeof(struct work),
    .free_threads = 1,
    .list = list,
    .pick = pick,
    .make = make,
    .begin = begin,
    .end = end};
