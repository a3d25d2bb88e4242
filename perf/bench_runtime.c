/* SPDX-License-Identifier: Apache-2.0 */
/* What the runtime adds to a small job on a device: the same by the library and by bare Level Zero calls. */
#include "perf/bench.h"
#include "perf/jobs_runtime.h"

#ifdef UNIHIST_LEVEL_ZERO
#include "jobs_runtime.cl.h"
#endif

#include <stdio.h>

struct work {
    uh_queue *queue;
    uh_module *module; /* NULL on the host */
    uh_kernel *kernel;
    void *to, *usm;
    unsigned char plain[PERF_JOB_BYTES];
    struct perf_bare *bare; /* NULL on the host device */
};

static const struct {
    const char *name, *text;
} jobs[PERF_JOB_COUNT] = {
    [PERF_JOB_LAUNCH] = {"launch", "launch of a kernel that does nothing, group size and arguments set"},
    [PERF_JOB_COPY] = {"copy", "copy of 4 KiB from plain host memory to the device"},
    [PERF_JOB_EVENT] = {"event", "launch with an event, wait for it, end of the event"},
};

const char *perf_job_word(unsigned index) { return index < PERF_JOB_COUNT ? jobs[index].name : NULL; }

/* ---- the library ------------------------------------------------------------------------------------------------ */

static void launch(struct work *work, uh_event **event) {
    const uh_nd_range range = {.dims = 1, .global = {PERF_JOB_GROUP}, .local = {PERF_JOB_GROUP}};
    const uint32_t n = PERF_JOB_GROUP;
    const uh_arg args[] = {uh_arg_pointer(work->to), uh_arg_pointer(work->usm), uh_arg_value(&n, sizeof n)};
    perf_check(uh_parallel_for(work->queue, work->kernel, &range, args, 3, &(uh_submission){.event = event}));
}

static void launch_and_wait(struct work *work) {
    uh_event *event;
    launch(work, &event);
    perf_check(uh_event_wait(event, UINT64_MAX));
    uh_event_destroy(event);
}

static void run(struct perf_subject *subject) {
    struct work *work = subject->work;
    for (size_t i = 0; i < subject->what->calls; i++)
        switch ((enum perf_job)subject->what->shape) {
        case PERF_JOB_COPY: perf_check(uh_memcpy(work->queue, work->to, work->plain, PERF_JOB_BYTES, NULL)); break;
        case PERF_JOB_EVENT: launch_and_wait(work); break;
        default: launch(work, NULL); break;
        }
}

static void finish(struct perf_subject *subject) { perf_check(uh_queue_wait(((struct work *)subject->work)->queue)); }

/* ---- bare calls ------------------------------------------------------------------------------------------------- */

static const struct perf_subject library = {.name = "unihist", .threads = 1, .run = run, .check = finish};

#ifdef UNIHIST_LEVEL_ZERO
static void run_bare(struct perf_subject *subject) {
    const struct work *work = subject->work;
    perf_bare_run(work->bare, (enum perf_job)subject->what->shape, (enum perf_order)subject->choice,
                  subject->what->calls);
}

static void finish_bare(struct perf_subject *subject) { perf_bare_finish(((struct work *)subject->work)->bare); }

#define BARE(name_, order)                                                                                             \
    { .name = (name_), .role = PERF_BASELINE, .threads = 1, .choice = (order), .run = run_bare, .check = finish_bare }

static const struct perf_subject bare[] = {BARE("bare", PERF_ORDER_CHAIN), BARE("bare-barrier", PERF_ORDER_BARRIER),
                                           BARE("bare-chain", PERF_ORDER_CHAIN),
                                           BARE("bare-in-order", PERF_ORDER_LIST)};

/* A job that ends before the next begins is in order by itself. */
static void pick_bare(const struct perf_case *what, struct perf_subject *picked, size_t *count) {
    const int event = what->shape == PERF_JOB_EVENT;
    const size_t end = event ? 1 : perf_bare_has_in_order_lists(what->device->device) ? 4 : 3;
    for (size_t i = event ? 0 : 1; i < end; i++)
        picked[(*count)++] = bare[i];
}

static void begin_device(struct work *work, const struct perf_device *device) {
    perf_check(uh_module_create(device->device, &uh_program_jobs_runtime, NULL, &work->module) ||
               uh_kernel_get(work->module, PERF_JOB_KERNEL, &work->kernel));
    work->bare = perf_bare_create(device->device, &uh_program_jobs_runtime);
}
#endif

static void pick(const struct perf_case *what, struct perf_subject *picked, size_t *count) {
    picked[0] = library;
    *count = 1;
#ifdef UNIHIST_LEVEL_ZERO
    if (!what->device->host)
        pick_bare(what, picked, count);
#endif
    for (size_t i = 0; i < *count; i++)
        snprintf(picked[i].note, sizeof picked[i].note, "%s", jobs[what->shape].text);
}

/* ---- cases ------------------------------------------------------------------------------------------------------ */

/* A launch may take a fifth longer than the fastest bare calls, or a microsecond if that is more. */
static const struct perf_goal of_launch[] = {
    {PERF_GOAL_BASELINE, "x bare", "unihist", NULL, 1, .floor = 1.2, .slack = 1e-6, .shapes = 1 << PERF_JOB_LAUNCH},
    {.unit = NULL}};

static void list(struct perf_bench *bench) {
    for (int i = 0; i < PERF_JOB_COUNT; i++) {
        struct perf_case what = {.operation = &uhi_perf_runtime,
                                 .unit = PERF_TIMES,
                                 .baseline = "x bare",
                                 .n = 1,
                                 .calls = (size_t)bench->options.batch,
                                 .bytes = i == PERF_JOB_COPY ? PERF_JOB_BYTES : 0,
                                 .shape = i};
        if (!(bench->options.jobs >> i & 1))
            continue;
        snprintf(what.name, sizeof what.name, "runtime/%s/*", jobs[i].name);
        if (i == PERF_JOB_LAUNCH) {
            what.title = "a launch";
            what.goals = of_launch;
        }
        perf_add_case(bench, &what);
    }
}

static void do_nothing(const uh_work_group *group, void *const *args) {
    (void)group;
    (void)args;
}

static void begin(struct perf_bench *bench, void *shared) {
    struct work *work = shared;
    const struct perf_device *device = &bench->device;
    char text[128];
    snprintf(text, sizeof text, "%.0f jobs are submitted and timed at once, then waited for%s", bench->options.batch,
             device->host ? "; there is no Level Zero device, so there is nothing to compare with" : "");
    perf_report_fact("batch", text);
    perf_check(uh_queue_create(device->device, NULL, &work->queue) ||
               uh_malloc(device->device, UH_MEMORY_DEVICE, PERF_JOB_BYTES, 0, &work->to) ||
               uh_malloc(device->device, UH_MEMORY_HOST, PERF_JOB_BYTES, 0, &work->usm));
    if (device->host)
        perf_check(uh_kernel_create_host(PERF_JOB_KERNEL, do_nothing, &work->kernel));
#ifdef UNIHIST_LEVEL_ZERO
    else
        begin_device(work, device);
#endif
}

static void end(void *shared) {
    struct work *work = shared;
#ifdef UNIHIST_LEVEL_ZERO
    perf_bare_destroy(work->bare);
#endif
    uh_queue_wait(work->queue);
    if (!work->module)
        uh_kernel_destroy(work->kernel);
    uh_module_destroy(work->module);
    uh_free(work->usm);
    uh_free(work->to);
    uh_queue_destroy(work->queue);
}

const struct perf_operation uhi_perf_runtime = {
    .name = "runtime",
    .about =
        "runtime: the host's time for small jobs on a device through the runtime, and by bare Level Zero calls that\n"
        "do the same in order: what the runtime adds. On the host device there is nothing to compare with.",
    .options = "runtime",
    .work_size = sizeof(struct work),
    .free_threads = 1,
    .list = list,
    .pick = pick,
    .begin = begin,
    .end = end};
