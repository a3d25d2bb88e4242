/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/cases_histo.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unihist/bins.h>

#include "kernels/histo/histo_run.h"
#include "tests/description.h"
#include "tests/splitmix.h"

static const char *const names[CASE_WAFER_COUNT] = {"eye",    "corner", "two",   "uniform",   "one",
                                                    "sorted", "far",    "steps", "wrong eye", "no eye"};

/* Nearly normal, with standard deviation 1: twelve uniform numbers (Irwin and Hall). */
static double normal(uint64_t *state) {
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += (double)(splitmix_next(state) >> 11) * 0x1p-53;
    return sum;
}

static uint32_t at(double position, size_t bins) {
    position = floor(position < 0 ? -position : position);
    return position < (double)bins ? (uint32_t)position : (uint32_t)(bins - 1);
}

int case_wafer_compare(const void *a, const void *b) {
    uint32_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

static void make_steps(uint32_t *indices, size_t n) {
    enum { STEPS = 600 };
    size_t i = 0;
    for (uint32_t time = 0; time < STEPS; time++)
        for (uint32_t b = time + 1; b < STEPS && i < n; b++)
            indices[i++] = b;
    while (i < n)
        indices[i++] = UINT32_MAX;
}

void case_wafer_make(enum case_wafer wafer, size_t width, size_t height, uint32_t *indices, size_t n) {
    const size_t bins = width * height;
    /* Parboil's picture: 24 rows of 4096, where its histogram has as many. */
    const double middle = (double)bins * 0.47, spread = 1 + (double)bins * 6114 / (256.0 * 4096);
    uint64_t state = 2026;
    for (size_t i = 0; i < n; i++) {
        double position = middle + spread * normal(&state);
        const uint64_t random = splitmix_next(&state);
        switch (wafer) {
        case CASE_WAFER_CORNER: position -= middle; break;
        case CASE_WAFER_TWO: position = (double)bins * (random & 1 ? 0.1 : 0.9) + (position - middle) / 8; break;
        case CASE_WAFER_WRONG:
        case CASE_WAFER_NONE:
        case CASE_WAFER_UNIFORM: position = (double)(random >> 11) * 0x1p-53 * (double)bins; break;
        case CASE_WAFER_ONE: position = middle; break;
        case CASE_WAFER_FAR:
            position = random % 8 == 0 ? (double)(random >> 11) * 0x1p-53 * (double)bins : position;
            break;
        default: break;
        }
        indices[i] = at(position, bins);
        if (wafer == CASE_WAFER_FAR && random % 16 == 1)
            indices[i] = random % 32 == 1 ? UINT32_MAX : (uint32_t)bins + (uint32_t)(random >> 40);
    }
    if (wafer == CASE_WAFER_SORTED)
        qsort(indices, n, sizeof *indices, case_wafer_compare);
    if (wafer == CASE_WAFER_STEPS)
        make_steps(indices, n);
    const size_t distance = (n + UHI_HISTO_SAMPLES - 1) / UHI_HISTO_SAMPLES;
    for (size_t i = 0; i < n && (wafer == CASE_WAFER_WRONG || wafer == CASE_WAFER_NONE); i += distance)
        indices[i] = wafer == CASE_WAFER_WRONG ? 0 : UINT32_MAX;
}

int case_parboil_read(const char *folder, uint32_t indices[CASE_PARBOIL_N]) {
    char path[4096];
    uint32_t head[4];
    snprintf(path, sizeof path, "%s/parboil-histo/img.bin", folder ? folder : "");
    FILE *file = folder ? fopen(path, "rb") : NULL;
    const int read = file && fread(head, sizeof head, 1, file) == 1 && head[0] * head[1] == CASE_PARBOIL_N &&
                     head[2] == CASE_PARBOIL_WIDTH && head[3] == CASE_PARBOIL_HEIGHT &&
                     fread(indices, sizeof *indices, CASE_PARBOIL_N, file) == CASE_PARBOIL_N;
    if (file)
        fclose(file);
    return read;
}

uint64_t case_wafer_count(const uint32_t *indices, size_t n, size_t bins, uint32_t *counts, uint8_t *limited) {
    uint64_t beyond = 0;
    memset(counts, 0, bins * sizeof *counts);
    for (size_t i = 0; i < n; i++) {
        if (indices[i] < bins)
            counts[indices[i]]++;
        else
            beyond++;
    }
    for (size_t b = 0; b < bins; b++)
        limited[b] = (uint8_t)(counts[b] < 255 ? counts[b] : 255);
    return beyond;
}

/* ---- the description --------------------------------------------------------------------------------------------- */

static const struct shape {
    size_t width, height, few, in_faults;
} shapes[] = {
    {24, 20, 600, 0},   {7, 3, 600, 0},     {16, 16, 3079, 0}, /* three groups of 16 that take 64 each */
    {64, 40, 1000, 0},  {64, 64, 0, 40000}, {256, 100, 0, 0},  {256, 1500, 0, 0}, {256, 4096, 0, 0}, {256, 8192, 0, 0},
    {256, 16384, 0, 0}, {1, 1, 0, 0},       {1, 5000, 0, 0},   {5000, 1, 0, 0},   {3, 7, 0, 0},      {1000, 77, 0, 0},
    {32, 32, 0, 0},     {77, 999, 0, 0},    {40000, 3, 0, 0},  {256, 512, 0, 0},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

struct wafer {
    struct shape shape;
    size_t bins;
    uint32_t *indices, *counts;
    uh_array given;
    uint8_t *limited;
    uint64_t beyond;
};

static int describe(size_t number, struct tried *tried) {
    const enum case_wafer wafer = (enum case_wafer)(number % CASE_WAFER_COUNT);
    if (number >= SHAPES * CASE_WAFER_COUNT)
        return -1;
    const struct shape shape = shapes[number / CASE_WAFER_COUNT];
    snprintf(tried->name, sizeof tried->name, "%s, %zu x %zu", names[wafer], shape.width, shape.height);
    tried->exact = 300000;
    tried->few = wafer <= CASE_WAFER_FAR ? shape.few : 0;
    tried->in_faults = wafer == CASE_WAFER_FAR ? shape.in_faults : wafer < CASE_WAFER_TWO ? shape.in_faults / 10 : 0;
    tried->in_null = wafer == CASE_WAFER_UNIFORM ? 5000 : 0;
    return 0;
}

/* Indices are side by side in half of all cases, as most data are. */
static void *make_wafer(size_t number, size_t n, uint64_t seed) {
    static const ptrdiff_t strides[] = {4, 4, 4, 4, -4, 8, 12, 7};
    struct wafer *wafer = case_new(sizeof *wafer);
    wafer->shape = shapes[number / CASE_WAFER_COUNT];
    wafer->bins = wafer->shape.width * wafer->shape.height;
    wafer->indices = case_array(wafer, n, sizeof *wafer->indices);
    wafer->counts = case_array(wafer, wafer->bins, sizeof *wafer->counts);
    wafer->limited = case_array(wafer, wafer->bins, 1);
    case_wafer_make((enum case_wafer)(number % CASE_WAFER_COUNT), wafer->shape.width, wafer->shape.height,
                    wafer->indices, n);
    wafer->given = case_strided(wafer, UH_U32, n, strides[seed % (sizeof strides / sizeof *strides)]);
    for (size_t i = 0; i < n; i++)
        memcpy(case_element(&wafer->given, i), &wafer->indices[i], sizeof *wafer->indices);
    wafer->beyond = case_wafer_count(wafer->indices, n, wafer->bins, wafer->counts, wafer->limited);
    return wafer;
}

/* Counted once, and twice where the host has the indices. */
static void run(struct use *use, const void *made) {
    const struct wafer *wafer = made;
    const uh_histo_options options = {.struct_size = sizeof options,
                                      .width = wafer->shape.width,
                                      .height = wafer->shape.height,
                                      .iterations = use->place == PLACE_PLAIN ? 2 : 1};
    uh_histo_report report = {.struct_size = sizeof report, .beyond = USE_CANARY};
    const uh_array indices = use_array_input(use, wafer->given);
    uint8_t *out = use_output(use, wafer->bins, 1);
    if (!indices.data || !out)
        return;
    const int worked = use_written(use, "uh_histo", uh_histo(use->queue, &indices, &options, out, &report), out,
                                   wafer->limited, USE_WHOLE);
    const uint64_t expected = worked ? wafer->beyond : USE_CANARY;
    use_expect(use, report.beyond == expected, "uh_histo: %" PRIu64 " beyond, expected %" PRIu64, report.beyond,
               expected);
}

const struct description describe_histo = {"histo", describe, make_wafer, run, case_free};
