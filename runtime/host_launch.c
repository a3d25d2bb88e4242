/* SPDX-License-Identifier: Apache-2.0 */
/* Host submissions and kernels: the queue's threads share the work-groups. */
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/host.h"
#include "runtime/log.h"
#include "runtime/queue.h"
#include "runtime/status.h"

/* Groups per thread if the library chooses their size: more than one, so that a slow thread delays nobody. */
enum { GROUPS_PER_THREAD = 4 };
/* Chunks of groups per thread if there are very many groups. */
enum { CHUNKS_PER_THREAD = 64 };
/* Alignment of local memory, and of values, which may be vectors. */
enum { LOCAL_ALIGNMENT = 64, VALUE_ALIGNMENT = 16 };
/* Arguments up to this many bytes need no allocation. */
enum { SMALL_ARGUMENTS = 1024 };

/* One launch, shared by all its threads. */
struct launch {
    uh_host_function function;
    uh_work_group prototype;
    size_t local[3];
    size_t groups;
    size_t chunk; /* groups a thread takes at a time */
    uint32_t threads;
    const uh_arg *args;
    size_t nargs;
    void **pointers;        /* nargs entries, as passed to the function; local memory is still NULL */
    unsigned char *scratch; /* per thread: its own pointers and local memory; NULL if there is no local memory */
    size_t scratch_size;    /* per thread */
};

/* A forked process inherits OpenMP's record of threads, but not the threads, and would wait for them forever. */
static int forked;

static void note_fork(void) { forked = 1; }

static void watch_forks(void) { pthread_atfork(NULL, NULL, note_fork); }

uint32_t uhi_host_workers(uint32_t threads) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (threads > 1)
        pthread_once(&once, watch_forks);
    return forked ? 1 : threads;
}

uh_status uhi_host_begin(const uh_queue *queue, const struct uhi_submission *submission,
                         struct uhi_host_run *run_launch) {
    *run_launch = (struct uhi_host_run){.traced = uhi_log_level() >= UH_LOG_TRACE};
    run_launch->timed = run_launch->traced || (submission->event && submission->event->queue->options.profiling);
    if (run_launch->timed)
        run_launch->times.submitted = uhi_host_now();
    uh_status status = uhi_submission_wait_others(queue, submission);
    if (!status && run_launch->timed)
        run_launch->times.started = uhi_host_now();
    return status;
}

unsigned long long uhi_host_end(const struct uhi_submission *submission, struct uhi_host_run *run_launch) {
    if (run_launch->timed)
        run_launch->times.ended = uhi_host_now();
    if (submission->event)
        submission->event->times = run_launch->times;
    return run_launch->times.ended - run_launch->times.started;
}

static size_t round_up(size_t size, size_t alignment) { return (size + alignment - 1) & ~(alignment - 1); }

static size_t divide_up(size_t a, size_t b) { return a / b + (a % b != 0); }

/* Chooses the local sizes that are 0. Splits the last dimension first, to keep neighbours in the first one together. */
static void choose_local(const struct uhi_range *range, uint32_t threads, size_t local[3]) {
    size_t wanted = threads > 1 ? (size_t)threads * GROUPS_PER_THREAD : 1;
    for (int d = 0; d < 3; d++) {
        local[d] = range->local[d];
        if (local[d])
            wanted = divide_up(wanted, divide_up(range->global[d], local[d]));
    }
    for (int d = 2; d >= 0; d--) {
        if (local[d])
            continue;
        size_t parts = wanted < range->global[d] ? wanted : range->global[d];
        local[d] = divide_up(range->global[d], parts);
        wanted = divide_up(wanted, divide_up(range->global[d], local[d]));
    }
}

/* Fills in the groups; the range is not empty. */
static void plan_groups(struct launch *launch, const struct uhi_range *range, uint32_t threads) {
    uh_work_group *group = &launch->prototype;
    memset(group, 0, sizeof *group);
    choose_local(range, threads, launch->local);
    group->dims = range->dims;
    launch->groups = 1;
    for (int d = 0; d < 3; d++) {
        group->group_count[d] = divide_up(range->global[d], launch->local[d]);
        group->global[d] = range->global[d];
        group->offset[d] = range->offset[d];
        launch->groups *= group->group_count[d];
    }
    launch->threads = launch->groups < threads ? (uint32_t)launch->groups : threads;
    launch->chunk = launch->groups / ((size_t)launch->threads * CHUNKS_PER_THREAD) + 1;
}

/* Computes the bytes of the pointers and value copies, and of one thread's pointers and local memory. Returns -1 if
 * they exceed SIZE_MAX. */
static int measure_arguments(struct launch *launch, size_t *shared) {
    const size_t max = SIZE_MAX / 2;
    int has_local = 0;
    if (launch->nargs > max / sizeof(void *))
        return -1;
    *shared = round_up(launch->nargs * sizeof(void *), VALUE_ALIGNMENT);
    launch->scratch_size = round_up(launch->nargs * sizeof(void *), LOCAL_ALIGNMENT);
    for (size_t i = 0; i < launch->nargs; i++) {
        const uh_arg *arg = &launch->args[i];
        size_t *sum = arg->kind == UH_ARG_VALUE ? shared : &launch->scratch_size;
        if (arg->kind == UH_ARG_POINTER)
            continue;
        if (arg->size > max - *sum)
            return -1;
        *sum = round_up(*sum + arg->size, arg->kind == UH_ARG_VALUE ? VALUE_ALIGNMENT : LOCAL_ALIGNMENT);
        has_local |= arg->kind == UH_ARG_LOCAL;
    }
    if (!has_local)
        launch->scratch_size = 0;
    return launch->scratch_size > max / launch->threads ? -1 : 0;
}

/* Fills in the pointers, and copies the values after them. */
static void copy_arguments(struct launch *launch, void *storage) {
    unsigned char *next = (unsigned char *)storage + round_up(launch->nargs * sizeof(void *), VALUE_ALIGNMENT);
    launch->pointers = storage;
    for (size_t i = 0; i < launch->nargs; i++) {
        const uh_arg *arg = &launch->args[i];
        launch->pointers[i] = arg->kind == UH_ARG_POINTER ? (void *)(uintptr_t)arg->value : NULL;
        if (arg->kind == UH_ARG_VALUE) {
            launch->pointers[i] = memcpy(next, arg->value, arg->size);
            next += round_up(arg->size, VALUE_ALIGNMENT);
        }
    }
}

/* Returns the arguments for one thread's groups. */
static void *const *arguments_of_thread(const struct launch *launch, size_t thread) {
    if (!launch->scratch)
        return launch->pointers;
    unsigned char *next = launch->scratch + thread * launch->scratch_size;
    void **pointers = (void **)(void *)next;
    memcpy(pointers, launch->pointers, launch->nargs * sizeof *pointers);
    next += round_up(launch->nargs * sizeof(void *), LOCAL_ALIGNMENT);
    for (size_t i = 0; i < launch->nargs; i++)
        if (launch->args[i].kind == UH_ARG_LOCAL) {
            pointers[i] = next;
            next += round_up(launch->args[i].size, LOCAL_ALIGNMENT);
        }
    return pointers;
}

/* Runs group number `index`; `group` is the thread's own copy of the prototype. */
static inline void run_group(const struct launch *launch, size_t index, uh_work_group *group, void *const *arguments) {
    if (group->dims == 1) {
        group->group_id[0] = index;
    } else {
        size_t row = index / group->group_count[0];
        group->group_id[0] = index % group->group_count[0];
        group->group_id[1] = row % group->group_count[1];
        group->group_id[2] = row / group->group_count[1];
    }
    for (int d = 0; d < 3; d++) {
        size_t start = group->group_id[d] * launch->local[d];
        size_t left = group->global[d] - start;
        group->first[d] = group->offset[d] + start;
        group->size[d] = left < launch->local[d] ? left : launch->local[d];
    }
    launch->function(group, arguments);
}

static void run_one_thread(const struct launch *launch) {
    uh_work_group group = launch->prototype;
    void *const *arguments = arguments_of_thread(launch, 0);
    for (size_t i = 0; i < launch->groups; i++)
        run_group(launch, i, &group, arguments);
}

static void run_threads(const struct launch *launch) {
    size_t groups = launch->groups;
#pragma omp parallel num_threads((int)launch->threads) default(none) shared(launch) firstprivate(groups)
    {
        uh_work_group group = launch->prototype;
        void *const *arguments = arguments_of_thread(launch, (size_t)omp_get_thread_num());
        if (groups <= launch->threads) {
#pragma omp for schedule(static, 1) nowait
            for (size_t i = 0; i < groups; i++)
                run_group(launch, i, &group, arguments);
        } else {
#pragma omp for schedule(dynamic, launch->chunk) nowait
            for (size_t i = 0; i < groups; i++)
                run_group(launch, i, &group, arguments);
        }
    }
}

/* Allocates storage for arguments beyond `small`, runs, and frees it. */
static uh_status run_launch(struct launch *launch, const char *name, void *small) {
    uh_status status = UH_ERROR_OUT_OF_MEMORY;
    size_t shared = 0;
    void *storage = NULL;
    void *scratch = NULL;
    if (measure_arguments(launch, &shared) != 0)
        goto out;
    if (shared > SMALL_ARGUMENTS && posix_memalign(&storage, LOCAL_ALIGNMENT, shared) != 0)
        goto out;
    if (launch->scratch_size && posix_memalign(&scratch, LOCAL_ALIGNMENT, launch->scratch_size * launch->threads) != 0)
        goto out;
    launch->scratch = scratch;
    copy_arguments(launch, storage ? storage : small);
    if (launch->threads == 1)
        run_one_thread(launch);
    else
        run_threads(launch);
    status = UH_SUCCESS;
out:
    if (status)
        status = uhi_fail(status, "uh_parallel_for", NULL, "out of memory for the arguments of kernel \"%.64s\"", name);
    free(scratch);
    free(storage);
    return status;
}

uh_status uhi_host_launch(uh_queue *queue, const uh_kernel *kernel, const struct uhi_range *range, const uh_arg *args,
                          size_t nargs, const struct uhi_submission *submission) {
    _Alignas(LOCAL_ALIGNMENT) unsigned char small[SMALL_ARGUMENTS];
    struct launch launch = {.function = kernel->function, .args = args, .nargs = nargs};
    struct uhi_host_run timing;
    UHI_TRY(uhi_host_begin(queue, submission, &timing));
    uh_status status = UH_SUCCESS;
    if (range->global[0] && range->global[1] && range->global[2]) {
        plan_groups(&launch, range, uhi_host_workers(queue->options.threads));
        status = run_launch(&launch, kernel->name, small);
    }
    const unsigned long long took = uhi_host_end(submission, &timing);
    if (timing.traced)
        uhi_log(UH_LOG_TRACE, "uh_parallel_for: %s, %zu groups, %u threads, %llu ns: %s", kernel->name, launch.groups,
                (unsigned)launch.threads, took, uh_status_name(status));
    return status;
}
