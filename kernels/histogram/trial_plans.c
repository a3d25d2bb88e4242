/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/histogram/trial_plans.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/histogram/histogram_run.h"
#include "runtime/status.h"

static int is_float(uh_dtype dtype) { return dtype == UH_F32 || dtype == UH_F64; }

/* ---- axes -------------------------------------------------------------------------------------------------------- */

/* Edges of an axis: float64, or int64 for integers. */
struct axis {
    size_t count;
    double real[UHI_TRIAL_EDGES];
    int64_t integer[UHI_TRIAL_EDGES];
};

enum axis_kind { EQUAL, EXTREME, EXPONENTIAL, CLUSTERS, FAR_CLUSTERS, AXES };

static void extreme_reals(struct axis *axis, int single) {
    const double least = single ? 0x1p-149 : 0x1p-1074, normal = single ? (double)FLT_MIN : DBL_MIN,
                 next = single ? 0x1.000002p0 : 0x1.0000000000001p0, most = single ? (double)FLT_MAX : DBL_MAX;
    const double edges[] = {-most / 4, -3,         -next,  -1,  -normal, -3 * least, -least, 0,        least,
                            3 * least, normal / 2, normal, 0.1, 1.0 / 3, 1,          next,   16777217, most / 4};
    axis->count = sizeof edges / sizeof *edges;
    memcpy(axis->real, edges, sizeof edges);
}

static void extreme_integers(struct axis *axis, size_t bits) {
    const int64_t most = (int64_t)(UINT64_MAX >> (65 - bits));
    static const int64_t edges[] = {-129, -1, 0, 1, 2, 127, 128, 255, 32767, 65536, 16777217, 4294967295, 4294967296};
    axis->count = 0;
    axis->integer[axis->count++] = -most - 1;
    axis->integer[axis->count++] = -most;
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++)
        if (edges[i] > -most && edges[i] < most)
            axis->integer[axis->count++] = edges[i];
    axis->integer[axis->count++] = most;
}

/* Makes axis `kind` for numbers of `bits` bits, floats or integers. */
static void make_axis(struct axis *axis, enum axis_kind kind, size_t bits, int floats) {
    const double far = bits < 64 && floats ? 1e-20 : 1e-200;
    *axis = (struct axis){.count = 24};
    for (size_t j = 0; j < axis->count; j++) {
        const double d = (double)j;
        const int64_t i = (int64_t)j;
        const int high = j >= axis->count / 2;
        switch (kind) {
        case EQUAL:
            axis->real[j] = (d - 5) * 0.1;
            axis->integer[j] = 3 * i - 35;
            break;
        case EXPONENTIAL:
            axis->real[j] = ldexp(1.1, (int)j * 3 - 30);
            axis->integer[j] = bits == 8 ? 5 * i : (INT64_C(1) << (i * (int64_t)(bits - 2) / 24 + 1)) + i;
            break;
        case CLUSTERS:
            axis->real[j] = high ? 1000 + d * 1e-2 : d * 1e-3;
            axis->integer[j] = high ? (INT64_C(1) << (bits - 3)) + 3 * i : 2 * i;
            break;
        default:
            axis->real[j] = (j < 8 ? far : j < 16 ? 1 : 1 / far) * (1 + d * 1e-3);
            axis->integer[j] = high ? (INT64_C(1) << (bits - 3)) + i * (INT64_C(1) << (bits / 3)) : 100 + i;
        }
    }
    if (kind == EXTREME && floats)
        extreme_reals(axis, bits == 32);
    else if (kind == EXTREME)
        extreme_integers(axis, bits);
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

static void add_value(struct uhi_trial_plans *plans, size_t p, const void *value) {
    const size_t size = uh_dtype_size(plans->dtype);
    memcpy((char *)plans->value[p] + plans->n[p]++ * size, value, size); /* x86-64 is little-endian */
}

static void add_real(struct uhi_trial_plans *plans, size_t p, double value) {
    const float single = (float)value;
    add_value(plans, p, plans->dtype == UH_F32 ? (const void *)&single : &value);
}

static void add_values(struct uhi_trial_plans *plans, size_t p, const struct axis *axis) {
    static const double special[] = {-0.0, INFINITY, -INFINITY, NAN, DBL_MIN / 2, -DBL_MAX, FLT_MIN / 2, FLT_MAX};
    const int single = plans->dtype == UH_F32, floats = is_float(plans->dtype);
    for (size_t j = 0; j < axis->count; j++) {
        const double edge = axis->real[j];
        for (size_t i = 0; i < 2 && floats; i++) {
            const double to = i ? INFINITY : -INFINITY;
            add_real(plans, p, single ? (double)nextafterf((float)edge, (float)to) : nextafter(edge, to));
        }
        if (floats)
            add_real(plans, p, edge);
        for (uint64_t i = 0; i < 3 && !floats; i++) {
            const uint64_t near = (uint64_t)axis->integer[j] + i - 1; /* wraps at the ends */
            add_value(plans, p, &near);
        }
    }
    for (size_t i = 0; i < sizeof special / sizeof *special && floats; i++)
        add_real(plans, p, special[i]);
}

struct uhi_values uhi_trial_plans_values(const struct uhi_trial_plans *plans, size_t p) {
    const size_t size = uh_dtype_size(plans->dtype);
    return (struct uhi_values){plans->often[p], plans->n[p] * UHI_TRIAL_TIMES, (ptrdiff_t)size};
}

uint64_t uhi_trial_plans_bits(const struct uhi_trial_plans *plans, size_t p, size_t i) {
    const size_t size = uh_dtype_size(plans->dtype);
    uint64_t bits = 0;
    memcpy(&bits, (const char *)plans->value[p] + i * size, size);
    return bits;
}

/* ---- plans ------------------------------------------------------------------------------------------------------- */

/* Whether the kernel's name ends with the look-up's. */
static int is_named(const struct uhi_trial *trial, const char *lookup) {
    const size_t length = strlen(trial->kernel), end = strlen(lookup);
    return length > end && trial->kernel[length - end - 1] == '_' && strcmp(trial->kernel + length - end, lookup) == 0;
}

/* Returns a look-up to want of a plan that may come to that of the kernel. */
static enum uhi_lookup find_wanted(const struct uhi_trial *trial) {
    return is_named(trial, "search")   ? UHI_LOOKUP_SEARCH
           : is_named(trial, "mesh")   ? UHI_LOOKUP_MESH
           : is_named(trial, "cdf")    ? UHI_LOOKUP_CDF
           : is_named(trial, "direct") ? UHI_LOOKUP_AUTO
                                       : UHI_LOOKUP_PACKED;
}

static uh_dtype find_dtype(const struct uhi_trial *trial) {
    return uhi_trial_is(trial, "f32")   ? UH_F32
           : uhi_trial_is(trial, "i32") ? UH_I32
           : uhi_trial_is(trial, "i64") ? UH_I64
           : uhi_trial_is(trial, "d8")  ? UH_I8
           : uhi_trial_is(trial, "d16") ? UH_I16
                                        : UH_F64;
}

static enum uhi_map map_of(const struct uhi_histogram_plan *plan) {
    return plan->tables.lookup == UHI_LOOKUP_PACKED ? plan->tables.packed.map : plan->tables.map;
}

/* Whether the kernel is for both maps and this plan has the one of an earlier plan. */
static int is_repeated(const struct uhi_trial *trial, const struct uhi_trial_plans *plans,
                       const struct uhi_histogram_plan *plan) {
    return (is_named(trial, "packed") || is_named(trial, "cdf")) && plans->count > 0 && plans->map == map_of(plan);
}

/* Adds a plan for the axis if its look-up on a device is the kernel's. */
static uh_status add_plan(const struct uhi_trial *trial, enum uhi_body body, const struct axis *axis,
                          struct uhi_trial_plans *plans) {
    static const uh_distribution distribution = {
        .struct_size = sizeof distribution, .kind = UH_DISTRIBUTION_NORMAL, .location = 0, .scale = 100};
    const int floats = is_float(plans->dtype);
    const struct uhi_edges edges = {.dtype = floats ? UH_F64 : UH_I64,
                                    .values = floats ? (const void *)axis->real : axis->integer,
                                    .count = axis->count,
                                    .distribution = &distribution};
    struct uhi_plan_options options = {.lookup = find_wanted(trial),
                                       .body = UHI_BODY_DEVICE,
                                       .leaf_bins = 1,
                                       .table_bytes = 1 << 14,
                                       .keys = uhi_trial_is(trial, "k64")};
    struct uhi_histogram_plan *plan = NULL;
    UHI_TRY(uhi_plan_create(trial->call, &edges, plans->dtype, &options, &plan));
    const int wanted = is_named(trial, uhi_histogram_lookup_name(&plan->tables)) && !is_repeated(trial, plans, plan);
    plans->map = wanted && plans->count == 0 ? map_of(plan) : plans->map;
    if (!wanted || body == UHI_BODY_HOST) {
        uhi_plan_destroy(plan);
        plan = NULL;
    }
    options.body = body;
    options.keys = 0;
    uh_status status = wanted && body == UHI_BODY_HOST
                           ? uhi_plan_create(trial->call, &edges, plans->dtype, &options, &plan)
                           : UH_SUCCESS;
    if (plan) {
        add_values(plans, plans->count, axis);
        plans->plan[plans->count++] = plan;
    }
    return status;
}

static uh_status repeat_values(const struct uhi_trial *trial, struct uhi_trial_plans *plans, size_t p) {
    const size_t bytes = plans->n[p] * uh_dtype_size(plans->dtype);
    plans->often[p] = malloc(bytes * UHI_TRIAL_TIMES);
    if (!plans->often[p])
        return uhi_fail_memory(trial->call, "no memory for the values of a self-test");
    for (size_t i = 0; i < UHI_TRIAL_TIMES; i++)
        memcpy(plans->often[p] + i * bytes, plans->value[p], bytes);
    return UH_SUCCESS;
}

uh_status uhi_trial_plans_make(const struct uhi_trial *trial, enum uhi_body body, struct uhi_trial_plans *plans) {
    *plans = (struct uhi_trial_plans){.dtype = find_dtype(trial)};
    for (int kind = EXTREME; kind < EXTREME + AXES && plans->count < UHI_TRIAL_PLANS; kind++) {
        struct axis axis;
        make_axis(&axis, (enum axis_kind)(kind % AXES), 8 * uh_dtype_size(plans->dtype), is_float(plans->dtype));
        UHI_TRY(add_plan(trial, body, &axis, plans));
    }
    for (size_t p = 0; p < plans->count; p++)
        UHI_TRY(repeat_values(trial, plans, p));
    return UH_SUCCESS;
}

void uhi_trial_plans_free(struct uhi_trial_plans *plans) {
    for (size_t p = 0; p < plans->count; p++) {
        uhi_plan_destroy(plans->plan[p]);
        free(plans->often[p]);
    }
    plans->count = 0;
}
