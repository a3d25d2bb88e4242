/* SPDX-License-Identifier: Apache-2.0 */
/* What the Parboil histogram is tried on: pictures of wafers, made here, and what must come of them. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum case_wafer {
    CASE_WAFER_EYE,     /* normally distributed about the middle, as wide as Parboil's picture */
    CASE_WAFER_CORNER,  /* the same about the first bin, half of it folded in */
    CASE_WAFER_TWO,     /* two narrow eyes at a distance */
    CASE_WAFER_UNIFORM, /* everywhere */
    CASE_WAFER_ONE,     /* one bin */
    CASE_WAFER_SORTED,  /* CASE_WAFER_EYE in rising order */
    CASE_WAFER_FAR,     /* an eye, and one index in eight anywhere, one in sixteen beyond the histogram */
    CASE_WAFER_STEPS,   /* bin b is hit b times, below 600; hits of a bin are distant */
    CASE_WAFER_WRONG,   /* everywhere, but the first bin is all that the prescan samples */
    CASE_WAFER_NONE,    /* everywhere, but all that the prescan samples is beyond the histogram */
    CASE_WAFER_COUNT
};

/* Parboil's own picture: its indices, and its histogram. */
enum { CASE_PARBOIL_N = 996 * 1040, CASE_PARBOIL_WIDTH = 256, CASE_PARBOIL_HEIGHT = 4096 };

/* Reads it from the folder that has Parboil's data. Returns whether it is there. */
int case_parboil_read(const char *folder, uint32_t indices[CASE_PARBOIL_N]);

/* Makes n indices for a histogram of width * height bins, at least 1 and at most 2^31. The same each time. */
void case_wafer_make(enum case_wafer wafer, size_t width, size_t height, uint32_t *indices, size_t n);

/* The order of indices, for qsort. */
int case_wafer_compare(const void *a, const void *b);

/* Counts as one would without the library: in `counts`, width * height of them, then limited to 255. Returns how many
 * lie beyond. */
uint64_t case_wafer_count(const uint32_t *indices, size_t n, size_t bins, uint32_t *counts, uint8_t *limited);
