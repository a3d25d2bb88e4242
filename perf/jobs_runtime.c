/* SPDX-License-Identifier: Apache-2.0 */
#include "perf/jobs_runtime.h"

#include <stdlib.h>
#include <string.h>

struct perf_ours {
    uh_device *device;
    uh_queue *queue;
    uh_module *module; /* NULL on the host */
    uh_kernel *kernel;
    void *to, *usm;
    unsigned char plain[PERF_JOB_BYTES];
    struct perf_spirv spirv;
    uint32_t built, loaded; /* variants of the program taken so far */
    size_t module_count;
    uh_module *modules[PERF_JOB_MODULES];
};

static const struct {
    const char *name, *text;
} jobs[PERF_JOB_COUNT] = {
    [PERF_JOB_LAUNCH] = {"launch", "launch of a kernel that does nothing, group size and arguments set"},
    [PERF_JOB_COPY] = {"copy", "copy of 4 KiB from plain host memory to the device"},
    [PERF_JOB_EVENT] = {"event", "launch with an event, wait for it, end of the event"},
    [PERF_JOB_BUILD] = {"build", "module from SPIR-V that nobody has built yet"},
    [PERF_JOB_DISK] = {"disk", "module that another process has built; bare: from the native binary"},
    [PERF_JOB_MEMORY] = {"memory", "module that this process has built; bare: from the native binary"},
};

const char *perf_job_name(enum perf_job job) {
    return jobs[job].name;
}

const char *perf_job_text(enum perf_job job) {
    return jobs[job].text;
}

/* Numbers of variants that are built by this process, and by the one before it. */
enum { VARIANT_BUILD = 1, VARIANT_DISK = 0x8000 };

static void do_nothing(const uh_work_group *group, void *const *args) {
    (void)group;
    (void)args;
}

static int is_host(const uh_device *device) {
    uh_device_properties properties = {.struct_size = sizeof properties};
    return uh_device_get_properties(device, &properties) == UH_SUCCESS && strcmp(properties.backend, "host") == 0;
}

int perf_ours_create(uh_device *device, struct perf_ours **ours, struct perf_error *error) {
    struct perf_ours *made = calloc(1, sizeof *made);
    if (!made)
        return perf_fail(error, "out of memory");
    made->device = device;
    made->spirv = perf_job_program();
    const uh_program program = {.spirv = made->spirv.code, .spirv_size = made->spirv.size};
    if (uh_queue_create(device, NULL, &made->queue) ||
        uh_malloc(device, UH_MEMORY_DEVICE, PERF_JOB_BYTES, 0, &made->to) ||
        uh_malloc(device, UH_MEMORY_HOST, PERF_JOB_BYTES, 0, &made->usm))
        goto failed;
    if (is_host(device)) {
        if (uh_kernel_create_host(PERF_JOB_KERNEL, do_nothing, &made->kernel))
            goto failed;
    } else if (uh_module_create(device, &program, NULL, &made->module) ||
               uh_kernel_get(made->module, PERF_JOB_KERNEL, &made->kernel)) {
        goto failed;
    }
    *ours = made;
    return PERF_OK;
failed:
    perf_library_failed(error);
    perf_ours_destroy(made);
    return PERF_FAILURE;
}

void perf_ours_destroy(struct perf_ours *ours) {
    struct perf_error ignored;
    if (!ours)
        return;
    if (ours->queue)
        perf_ours_finish(ours, &ignored);
    if (ours->kernel && !ours->module)
        uh_kernel_destroy(ours->kernel);
    uh_module_destroy(ours->module);
    uh_free(ours->usm);
    uh_free(ours->to);
    uh_queue_destroy(ours->queue);
    free(ours);
}

static uh_status launch(struct perf_ours *ours, uh_event **event) {
    const uh_nd_range range = {.dims = 1, .global = {PERF_JOB_GROUP}, .local = {PERF_JOB_GROUP}};
    const uint32_t n = PERF_JOB_GROUP;
    const uh_arg args[] = {uh_arg_pointer(ours->to), uh_arg_pointer(ours->usm), uh_arg_value(&n, sizeof n)};
    return uh_parallel_for(ours->queue, ours->kernel, &range, args, 3, &(uh_submission){.event = event});
}

static uh_status launch_and_wait(struct perf_ours *ours) {
    uh_event *event = NULL;
    uh_status status = launch(ours, &event);
    if (status == UH_SUCCESS)
        status = uh_event_wait(event, UINT64_MAX);
    uh_event_destroy(event);
    return status;
}

static int load(struct perf_ours *ours, const struct perf_spirv *spirv, struct perf_error *error) {
    if (ours->module_count == PERF_JOB_MODULES)
        return perf_fail(error, "more than %d modules at once", PERF_JOB_MODULES);
    const uh_program program = {.spirv = spirv->code, .spirv_size = spirv->size};
    if (uh_module_create(ours->device, &program, NULL, &ours->modules[ours->module_count]))
        return perf_library_failed(error);
    ours->module_count++;
    return PERF_OK;
}

/* Each variant is made outside the library, but inside the measured time: copying a small program is nothing beside
 * building or loading it. */
static int load_variant(struct perf_ours *ours, uint32_t number, struct perf_error *error) {
    void *copy = perf_spirv_variant(&ours->spirv, number);
    if (!copy)
        return perf_fail(error, "out of memory for a program");
    int status = load(ours, &(struct perf_spirv){copy, ours->spirv.size}, error);
    free(copy);
    return status;
}

int perf_ours_run(struct perf_ours *ours, enum perf_job job, size_t count, struct perf_error *error) {
    uh_status failed = UH_SUCCESS;
    int status = PERF_OK;
    for (size_t i = 0; !failed && status == PERF_OK && i < count; i++)
        switch (job) {
        case PERF_JOB_LAUNCH: failed = launch(ours, NULL); break;
        case PERF_JOB_COPY: failed = uh_memcpy(ours->queue, ours->to, ours->plain, PERF_JOB_BYTES, NULL); break;
        case PERF_JOB_EVENT: failed = launch_and_wait(ours); break;
        case PERF_JOB_BUILD: status = load_variant(ours, VARIANT_BUILD + ours->built++, error); break;
        case PERF_JOB_DISK: status = load_variant(ours, VARIANT_DISK + ours->loaded++, error); break;
        case PERF_JOB_MEMORY: status = load(ours, &ours->spirv, error); break;
        default: status = perf_fail(error, "the library has no job %d", (int)job); break;
        }
    return failed ? perf_library_failed(error) : status;
}

int perf_ours_finish(struct perf_ours *ours, struct perf_error *error) {
    uh_status status = uh_queue_wait(ours->queue);
    while (ours->module_count)
        uh_module_destroy(ours->modules[--ours->module_count]);
    return status ? perf_library_failed(error) : PERF_OK;
}

int perf_ours_build_ahead(struct perf_ours *ours, size_t runs, struct perf_error *error) {
    int status = PERF_OK;
    for (size_t i = 0; status == PERF_OK && i < runs; i++) {
        status = perf_ours_run(ours, PERF_JOB_DISK, PERF_JOB_MODULES, error);
        if (status == PERF_OK)
            status = perf_ours_finish(ours, error);
    }
    return status;
}
