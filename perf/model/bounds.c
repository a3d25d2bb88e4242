/* SPDX-License-Identifier: Apache-2.0 */
#include "perf/model/bounds.h"

#include <math.h>

enum { MESSAGE = 16 /* bytes of a lane that one message reads of an array */ };

const char *const model_bound_names[MODEL_BOUNDS] = {"issue", "local", "cache", "atomics", "memory", "latency"};

/* Finds how many groups of a core there are room and threads for, of a launch that the prediction has. */
static void fill_core(const struct model_device *device, const struct model_kernel *kernel,
                      struct model_prediction *prediction) {
    const struct model_launch *launch = &prediction->launch;
    const uint32_t all = device->engines * device->threads / (kernel->registers > 128 ? 2 : 1);
    const uint32_t group = (uint32_t)((launch->group_size + kernel->lanes - 1) / kernel->lanes);
    const uint32_t launched = (uint32_t)((launch->groups + device->cores - 1) / device->cores);
    const uint32_t local_bytes = model_local_size(device, launch->local_bytes);
    uint32_t groups = all / group;
    if (local_bytes && groups > device->local_bytes / local_bytes)
        groups = device->local_bytes / local_bytes;
    prediction->groups = groups < launched ? groups : launched;
    prediction->threads = prediction->groups * group;
}

/* Slots a point of the ways that the points take. Where ways with many look-ups are not those that add, another kernel
 * tells what additions cost with its reads, which are as many. */
static double slots_of(const struct model_kernel *kernel, const struct model_kernel *additions, double reads,
                       double lookups, double atomics) {
    if (!additions)
        return model_kernel_slots(kernel, reads + lookups);
    return model_kernel_slots(kernel, reads + lookups - atomics) + model_kernel_slots(additions, reads + atomics) -
           model_kernel_slots(additions, reads);
}

/* Finds the bounds by what was simulated; `additions` is the kernel of launch.additions, or NULL. */
static void find_bounds(const struct model_device *device, const struct model_kernel *kernel,
                        const struct model_kernel *additions, const struct model_sums *sums,
                        struct model_prediction *p) {
    const struct model_launch *launch = &p->launch;
    const double n = (double)sums->points, lanes = kernel->lanes, cores = device->cores, clock = device->clock;
    const double read = launch->arrays * launch->value_bytes, bytes = read + launch->written;
    const double blocks = kernel->messages[MODEL_LOCAL_BLOCK];
    p->lookups = (double)sums->messages * lanes / n;
    p->local_messages = (double)sums->local_messages * lanes / n + blocks;
    p->local_cycles = ((double)sums->local_cycles * lanes / n + blocks) / lanes;
    p->lines = (double)sums->lines / n + bytes / device->line_bytes;
    p->atomic_cycles = (double)sums->atomic_cycles / n;
    p->slots = slots_of(kernel, additions, read / MESSAGE, p->lookups, (double)sums->atomics * lanes / n);
    /* A thread waits, for a point of each of its lanes: a vector's messages are on their way together. */
    const double vectors = kernel->messages[MODEL_GLOBAL_BLOCK] + (read > 0 ? 1. / launch->width : 0);
    const double global = p->lookups + blocks - p->local_messages + vectors;
    const double wait = p->local_messages * device->local_latency + global * device->global_latency + p->slots * lanes;
    p->rate[MODEL_ISSUE] = cores * device->engines * clock / p->slots;
    p->rate[MODEL_LOCAL] = p->local_cycles > 0 ? cores * clock / p->local_cycles : HUGE_VAL;
    p->rate[MODEL_CACHE] = cores * clock * device->lines / p->lines;
    p->rate[MODEL_ATOMICS] = p->atomic_cycles > 0 ? device->atomic_lines * clock / p->atomic_cycles : HUGE_VAL;
    p->rate[MODEL_MEMORY] = device->memory_rate / bytes;
    p->rate[MODEL_LATENCY] = cores * p->threads * lanes * clock / wait;
    p->binds = MODEL_ISSUE;
    for (int i = 0; i < MODEL_BOUNDS; i++)
        if (p->rate[i] < p->rate[p->binds])
            p->binds = (enum model_bound)i;
}

int model_predict(const struct model_device *device, const struct model_figures *figures, const struct model_case *of,
                  struct model_prediction *prediction, struct perf_error *error) {
    const struct model_operation *operation = model_operation_of(of->operation);
    const struct model_kernel *kernel = NULL, *additions = NULL;
    struct model_launch *launch = &prediction->launch;
    struct model_sums sums = {.points = 0};
    void *work = NULL;
    *prediction = (struct model_prediction){.launch = {.value_bytes = (uint32_t)uh_dtype_size(of->type)}};
    int status = operation->open(device, of, &work, launch, error);
    if (status != PERF_OK)
        goto out;
    kernel = model_kernel_find(figures, launch->kernel);
    additions = model_kernel_find(figures, launch->additions);
    if (!kernel || (*launch->additions && !additions)) {
        status = perf_fail(error, "there are no figures of %s", kernel ? launch->additions : launch->kernel);
        goto out;
    }
    fill_core(device, kernel, prediction);
    const struct model_walk walk = {device, kernel->lanes, launch->width, operation->follow, work};
    model_simulate(&walk, MODEL_POINTS, &sums);
    status = operation->check(work, error);
    if (status == PERF_OK)
        find_bounds(device, kernel, additions, &sums, prediction);
out:
    operation->close(work);
    return status;
}
