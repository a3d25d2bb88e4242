/* SPDX-License-Identifier: Apache-2.0 */
/* Smallest and largest value. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <unihist/kernel.h>

#include "api/histogram.h"
#include "runtime/backend.h"
#include "runtime/memory.h"
#include "runtime/queue.h"
#include "runtime/status.h"

/* A thread's part of the answer. */
struct range_part {
    double min, max;
    uint64_t nan;
};

/* Holds every int64_t and uint64_t. */
__extension__ typedef __int128 wide;

/* The float64 nearest to a 64-bit integer that is not above it, or not below it. */
static double rounded_down(wide value) {
    double d = (double)value;
    return (wide)d > value ? nextafter(d, -INFINITY) : d;
}
static double rounded_up(wide value) {
    double d = (double)value;
    return (wide)d < value ? nextafter(d, INFINITY) : d;
}

#define RANGE_OF(type, down, up)                                                                                       \
    do {                                                                                                               \
        type low = 0, high = 0;                                                                                        \
        uint64_t seen = 0;                                                                                             \
        for (size_t i = 0; i < n; i++) {                                                                               \
            type value;                                                                                                \
            memcpy(&value, x + i * sizeof value, sizeof value);                                                        \
            if (value != value)                                                                                        \
                continue;                                                                                              \
            low = !seen || value < low ? value : low;                                                                  \
            high = !seen || value > high ? value : high;                                                               \
            seen++;                                                                                                    \
        }                                                                                                              \
        part.nan = n - seen;                                                                                           \
        part.min = seen ? down(low) : INFINITY;                                                                        \
        part.max = seen ? up(high) : -INFINITY;                                                                        \
    } while (0);                                                                                                       \
    break

static struct range_part range_of(uh_dtype dtype, const char *x, size_t n) {
    struct range_part part = {INFINITY, -INFINITY, 0};
    switch (dtype) {
    case UH_F32: RANGE_OF(float, (double), (double));
    case UH_F64: RANGE_OF(double, (double), (double));
    case UH_I8: RANGE_OF(int8_t, (double), (double));
    case UH_I16: RANGE_OF(int16_t, (double), (double));
    case UH_I32: RANGE_OF(int32_t, (double), (double));
    case UH_I64: RANGE_OF(int64_t, rounded_down, rounded_up);
    case UH_U8: RANGE_OF(uint8_t, (double), (double));
    case UH_U16: RANGE_OF(uint16_t, (double), (double));
    case UH_U32: RANGE_OF(uint32_t, (double), (double));
    case UH_U64: RANGE_OF(uint64_t, rounded_down, rounded_up);
    }
    return part;
}

/* What every group of the search for the range reads. */
struct range_work {
    uh_dtype dtype;
    const char *x;
    size_t n, each;
    struct range_part *parts;
};

static void range_group(const uh_work_group *group, void *const *args) {
    const struct range_work *work = args[0];
    size_t from = group->group_id[0] * work->each;
    size_t n = work->n - from < work->each ? work->n - from : work->each;
    work->parts[group->group_id[0]] = range_of(work->dtype, work->x + from * uh_dtype_size(work->dtype), n);
}

/* The parts of `groups` slabs, by the queue's threads. */
static uh_status range_parts(uh_queue *queue, const struct range_work *work, size_t groups) {
    uh_kernel *kernel = NULL;
    uh_status status = uh_kernel_create_host("min_max", range_group, &kernel);
    if (status)
        return status;
    const uh_nd_range range = {.dims = 1, .global = {groups}, .local = {1}};
    const uh_arg arg = uh_arg_pointer(work);
    status = uh_parallel_for(queue, kernel, &range, &arg, 1, NULL, 0, NULL);
    uh_kernel_destroy(kernel);
    return status;
}

static struct range_part join(struct range_part a, struct range_part b) {
    return (struct range_part){a.min < b.min ? a.min : b.min, a.max > b.max ? a.max : b.max, a.nan + b.nan};
}

/* The range of values that the host can read, by the threads of a host queue. */
static uh_status range_on_host(const char *call, uh_queue *queue, uh_dtype dtype, const void *x, size_t n,
                               struct range_part *whole) {
    enum { A_GROUP = 1 << 16 };
    size_t groups = n / A_GROUP < uh_queue_threads(queue) ? n / A_GROUP : uh_queue_threads(queue);
    if (groups < 2) {
        *whole = range_of(dtype, x, n);
        return UH_SUCCESS;
    }
    struct range_part *parts = malloc(groups * sizeof *parts);
    if (!parts)
        return uhi_fail(UH_ERROR_OUT_OF_MEMORY, "%s: no memory for %zu threads", call, groups);
    size_t each = n / groups + (n % groups != 0);
    groups = n / each + (n % each != 0);
    const struct range_work work = {dtype, x, n, each, parts};
    uh_status status = range_parts(queue, &work, groups);
    *whole = parts[0];
    for (size_t g = 1; g < groups && !status; g++)
        *whole = join(*whole, parts[g]);
    free(parts);
    return status;
}

/* The range of values in a device's own memory, brought to the host in pieces. */
static uh_status range_on_device(const char *call, uh_queue *queue, uh_dtype dtype, const char *x, size_t n,
                                 struct range_part *whole) {
    enum { PIECE = 1 << 20 };
    size_t size = uh_dtype_size(dtype);
    char *piece = malloc(PIECE * size);
    if (!piece)
        return uhi_fail(UH_ERROR_OUT_OF_MEMORY, "%s: no memory for %d values", call, (int)PIECE);
    uh_status status = UH_SUCCESS;
    for (size_t from = 0, part; from < n && !status; from += part) {
        part = n - from < PIECE ? n - from : PIECE;
        status = uh_memcpy(queue, piece, x + from * size, part * size, NULL, 0, NULL);
        uh_status waited = uh_queue_wait(queue);
        status = status ? status : waited;
        if (!status)
            *whole = join(*whole, range_of(dtype, piece, part));
    }
    if (status)
        uhi_queue_drain(queue);
    free(piece);
    return status;
}

/* What another device than the host can reach: read by the host where it can, after the queue's earlier work, which may
 * still write to it. */
static uh_status range_anywhere(const char *call, uh_queue *queue, uh_dtype dtype, const void *x, size_t n,
                                struct range_part *whole) {
    uh_pointer_info info;
    uh_device *host;
    uh_queue *threads = NULL;
    uh_status status = uh_pointer_type(x, &info);
    if (!status && info.kind == UH_MEMORY_DEVICE)
        return range_on_device(call, queue, dtype, x, n, whole);
    if (!status)
        status = uh_queue_wait(queue);
    if (!status)
        status = uh_device_select("host", &host);
    if (!status)
        status = uh_queue_create(host, NULL, &threads);
    if (!status)
        status = range_on_host(call, threads, dtype, x, n, whole);
    (void)uh_queue_destroy(threads);
    return status;
}

uh_status uh_min_max(uh_queue *queue, uh_dtype dtype, const void *x, size_t n, double *min, double *max,
                     uint64_t *nan) {
    uh_status status = uhi_check_call(__func__, queue, dtype, x, n);
    if (status)
        return status;
    if (!min || !max || !nan)
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: %s is NULL, expected where to store it", __func__,
                        !min   ? "min"
                        : !max ? "max"
                               : "nan");
    struct range_part whole = {INFINITY, -INFINITY, 0};
    status = uhi_memory_check_copy(__func__, "x", uh_queue_get_device(queue), x, n * uh_dtype_size(dtype));
    if (status)
        return status;
    if (uh_queue_get_device(queue)->backend->module_create)
        status = range_anywhere(__func__, queue, dtype, x, n, &whole);
    else
        status = range_on_host(__func__, queue, dtype, x, n, &whole);
    if (status)
        return status;
    *min = whole.min;
    *max = whole.max;
    *nan = whole.nan;
    return UH_SUCCESS;
}
