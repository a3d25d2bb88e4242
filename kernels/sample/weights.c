/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/sample/table.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/common/frame.h"
#include "kernels/sample/tuning.h"
#include "runtime/queue.h"
#include "runtime/status.h"

enum { MAX_PARTS = 64 };

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

static uh_status copy_to_host(uh_queue *queue, const char *call, const uh_array *array, struct uhi_weights *weights) {
    struct uhi_values x = uhi_array_values(array);
    const size_t size = uh_dtype_size(array->dtype);
    UHI_TRY(uhi_queue_check_cancelled(queue, call));
    UHI_TRY(uhi_values_fetch(queue, call, "weights", &x, size, &weights->copy));
    if (x.stride != (ptrdiff_t)size) {
        char *dense = malloc(x.n * size);
        if (!dense)
            return uhi_fail_memory(call, "no memory for a copy of %zu weights", x.n);
        uhi_values_copy(dense, x, size);
        free(weights->copy);
        weights->copy = dense;
        x.first = dense;
    }
    weights->values = x.first;
    return UH_SUCCESS;
}

uh_status uhi_weights_open(struct uhi_weights *weights, uh_queue *queue, const char *call, const uh_array *array) {
    *weights = (struct uhi_weights){.masses = {.context = weights, .n = array->count}, .dtype = array->dtype};
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
