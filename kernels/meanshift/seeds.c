/* SPDX-License-Identifier: Apache-2.0 */
/* Seeds from bins: the centres of bins of one width, around its multiples, that hold enough points. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/meanshift/meanshift_run.h"
#include "runtime/status.h"

#define MOST_BINS 0x1p53 /* from 0: beyond, their numbers are not all float64 */

/* A point's bin: the integer nearest to its coordinates by the width. */
struct binned {
    const double *bin;
    size_t dims;
};

static int compare(const void *a, const void *b) {
    const struct binned *x = a, *y = b;
    for (size_t d = 0; d < x->dims; d++)
        if (x->bin[d] != y->bin[d])
            return x->bin[d] < y->bin[d] ? -1 : 1;
    return 0;
}

/* Keeps the first of as many alike as are asked for; returns how many remain. */
static size_t keep_frequent(struct binned *binned, size_t n, size_t least) {
    size_t kept = 0;
    for (size_t i = 0, same; i < n; i += same) {
        for (same = 1; i + same < n && compare(&binned[i], &binned[i + same]) == 0; same++)
            ;
        if (same >= least)
            binned[kept++] = binned[i];
    }
    return kept;
}

uh_status uhi_mean_shift_seeds(const char *call, const struct uhi_coordinates *points, double width, size_t least,
                               struct uhi_coordinates *seeds) {
    const size_t n = points->count, dims = points->dims;
    double *bin = malloc(n * dims * sizeof *bin);
    struct binned *binned = malloc(n * sizeof *binned);
    int made = bin && binned;
    double furthest = 0;
    *seeds = (struct uhi_coordinates){.count = 0};
    for (size_t i = 0; made && i < n; i++) {
        for (size_t d = 0; d < dims; d++) {
            const double number = rint(uhi_coordinate(points, d, i) / width) + 0.0; /* no -0 */
            bin[i * dims + d] = number;
            furthest = fmax(furthest, fabs(number));
        }
        binned[i] = (struct binned){bin + i * dims, dims};
    }
    if (made && furthest <= MOST_BINS) {
        qsort(binned, n, sizeof *binned, compare);
        const size_t kept = keep_frequent(binned, n, least);
        made = kept == 0 || uhi_coordinates_make(seeds, points->size, dims, kept);
        for (size_t i = 0; made && i < kept; i++)
            for (size_t d = 0; d < dims; d++)
                uhi_coordinate_set(seeds, d, i, binned[i].bin[d] * width);
    }
    free(bin);
    free(binned);
    if (made && !(furthest <= MOST_BINS))
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, call, "options->seed_bins",
                        "is %g, expected a width of which all coordinates are less than 2^53 multiples", width);
    return made ? UH_SUCCESS : uhi_fail(UH_ERROR_OUT_OF_MEMORY, call, NULL, "no memory for the bins of %zu points", n);
}
