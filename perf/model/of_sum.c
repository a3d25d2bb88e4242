/* SPDX-License-Identifier: Apache-2.0 */
/* Exact sums of float32 weights over one axis: sum of histogram.cl, additions as digits.inc. Weights are multiples of
 * 2^-24, so that what is right is a sum of integers. */
#include "perf/model/model.h"

#include "kernels/accumulate/accumulate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* All values are in bins, so that nothing is added to flows. DEPTH windows are in local memory, and words next to them:
 * histogram_device.c. The planner gets that many words a slot: api/histogram.c. UNIT: weights are multiples of
 * 2^-UNIT. */
enum { WIDTH = 4, DEPTH = 2, WORDS = UHI_FLOW_OUTSIDE + 2, PLANNED = 8, UNIT = 24 };

struct sum {
    struct model_axis axis;
    float *weights;
    uint32_t *here;              /* the group's windows: low words, then high ones */
    int64_t *outside;            /* in units, what went to windows in global memory, by cells */
    uint32_t first, pitch, high; /* the first window here; words from one to the next, and to the high ones */
    uint32_t copies, counts;     /* from where on they are in local memory */
    int whole;                   /* all that went outside was whole units */
    uint32_t slots[MODEL_POINTS];
};

static uint32_t bits_of(float weight) {
    uint32_t bits;
    memcpy(&bits, &weight, sizeof bits);
    return bits;
}

/* The highest window of the group's first weights, and the one below it, are here. */
static uint32_t first_window(const float *weights, size_t group_size) {
    uint32_t highest = 0;
    for (size_t i = 0; i < group_size; i++) {
        const uint32_t window = uhi_offset_f32(bits_of(weights[i])) >> 4;
        highest = window > highest ? window : highest;
    }
    return highest ? highest - 1 : 0;
}

static void draw_weights(struct sum *sum) {
    const double edges[2] = {0, ldexp(1, UNIT)};
    const struct model_case uniform = {.type = UH_F32, .data = CASE_UNIFORM, .k = 1};
    model_values_draw(&uniform, edges, MODEL_SEED + 2, sum->weights);
    for (size_t i = 0; i < MODEL_POINTS; i++)
        sum->weights[i] = ldexpf(floorf(sum->weights[i]), -UNIT);
}

static void *open_sum(const struct model_device *device, const struct model_case *of, struct model_launch *launch) {
    struct sum *sum = perf_memory(1, sizeof *sum);
    const size_t cells = of->k + 1;
    model_axis_open(&sum->axis, device, of, 0, 1, PLANNED * (of->k + 3));
    (void)model_launch_axes(device, &sum->axis, 1, UHI_TIERS_LOCAL, "sum", (uint64_t)2 * DEPTH * cells + WORDS, launch);
    sum->whole = 1;
    sum->copies = launch->copies;
    sum->counts = launch->local_tables;
    sum->pitch = (uint32_t)cells * sum->copies;
    sum->high = DEPTH * sum->pitch;
    sum->weights = perf_memory(MODEL_POINTS, sizeof *sum->weights);
    sum->here = perf_memory((size_t)2 * sum->high, sizeof *sum->here);
    sum->outside = perf_memory(cells, sizeof *sum->outside);
    draw_weights(sum);
    sum->first = first_window(sum->weights, launch->group_size);
    launch->width = WIDTH;
    launch->arrays = 2;
    snprintf(launch->additions, sizeof launch->additions, "sum_local_f32");
    return sum;
}

/* A number of a window in units; 0 in *whole where it is not a whole number of them. Of weights below 1 the window's
 * last digit is below a unit. */
static int64_t in_units(int64_t number, uint32_t window, int *whole) {
    const int below = UHI_SUM_BIAS - UNIT - 16 * ((int)window + UHI_SUM_FIRST_F32);
    const int64_t unit = (int64_t)1 << (below < 62 ? below : 62);
    *whole &= number % unit == 0;
    return number / unit;
}

/* add_weight_local: a word is added to, and a second one if the sum goes on there. */
static void add_weight(struct sum *sum, uint32_t cell, uint32_t bits, uint32_t lane, struct model_way *way) {
    const uint32_t place = uhi_offset_f32(bits), window = place >> 4, w = window - sum->first;
    const int64_t mantissa = uhi_mantissa_f32(bits);
    const int64_t digit = (bits >> 31 ? -mantissa : mantissa) * ((int64_t)1 << (place & 15));
    const uint32_t low = (uint32_t)digit;
    uint32_t high = (uint32_t)((uint64_t)digit >> 32);
    if (w >= DEPTH) {
        sum->outside[cell] += in_units(digit, window, &sum->whole);
        const uint32_t at = 8 * (window * (uint32_t)(sum->axis.k + 1) + cell);
        if (low)
            model_way_count(way, 2, at, 0);
        if (high)
            model_way_count(way, 3, at + 4, 0);
        return;
    }
    const uint32_t at = w * sum->pitch + cell * sum->copies + (lane & (sum->copies - 1)), old = sum->here[at];
    sum->here[at] = old + low;
    model_way_count(way, 0, sum->counts + 4 * at, 1);
    high += old + low < old;
    sum->here[at + sum->high] += high;
    if (high)
        model_way_count(way, 1, sum->counts + 4 * (at + sum->high), 1);
}

static void follow_sum(void *work, size_t i, uint32_t lane, struct model_way *way) {
    struct sum *sum = work;
    const uint32_t bins = (uint32_t)sum->axis.k;
    const uint32_t counter = model_counter(&sum->axis, i, 0, way);
    sum->slots[i] = model_look_slot(&sum->axis, counter, way);
    add_weight(sum, sum->slots[i] - 1 < bins ? sum->slots[i] - 1 : bins, bits_of(sum->weights[i]), lane, way);
}

static int64_t sum_of(const struct sum *sum, uint32_t cell, int *whole) {
    int64_t total = sum->outside[cell];
    for (uint32_t w = 0; w < DEPTH; w++)
        for (uint32_t copy = 0; copy < sum->copies; copy++) {
            const uint32_t at = w * sum->pitch + cell * sum->copies + copy;
            const uint64_t number = (uint64_t)sum->here[at + sum->high] << 32 | sum->here[at];
            total += in_units((int64_t)number, sum->first + w, whole);
        }
    return total;
}

static void check_sum(const void *work) {
    const struct sum *sum = work;
    const size_t bins = sum->axis.k;
    int64_t *right = perf_memory(bins + 1, sizeof *right);
    int whole = sum->whole;
    for (size_t i = 0; i < MODEL_POINTS; i++) {
        const size_t slot = model_axis_slot(&sum->axis, i);
        right[slot - 1 < bins ? slot - 1 : bins] += (int64_t)ldexp((double)sum->weights[i], UNIT);
        model_axis_check(&sum->axis, i, sum->slots[i]);
    }
    for (uint32_t cell = 0; cell <= bins; cell++) {
        const int64_t total = sum_of(sum, cell, &whole);
        if (total != right[cell] || !whole)
            perf_fail("wrong: the model's sum of cell %u is %lld / 2^%d, it is %lld", cell, (long long)total, UNIT,
                      (long long)right[cell]);
    }
    free(right);
}

static void close_sum(void *work) {
    struct sum *sum = work;
    model_axis_close(&sum->axis);
    free(sum->weights);
    free(sum->here);
    free(sum->outside);
}

const struct model_operation model_sum = {"sum", open_sum, follow_sum, check_sum, close_sum};
