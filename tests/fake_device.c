/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/fake_device.h"

#include <stdatomic.h>
#include <time.h>

#include "runtime/host.h"
#include "runtime/queue.h"
#include "runtime/status.h"
#include "tests/support.h"

struct fake_event {
    atomic_int done;
    uh_status status; /* read when done */
};

struct fake_queue {
    uh_status error;
};

static atomic_size_t live;
static uh_status next_submission;
static uh_status free_status;

static uh_status queue_create(uh_queue *queue) {
    queue->native = calloc(1, sizeof(struct fake_queue));
    queue->options.threads = 1;
    live++;
    return UH_SUCCESS;
}

static void queue_destroy(uh_queue *queue) {
    free(queue->native);
    live--;
}

static uh_status queue_wait(uh_queue *queue) {
    struct fake_queue *native = queue->native;
    uh_status status = native->error;
    native->error = UH_SUCCESS;
    return status == UH_SUCCESS ? status : uhi_fail(status, "uh_queue_wait", NULL, "fake: the work failed");
}

static uh_status fake_alloc(const char *call, uh_device *device, uh_memory_kind kind, size_t size, size_t alignment,
                            void **pointer) {
    if (posix_memalign(pointer, alignment, size) != 0)
        return uhi_fail(UH_ERROR_OUT_OF_DEVICE_MEMORY, call, "size", "is %zu", size);
    live++;
    return UH_SUCCESS;
}

static uh_status fake_free(uh_device *device, void *pointer) {
    free(pointer);
    live--;
    return free_status == UH_SUCCESS ? free_status
                                     : uhi_fail(free_status, "uh_free", NULL, "fake: the memory cannot be freed");
}

/* Every submission does nothing. */
static uh_status submit(const uh_queue *queue, const struct uhi_submission *submission) {
    uh_status status = uhi_submission_wait_others(queue, submission);
    if (status == UH_SUCCESS && next_submission != UH_SUCCESS) {
        status = uhi_fail(next_submission, "uh_memcpy", NULL, "fake: cannot submit");
        next_submission = UH_SUCCESS;
    }
    if (status == UH_SUCCESS && submission->event) {
        submission->event->native = calloc(1, sizeof(struct fake_event));
        live++;
    }
    return status;
}

static uh_status fake_copy(uh_queue *queue, void *destination, const void *source, size_t size,
                           const struct uhi_submission *submission) {
    return submit(queue, submission);
}

static uh_status fake_fill(uh_queue *queue, void *destination, const void *pattern, size_t pattern_size, size_t count,
                           const struct uhi_submission *submission) {
    return submit(queue, submission);
}

static uh_status fake_launch(uh_queue *queue, const uh_kernel *kernel, const struct uhi_range *range,
                             const uh_arg *args, size_t nargs, const struct uhi_submission *submission) {
    return submit(queue, submission);
}

static uh_status event_wait(const char *call, uh_event *event, uint64_t nanoseconds) {
    struct fake_event *native = event->native;
    const struct timespec step = {0, 100000};
    uint64_t start = uhi_host_now();
    while (!atomic_load(&native->done)) {
        if (uhi_host_now() - start >= nanoseconds)
            return uhi_fail(UH_ERROR_TIMEOUT, call, NULL, "the work has not ended after %llu nanoseconds",
                            (unsigned long long)nanoseconds);
        nanosleep(&step, NULL);
    }
    return native->status == UH_SUCCESS ? UH_SUCCESS : uhi_fail(native->status, call, NULL, "fake: the work failed");
}

static void event_destroy(uh_event *event) {
    free(event->native);
    live--;
}

static uh_status event_profile(uh_event *event, uh_event_times *times) {
    *times = (uh_event_times){1, 2, 3};
    return UH_SUCCESS;
}

/* ---- modules: two kernels for any program, with the properties that the test sets ---------------------------- */

static atomic_size_t builds;
static _Atomic uh_status build_status;
static atomic_uint build_milliseconds;
static uh_kernel_properties kernel_properties;

static uh_status module_create(const char *call, uh_module *module, const struct uhi_module_source *source) {
    static const char *const names[] = {"first", "second"};
    const struct timespec pause = {0, (long)build_milliseconds * 1000000};
    builds++;
    nanosleep(&pause, NULL);
    if (build_status != UH_SUCCESS)
        return uhi_fail(build_status, call, NULL, "fake: cannot build");
    module->kernel_names = calloc(2, sizeof *module->kernel_names);
    for (size_t i = 0; i < 2; i++)
        module->kernel_names[i] = strdup(names[i]);
    module->kernel_count = 2;
    live++;
    return UH_SUCCESS;
}

static void module_destroy(uh_module *module) { live--; }

static uh_status kernel_create(const char *call, uh_kernel *kernel) {
    kernel->properties = kernel_properties;
    kernel->properties.struct_size = sizeof kernel->properties;
    live++;
    return UH_SUCCESS;
}

static void kernel_destroy(uh_kernel *kernel) { live--; }

static const struct uhi_backend backend = {
    .name = "fake",
    .queue_create = queue_create,
    .queue_destroy = queue_destroy,
    .queue_wait = queue_wait,
    .alloc = fake_alloc,
    .free = fake_free,
    .copy = fake_copy,
    .fill = fake_fill,
    .launch = fake_launch,
    .module_create = module_create,
    .module_destroy = module_destroy,
    .kernel_create = kernel_create,
    .kernel_destroy = kernel_destroy,
    .event_wait = event_wait,
    .event_destroy = event_destroy,
    .event_profile = event_profile,
};

/* What both devices are. */
#define FAKE_PROPERTIES(text)                                                                                          \
    {                                                                                                                  \
        .struct_size = sizeof(uh_device_properties), .kind = UH_DEVICE_ACCELERATOR, .name = "a fake device",           \
        .selector = text, .backend = "fake", .local_memory = 1024, .max_group_size = 256, .cores = 1, .threads = 1,    \
        .sockets = 1, .memory = 1 << 20, .timer_resolution = 1, .max_allocation = 1 << 20, .fp_exact = 1,              \
        .sub_group_sizes = {1},                                                                                        \
    }

static uh_device devices[] = {
    {.backend = &backend, .index = 0, .tile = -1, .root = 0, .root_tile = -1, .properties = FAKE_PROPERTIES("fake:0")},
    {.backend = &backend, .index = 1, .tile = -1, .root = 1, .root_tile = -1, .properties = FAKE_PROPERTIES("fake:1")},
};

uh_device *fake_device(void) { return &devices[0]; }

uh_device *fake_other_device(void) { return &devices[1]; }

size_t fake_builds(void) { return builds; }

void fake_build(uh_status status, unsigned milliseconds) {
    build_status = status;
    build_milliseconds = milliseconds;
}

void fake_kernel(const uh_kernel_properties *properties) { kernel_properties = *properties; }

void fake_finish(uh_event *event, uh_status status) {
    struct fake_event *native = event->native;
    native->status = status;
    atomic_store(&native->done, 1);
}

void fake_queue_error(uh_queue *queue, uh_status status) {
    struct fake_queue *native = queue->native;
    native->error = status;
}

void fake_submission_error(uh_status status) { next_submission = status; }

void fake_free_error(uh_status status) { free_status = status; }

size_t fake_live_objects(void) { return live; }
