/* SPDX-License-Identifier: Apache-2.0 */
/* The order of launches that counts samples on a device without storing them. */
#include <stdio.h>
#include <stdlib.h>

#include "kernels/histogram/histogram_shape.h"
#include "kernels/sample/sample_state.h"
#include "runtime/queue.h"
#include "runtime/status.h"

/* Samples of several parts are put together in memory before they are counted, so many at a time. */
enum { TOGETHER = 1 << 22 };

/* One counting of samples. */
struct counting {
    struct uhi_sample_device *device;
    struct uhi_histogram_shape shape;
    uint32_t bins;
    const uint32_t *outcomes; /* of bins, or NULL */
    uint32_t *words;          /* counts on the device: `slabs` tables of `bins` */
    uint32_t *together;       /* on the device: samples of several parts; NULL with one */
    uint32_t *readback;
    uint64_t *counts;
};

static struct uhi_histogram_shape shape_of(const struct uhi_sample_device *device, size_t bins) {
    const uint64_t front = device->part[0].words * sizeof(uint32_t);
    struct uhi_histogram_shape shape = uhi_histogram_choose(bins, front, &device->engine.properties);
    if (front == 0 && shape.variant == UHI_VARIANT_LOCAL)
        shape.variant = UHI_VARIANT_LOCAL_COUNTS;
    return shape;
}

static uh_status prepare(const char *call, struct counting *counting, size_t length, uint64_t n) {
    struct uhi_sample_device *device = counting->device;
    const struct uhi_sample_part *part = &device->part[0];
    const int several = device->parts > 1;
    const uint32_t zero = 0;
    void *memory = NULL;
    counting->bins = several ? (uint32_t)length : part->bins;
    counting->outcomes = several ? NULL : part->outcomes;
    counting->shape = shape_of(device, counting->bins);
    const size_t words = (size_t)counting->shape.slabs * counting->bins;
    counting->readback = malloc(counting->bins * sizeof *counting->readback);
    if (!counting->readback)
        return uhi_fail(UH_ERROR_OUT_OF_MEMORY, "%s: no memory for %u counts", call, (unsigned)counting->bins);
    uh_status status = uh_malloc_device(device->engine.device, words * sizeof *counting->words, 0, &memory);
    counting->words = memory;
    if (!status && several) {
        const size_t room = n < TOGETHER ? (size_t)n : TOGETHER;
        memory = NULL;
        status = uh_malloc_device(device->engine.device, room * sizeof *counting->together, 0, &memory);
        counting->together = memory;
    }
    if (!status)
        status = uh_fill(device->engine.queue, counting->words, &zero, sizeof zero, words, NULL, 0, NULL);
    return status;
}

/* Counts samples of one part. */
static uh_status launch_count(const struct counting *counting, const struct uhi_sample_piece *piece) {
    struct uhi_sample_device *device = counting->device;
    const struct uhi_sample_part *part = &device->part[0];
    const struct uhi_histogram_shape *shape = &counting->shape;
    const char *where = shape->variant == UHI_VARIANT_LOCAL ? "local" : shape->local_counts ? "mixed" : "global";
    struct uhi_sample_words words;
    uh_arg args[UHI_SAMPLE_ARGS + 6];
    uh_kernel *kernel = NULL;
    uh_status status = uhi_sample_kernel(device, "count", part, where, &kernel);
    if (status)
        return status;
    size_t count = uhi_sample_args(part, piece, &words, args);
    args[count++] = uh_arg_pointer(counting->words);
    args[count++] = uh_arg_value(&counting->bins, sizeof counting->bins);
    if (shape->local_counts) {
        args[count++] = uh_arg_value(&shape->pitch, sizeof shape->pitch);
        args[count++] = uh_arg_value(&shape->replicas, sizeof shape->replicas);
        if (shape->variant == UHI_VARIANT_LOCAL)
            args[count++] = uh_arg_local(shape->local_tables);
        args[count++] = uh_arg_local(shape->local_counts);
    } else {
        args[count++] = uh_arg_value(&shape->slabs, sizeof shape->slabs);
    }
    return uhi_engine_run(&device->engine, kernel, uhi_histogram_groups(shape, piece->n), shape->group_size, args,
                          count, NULL, NULL);
}

/* Puts samples of several parts together, and counts them. */
static uh_status launch_together(const struct counting *counting, const struct uhi_sample_piece *piece) {
    struct uhi_sample_device *device = counting->device;
    const struct uhi_histogram_shape *shape = &counting->shape;
    uh_kernel *kernel = NULL;
    uh_status status = uhi_engine_kernel(&device->engine, "count_outcomes", &kernel);
    for (size_t d = 0; d < device->parts && !status; d++)
        status = uhi_sample_launch_draw(device, d, piece, 0, 0, counting->together, NULL);
    const uh_arg args[] = {uh_arg_pointer(counting->together), uh_arg_value(&piece->n, sizeof piece->n),
                           uh_arg_pointer(counting->words), uh_arg_value(&counting->bins, sizeof counting->bins),
                           uh_arg_value(&shape->slabs, sizeof shape->slabs)};
    return status ? status
                  : uhi_engine_run(&device->engine, kernel, uhi_histogram_groups(shape, piece->n), shape->group_size,
                                   args, 5, NULL, NULL);
}

static uh_status add_slabs(const struct counting *counting) {
    struct uhi_engine *engine = &counting->device->engine;
    const struct uhi_histogram_shape *shape = &counting->shape;
    const size_t groups = (counting->bins + shape->group_size - 1) / shape->group_size;
    const uh_arg args[] = {uh_arg_pointer(counting->words), uh_arg_value(&counting->bins, sizeof counting->bins),
                           uh_arg_value(&shape->slabs, sizeof shape->slabs)};
    uh_kernel *kernel = NULL;
    uh_status status = uhi_engine_kernel(engine, "add_tables", &kernel);
    return status ? status
                  : uhi_engine_run(engine, kernel, groups < shape->groups ? groups : shape->groups, shape->group_size,
                                   args, 3, NULL, NULL);
}

/* Adds the device's counts to those of 64 bits, and begins anew. */
static uh_status empty_counters(const struct counting *counting) {
    uh_queue *queue = counting->device->engine.queue;
    const size_t bytes = counting->bins * sizeof *counting->readback;
    const uint32_t zero = 0;
    uh_status status = counting->shape.slabs > 1 ? add_slabs(counting) : UH_SUCCESS;
    if (!status)
        status = uh_memcpy(queue, counting->readback, counting->words, bytes, NULL, 0, NULL);
    if (!status)
        status = uh_fill(queue, counting->words, &zero, sizeof zero, counting->bins, NULL, 0, NULL);
    uh_status waited = uh_queue_wait(queue);
    status = status ? status : waited;
    if (status)
        return status;
    for (size_t bin = 0; bin < counting->bins; bin++)
        counting->counts[counting->outcomes ? counting->outcomes[bin] : bin] += counting->readback[bin];
    return UH_SUCCESS;
}

static uh_status count_pieces(const struct counting *counting, uint64_t seed, uint64_t offset, uint64_t n) {
    const uint64_t most = counting->device->most;
    uint64_t pending = 0;
    uh_status status = UH_SUCCESS;
    for (uint64_t from = 0, m; from < n && !status; from += m) {
        m = uhi_sample_piece_length(offset + from, n - from, counting->together && most > TOGETHER ? TOGETHER : most);
        const struct uhi_sample_piece piece = {.seed = seed, .offset = offset + from, .n = (uint32_t)m};
        if (pending + m > most) {
            status = empty_counters(counting);
            pending = 0;
        }
        if (!status)
            status = counting->together ? launch_together(counting, &piece) : launch_count(counting, &piece);
        pending += m;
    }
    return status ? status : empty_counters(counting);
}

uh_status uhi_sample_device_count(struct uhi_sample_device *device, const char *call, uint64_t seed, uint64_t offset,
                                  uint64_t n, uint64_t *counts, size_t length) {
    struct counting counting = {.device = device, .counts = counts};
    if (n == 0)
        return UH_SUCCESS;
    uh_status status = prepare(call, &counting, length, n);
    if (!status)
        status = count_pieces(&counting, seed, offset, n);
    if (status)
        uhi_queue_drain(device->engine.queue);
    (void)uh_free(counting.words);
    (void)uh_free(counting.together);
    free(counting.readback);
    return status;
}

int uhi_sample_device_text(const struct uhi_sample_device *device, char *text, size_t size) {
    const struct uhi_sample_part *part = &device->part[0];
    char counts[160] = "";
    if (device->parts == 1) {
        const struct uhi_histogram_shape shape = shape_of(device, part->bins);
        uhi_histogram_shape_text(&shape, counts, sizeof counts);
    }
    return snprintf(text, size, "; on %s%s%s%s", device->engine.properties.selector,
                    part->words == 0                      ? ""
                    : uhi_sample_fits_local(device, part) ? ", many samples are drawn from a table in local memory"
                                                          : ", samples are drawn from a table in global memory",
                    counts[0] ? "; for counts" : "", counts[0] ? counts + 1 : "");
}

void uhi_sample_device_set_most(struct uhi_sample_device *device, uint64_t most) {
    device->most = most;
}
