/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/sample/table.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/common/frame.h"
#include "kernels/registry.h"
#include "kernels/sample/tuning.h"
#include "runtime/status.h"

enum { MAX_PARTS = 64, PIECE = 1 << 24 /* bytes copied at a time */ };

/* ---- masses: the same loop for each type ------------------------------------------------------------------------- */

/* m * 2^shift, truncated to an integer. */
static uhi_mass scaled(uint64_t m, int shift) {
    return shift >= 0 ? (uhi_mass)m << shift : shift > -64 ? (uhi_mass)(m >> -shift) : 0;
}

static uhi_mass mass_f64(double weight, int unit) {
    uint64_t bits;
    memcpy(&bits, &weight, sizeof bits);
    const int exponent = (int)(bits >> 52 & 0x7ff); /* a sign can only be that of zero */
    const uint64_t fraction = bits & (((uint64_t)1 << 52) - 1);
    return exponent ? scaled(fraction | (uint64_t)1 << 52, exponent - 1075 - unit) : scaled(fraction, -1074 - unit);
}

#define SIGNED_AND_FLOAT(X)                                                                                            \
    X(UH_F32, f32, float, mass_f64((double)value, weights->unit))                                                      \
    X(UH_F64, f64, double, mass_f64(value, weights->unit))                                                             \
    X(UH_I8, i8, int8_t, (uhi_mass)value)                                                                              \
    X(UH_I16, i16, int16_t, (uhi_mass)value)                                                                           \
    X(UH_I32, i32, int32_t, (uhi_mass)value)                                                                           \
    X(UH_I64, i64, int64_t, (uhi_mass)value)
#define UNSIGNED(X)                                                                                                    \
    X(UH_U8, u8, uint8_t, (uhi_mass)value)                                                                             \
    X(UH_U16, u16, uint16_t, (uhi_mass)value)                                                                          \
    X(UH_U32, u32, uint32_t, (uhi_mass)value)                                                                          \
    X(UH_U64, u64, uint64_t, (uhi_mass)value)
#define FOR_TYPES(X) SIGNED_AND_FLOAT(X) UNSIGNED(X)

#define MASSES(dtype, name, T, mass_of_value)                                                                          \
    static void masses_##name(const void *context, size_t from, size_t n, uhi_mass *mass) {                            \
        const struct uhi_weights *weights = context;                                                                   \
        const char *at = (const char *)weights->values + from * sizeof(T);                                             \
        for (size_t i = 0; i < n; i++) {                                                                               \
            T value;                                                                                                   \
            memcpy(&value, at + i * sizeof value, sizeof value);                                                       \
            mass[i] = mass_of_value;                                                                                   \
        }                                                                                                              \
    }
FOR_TYPES(MASSES)

/* ---- the check ---- */

/* Properties of a part's weights. */
struct found {
    size_t bad; /* index of the first invalid weight; k: none */
    double largest;
    int positive;
};

struct look {
    const struct uhi_weights *weights;
    struct found *found; /* one per part */
};

#define LOOK(dtype, name, T, unused)                                                                                   \
    static void look_##name(const void *values, size_t from, size_t to, struct found *found) {                         \
        T largest = 0;                                                                                                 \
        for (size_t i = from; i < to; i++) {                                                                           \
            T value;                                                                                                   \
            memcpy(&value, (const char *)values + i * sizeof value, sizeof value);                                     \
            if (!(value >= 0 && (double)value <= DBL_MAX)) {                                                           \
                found->bad = i;                                                                                        \
                break;                                                                                                 \
            }                                                                                                          \
            largest = value > largest ? value : largest;                                                               \
        }                                                                                                              \
        found->largest = (double)largest;                                                                              \
        found->positive = largest > 0;                                                                                 \
    }
SIGNED_AND_FLOAT(LOOK)

#define LOOK_POSITIVE(dtype, name, T, unused)                                                                          \
    static void look_##name(const void *values, size_t from, size_t to, struct found *found) {                         \
        T any = 0;                                                                                                     \
        for (size_t i = from; i < to; i++) {                                                                           \
            T value;                                                                                                   \
            memcpy(&value, (const char *)values + i * sizeof value, sizeof value);                                     \
            any |= value;                                                                                              \
        }                                                                                                              \
        found->positive = any != 0;                                                                                    \
    }
UNSIGNED(LOOK_POSITIVE)

static void look_at_part(const void *context, size_t part, size_t parts) {
    const struct look *look = context;
    const struct uhi_weights *weights = look->weights;
    const size_t k = weights->masses.n;
    const size_t from = uhi_part_start(k, parts, part), to = uhi_part_start(k, parts, part + 1);
    struct found *found = &look->found[part];
    *found = (struct found){.bad = k};
    switch (weights->dtype) {
#define CASE(dtype, name, T, unused)                                                                                   \
    case dtype: look_##name(weights->values, from, to, found); break;
        FOR_TYPES(CASE)
    }
}

static uh_status fail_weight(const struct uhi_weights *weights, const char *call, size_t index) {
    const size_t size = uh_dtype_size(weights->dtype);
    const unsigned above = 64 - 8 * (unsigned)size; /* bits that a value does not have */
    union {
        float f32;
        double f64;
        uint64_t bits;
    } value = {.bits = 0};
    memcpy(&value, (const char *)weights->values + index * size, size);
    if (weights->dtype == UH_F32 || weights->dtype == UH_F64)
        return uhi_fail_at(UH_ERROR_INVALID_ARGUMENT, call, "weights", index,
                           "is %.17g, expected a finite number of 0 or more",
                           weights->dtype == UH_F32 ? (double)value.f32 : value.f64);
    return uhi_fail_at(UH_ERROR_INVALID_ARGUMENT, call, "weights", index, "is %lld, expected 0 or more",
                       (long long)(value.bits << above) >> above);
}

static uh_status check(struct uhi_weights *weights, uh_queue *queue, const char *call) {
    const size_t k = weights->masses.n;
    const size_t wanted = uhi_parts_for(queue, k, UHI_SAMPLE_WEIGHTS_A_THREAD);
    const size_t parts = wanted < MAX_PARTS ? wanted : MAX_PARTS;
    struct found found[MAX_PARTS];
    const struct look look = {weights, found};
    uhi_host_parallel(queue, "sample: weights", look_at_part, &look, parts);
    double largest = 0;
    int positive = 0, exponent = 0;
    for (size_t p = 0; p < parts; p++) {
        if (found[p].bad < k)
            return fail_weight(weights, call, found[p].bad);
        largest = fmax(largest, found[p].largest);
        positive |= found[p].positive;
    }
    if (!positive)
        return uhi_fail_argument(call, "weights", ": all %zu are 0, expected one above 0", k);
    if (weights->dtype == UH_F32 || weights->dtype == UH_F64) {
        int b = 0;
        while ((size_t)1 << b < k)
            b++;
        (void)frexp(largest, &exponent); /* largest < 2^exponent */
        weights->unit = exponent - 127 + b;
    }
    return UH_SUCCESS;
}

/* ---- location ---------------------------------------------------------------------------------------------------- */

static uh_status make_copy(struct uhi_weights *weights, const char *call, size_t size) {
    weights->copy = malloc(weights->masses.n * size);
    if (!weights->copy)
        return uhi_fail_memory(call, "no memory for a copy of %zu weights", weights->masses.n);
    weights->values = weights->copy;
    return UH_SUCCESS;
}

struct fetching {
    uh_queue *queue;
    char *to;
    size_t size;
};

static uh_status fetch_piece(void *context, const struct uhi_piece *piece) {
    const struct fetching *fetching = context;
    return uh_memcpy(fetching->queue, fetching->to + piece->from * fetching->size, piece->in[0],
                     piece->n * fetching->size, &(uh_submission){.event = piece->done});
}

/* Copies USM to the host in the queue's order. */
static uh_status fetch_weights(struct uhi_frame *frame, void *context) {
    struct uhi_weights *weights = context;
    const struct uhi_operand *in = &frame->operands.in[0];
    struct uhi_pieces pieces;
    uh_pointer_info info;
    uh_status status = uhi_fail_of(frame->call, uh_pointer_type(in->x.first, &info));
    if (status || info.kind == UH_MEMORY_UNKNOWN)
        return status;
    UHI_TRY(make_copy(weights, frame->call, in->size));
    UHI_TRY(uhi_pieces_open(&pieces, frame->engine, frame->call, &frame->operands, PIECE / in->size));
    struct fetching fetching = {frame->queue, weights->copy, in->size};
    status = uhi_pieces_for_each(&pieces, fetch_piece, NULL, &fetching);
    if (!status)
        status = uh_queue_wait(frame->queue);
    return uhi_pieces_finish(&pieces, status);
}

static uh_status copy_to_host(uh_queue *queue, const char *call, const uh_array *array, struct uhi_weights *weights) {
    static const struct uhi_stage stage = {"sample: read weights", NULL, fetch_weights};
    const struct uhi_values x = {array->data, array->count, array->stride};
    const size_t size = uh_dtype_size(array->dtype);
    struct uhi_frame frame;
    uhi_frame_open(&frame, queue, uhi_sample_variants());
    uh_status status = uhi_frame_begin(&frame, call, x.n);
    if (!status)
        status = uhi_frame_input(&frame, "weights", x, size);
    if (!status)
        status = uhi_frame_run(&frame, &stage, weights);
    uhi_frame_close(&frame);
    if (status || weights->copy || x.stride == (ptrdiff_t)size)
        return status;
    UHI_TRY(make_copy(weights, call, size));
    uhi_values_copy(weights->copy, x, size);
    return UH_SUCCESS;
}

uh_status uhi_weights_open(struct uhi_weights *weights, uh_queue *queue, const char *call, const uh_array *array) {
    *weights = (struct uhi_weights){
        .masses = {.context = weights, .n = array->count}, .dtype = array->dtype, .values = array->data};
    if (array->count == 0 || array->count > UH_SAMPLER_MAX_ITEMS)
        return uhi_fail_argument(call, "weights->count", "is %zu, expected 1 to %zu", array->count,
                                 UH_SAMPLER_MAX_ITEMS);
    UHI_TRY(copy_to_host(queue, call, array, weights));
    switch (array->dtype) {
#define GET(dtype, name, T, unused)                                                                                    \
    case dtype: weights->masses.get = masses_##name; break;
        FOR_TYPES(GET)
    }
    return check(weights, queue, call);
}

void uhi_weights_close(struct uhi_weights *weights) {
    free(weights->copy);
    *weights = (struct uhi_weights){0};
}
