/* SPDX-License-Identifier: Apache-2.0 */
/* Histograms over one axis: every look-up of every type of values. */
#include "api/histogram.h"
#include "tests/arrays.h"
#include "tests/cells.h"
#include "tests/tried_axis.h"

enum { CASES = TRIED_AXES * TRIED_TYPES * TRIED_LOOKUPS };

/* Values that are counted, a part of which is digitized. */
struct histogram {
    const struct case_axis *axis;
    struct tried_lookup lookup;
    size_t n, part, far, size; /* `far` of the part are counted again from an array with gaps */
    char *x, *spaced;
    struct cells all, some;
    int64_t *index; /* of each value of the part */
};

/* Unsigned types share their kernels with the signed ones, and small ones know no axis and no look-up. What the planner
 * chooses and packed cells have each axis, the others that of decades, which leads to look-ups of its own; of the
 * rest after the first each has one in two. */
static size_t few(size_t axis, uh_dtype dtype, enum uhi_lookup by) {
    enum { DECADES = 2 };
    const int has_kernels = dtype == UH_F32 || dtype == UH_F64 || dtype == UH_I32 || dtype == UH_I64;
    const int is_its_turn = axis == DECADES || by == UHI_LOOKUP_AUTO || by == UHI_LOOKUP_PACKED ||
                            (axis + (size_t)dtype + (size_t)by) % 2 == 0;
    if (axis >= TRIED_AXES_FEW || (axis > 0 && !(has_kernels && is_its_turn)) ||
        (uh_dtype_size(dtype) <= 2 && by != UHI_LOOKUP_AUTO) || by == UHI_LOOKUP_COMPARE)
        return 0;
    /* Once, enough for three groups of 16, of which two share a table of counts in global memory. */
    return axis == 0 && by == UHI_LOOKUP_AUTO && (dtype == UH_F32 || dtype == UH_U8) ? 3 * 16 * 64 + 7 : 90;
}

static int describe(size_t number, struct tried *tried) {
    const struct tried_lookup lookup = tried_lookup_of(number);
    if (number >= CASES)
        return -1;
    tried_lookup_describe(lookup, lookup.axis, lookup.axis < TRIED_AXES_FEW, tried);
    tried->few = few(lookup.axis, lookup.dtype, lookup.by);
    if (lookup.axis == 0 && lookup.by == UHI_LOOKUP_AUTO)
        tried->in_faults = lookup.dtype == UH_F32                             ? 100000
                           : lookup.dtype == UH_I32 || lookup.dtype == UH_U16 ? 3000
                                                                              : 0;
    return 0;
}

static void *make(size_t number, size_t n, uint64_t seed) {
    struct histogram *h = case_new(sizeof *h);
    h->lookup = tried_lookup_of(number);
    h->axis = tried_axis(h->lookup.axis);
    h->size = uh_dtype_size(h->lookup.dtype);
    const size_t bins = h->axis->nedges - 1;
    const struct oracle_axis *axis = &h->axis->oracle;
    h->n = n;
    h->part = n / 4;
    h->far = h->lookup.by == UHI_LOOKUP_AUTO ? h->part : 0; /* they are packed in the same way for any look-up */
    h->x = case_array(h, n, h->size);
    h->spaced = case_array(h, h->part, 3 * h->size);
    h->all = case_cells(h, bins, 1);
    h->some = case_cells(h, bins, 1);
    h->index = case_array(h, h->part, sizeof *h->index);
    case_values_fill(axis, h->lookup.dtype, seed, h->x, n);
    for (size_t i = 0; i < n; i++) {
        const long double x = oracle_value(h->lookup.dtype, h->x + i * h->size);
        cells_add_point(&h->all, &axis, &x, 1);
        if (i >= h->part)
            continue;
        if (i < h->far)
            cells_add_point(&h->some, &axis, &x, 1);
        h->index[i] = oracle_index(axis, x);
        memcpy(h->spaced + 3 * i * h->size, h->x + i * h->size, h->size);
    }
    return h;
}

static void run(struct use *use, const void *made) {
    const struct histogram *h = made;
    uh_histogram *histogram = NULL;
    const void *x = use_input(use, h->x, h->n * h->size), *spaced = use_input(use, h->spaced, h->part * 3 * h->size);
    int64_t *index = use_output(use, h->part, sizeof *index);
    if (!x || !spaced || !index)
        return;
    uh_axis *axis = tried_axis_create(use, h->axis);
    if (axis && use_call(use, "uh_histogram_create", uh_histogram_create(use->queue, &axis, 1, NULL, &histogram))) {
        tried_lookup_force(h->lookup, histogram, 0);
        const int all =
            use_call(use, "uh_histogram_fill", uh_histogram_fill(histogram, ARRAY(h->lookup.dtype, x, h->n), NULL));
        const int some = use_call(
            use, "uh_histogram_fill",
            uh_histogram_fill(histogram, STRIDED(h->lookup.dtype, spaced, h->far, 3 * (ptrdiff_t)h->size), NULL));
        use_cells(use, histogram, &h->all, (uint64_t)all, &h->some, (uint64_t)some);
        (void)use_written(
            use, "uh_histogram_digitize",
            uh_histogram_digitize(histogram, STRIDED(h->lookup.dtype, x, h->part, (ptrdiff_t)h->size), index), index,
            h->index, USE_WHOLE);
    }
    uh_histogram_destroy(histogram);
    uh_axis_destroy(axis);
}

const struct description describe_histogram = {"histogram", describe, make, run, case_free};
