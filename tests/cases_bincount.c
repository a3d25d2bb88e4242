/* SPDX-License-Identifier: Apache-2.0 */
/* Integers that are their own bins: counts, sums of weights, and the smallest and largest of any values. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unihist/bincount.h>
#include <unihist/histogram.h>

#include "tests/descriptions.h"
#include "tests/oracle.h"
#include "tests/support.h"

enum what { COUNTS, SUMS, EXTENT };
static const char *const what_names[] = {"counts", "sums", "extent"};

static const uh_dtype integers[] = {UH_I8, UH_I16, UH_I32, UH_I64, UH_U8, UH_U16, UH_U32, UH_U64};
static const uh_dtype weight_dtypes[] = {UH_F32, UH_F64, UH_I32, UH_I64};
static const size_t bins_tried[] = {100,  5,    1,    2,     30,    127,   128,   256,
                                    1000, 1024, 1025, 20000, 32768, 32769, 65536, 300000};
enum { INTEGERS = 8, BINS = sizeof bins_tried / sizeof *bins_tried, COUNTED = INTEGERS * BINS };

struct integers {
    enum what what;
    uh_dtype dtype, weight_dtype;
    size_t n, size, bins; /* bins is 0 without values */
    char *x, *weights;
    uint64_t *counts, nan;
    double *sums, low, high; /* sums of eighths, which are exact */
    char beyond[64];         /* what a call that has one bin too few says */
};

static enum what what_of(size_t number) {
    return number < COUNTED ? COUNTS : number < 2 * COUNTED ? SUMS : EXTENT;
}

static uh_dtype dtype_of(size_t number) {
    return what_of(number) == EXTENT ? (uh_dtype)(number - 2 * COUNTED) : integers[number % INTEGERS];
}

static size_t most_bins(uh_dtype dtype) {
    const size_t bits = 8 * uh_dtype_size(dtype) - (dtype < UH_U8);
    return bits < 20 ? (size_t)1 << bits : SIZE_MAX;
}

static int describe(size_t number, struct tried *tried) {
    if (number >= 2 * COUNTED + UH_DTYPE_COUNT)
        return -1;
    const enum what what = what_of(number);
    const uh_dtype dtype = dtype_of(number);
    const size_t bins = bins_tried[number / INTEGERS % BINS];
    if (what == EXTENT) {
        snprintf(tried->name, sizeof tried->name, "extent of %s", uh_dtype_name(dtype));
        tried->exact = 100003;
        tried->few = 120;
        tried->in_faults = dtype == UH_I32 ? 5000 : 0;
        tried->in_null = 50000;
        return 0;
    }
    snprintf(tried->name, sizeof tried->name, "%s of %s, %zu bins", what_names[what], uh_dtype_name(dtype), bins);
    if (bins > most_bins(dtype))
        return 0; /* nothing for any driver */
    tried->exact = what == COUNTS ? 100003 : bins <= 32769 ? 20000 : 0;
    tried->few = bins == 100 || (bins == 5 && what == COUNTS) ? 150 : 0;
    if (bins == 30 && what == COUNTS && (dtype == UH_U8 || dtype == UH_I32))
        tried->few = 3 * 16 * 64 + 7; /* several groups */
    tried->in_faults = bins == 100 && dtype == UH_I32 ? 30000 : 0;
    tried->in_null = bins == 100 || bins == 300000 ? 50000 : 0;
    return 0;
}

static void free_integers(void *made) {
    struct integers *in = made;
    if (!in)
        return;
    free(in->x);
    free(in->weights);
    free(in->counts);
    free(in->sums);
    free(in);
}

/* All values below the number of bins, its last one in the middle. */
static void make_counted(struct integers *in, size_t bins, uint64_t seed) {
    in->bins = in->n ? bins : 0;
    for (size_t i = 0; i < in->n; i++) {
        const uint64_t value = i == in->n / 2 ? bins - 1 : test_random_u64(&seed) % bins;
        const int64_t eighths = (int64_t)(test_random_u64(&seed) % 4001) - 2000;
        const int is_float = in->weight_dtype == UH_F32 || in->weight_dtype == UH_F64;
        const long double weight = is_float ? (long double)eighths / 8 : (long double)eighths;
        memcpy(in->x + i * in->size, &value, in->size); /* little-endian */
        in->sums[value] +=
            (double)oracle_store(in->weight_dtype, weight, in->weights + i * uh_dtype_size(in->weight_dtype));
        in->counts[value]++;
    }
    for (size_t i = in->n; i-- > 0;) {
        uint64_t value = 0;
        memcpy(&value, in->x + i * in->size, in->size);
        if (value + 1 == in->bins)
            snprintf(in->beyond, sizeof in->beyond, "x[%zu] is %" PRIu64, i, value);
    }
}

/* Any bits: NaN, infinities and denormals too. */
static void make_any(struct integers *in, uint64_t seed) {
    in->low = (double)INFINITY;
    in->high = -(double)INFINITY;
    for (size_t i = 0; i < in->n; i++) {
        const uint64_t bits = test_random_u64(&seed) << (i % 3) * 8;
        memcpy(in->x + i * in->size, &bits, in->size);
        const long double x = oracle_value(in->dtype, in->x + i * in->size);
        in->nan += isnan(x) != 0;
        /* What a double does not hold is rounded outwards. */
        double down = (double)x, up = (double)x;
        if ((long double)down > x)
            down = nextafter(down, -(double)INFINITY);
        if ((long double)up < x)
            up = nextafter(up, (double)INFINITY);
        in->low = down < in->low ? down : in->low;
        in->high = up > in->high ? up : in->high;
    }
}

static void *make(size_t number, size_t n, uint64_t seed) {
    const size_t bins = bins_tried[number / INTEGERS % BINS];
    struct integers *in = calloc(1, sizeof *in);
    if (!in)
        return NULL;
    in->what = what_of(number);
    in->dtype = dtype_of(number);
    in->weight_dtype = weight_dtypes[seed % 4];
    in->n = n;
    in->size = uh_dtype_size(in->dtype);
    in->x = malloc(n * in->size + 1);
    in->weights = malloc(n * 8 + 1);
    in->counts = calloc(bins, sizeof *in->counts);
    in->sums = calloc(bins, sizeof *in->sums);
    if (!in->x || !in->weights || !in->counts || !in->sums) {
        free_integers(in);
        return NULL;
    }
    if (in->what == EXTENT)
        make_any(in, seed);
    else
        make_counted(in, bins, seed);
    return in;
}

/* ---- a use ------------------------------------------------------------------------------------------------------- */

/* A result that the library allocates. */
static void check_made(struct use *use, const char *call, uh_status status, void *found, size_t length,
                       const struct integers *in, const void *expected) {
    if (!use_data_call(use, call, status))
        return;
    use_expect(use, length == in->bins && (!length || memcmp(found, expected, length * sizeof(uint64_t)) == 0),
               "%s: %zu bins, or their contents", call, length);
    uh_bincount_free(found);
}

static void run_counts(struct use *use, const struct integers *in, const void *x) {
    uint64_t *made = NULL, *into = use_output_plain(use, in->bins, sizeof *into);
    uint64_t *refused = use_output_plain(use, in->bins, sizeof *refused);
    size_t length = 0;
    uh_status status = uh_bincount(use->queue, in->dtype, x, in->n, 0, &made, &length);
    check_made(use, "uh_bincount", status, made, length, in, in->counts);
    if (use_data_call(use, "uh_bincount_length",
                      uh_bincount_length(use->queue, in->dtype, x, in->n, in->bins + 3, &length)))
        use_expect(use, length == in->bins + 3, "uh_bincount_length: %zu", length);
    if (in->bins == 0)
        return;
    status = uh_bincount_into(use->queue, in->dtype, x, in->n, into, in->bins);
    if (use->computes)
        (void)use_written(use, "uh_bincount_into", status, into, in->counts, USE_WHOLE);
    else
        (void)use_data_call(use, "uh_bincount_into", status);
    if (in->bins > 1)
        use_refused(use, "uh_bincount_into", uh_bincount_into(use->queue, in->dtype, x, in->n, refused, in->bins - 1),
                    refused, in->beyond);
}

/* Every second fill is of another place; one that fails leaves the counter as it was. */
static void run_counter(struct use *use, const struct integers *in, const void *x, const void *weights, int summed) {
    const uh_counter_options options = {.struct_size = sizeof options,
                                        .storage = summed ? UH_STORAGE_SUM : UH_STORAGE_COUNT};
    uint64_t *counts = use_output_plain(use, in->bins, sizeof *counts);
    double *sums = use_output_plain(use, in->bins, sizeof *sums);
    uint64_t *expected = use_scratch(use, in->bins * sizeof *expected), times = 0;
    double *expected_sums = use_scratch(use, in->bins * sizeof *sums);
    uh_counter *counter = NULL;
    if (!use_call(use, "uh_counter_create", uh_counter_create(use->queue, &options, &counter)))
        return;
    for (size_t i = 0; i < 2; i++) {
        const void *from = i ? in->x : x, *by = i ? in->weights : weights;
        if (summed)
            times +=
                use_data_call(use, "uh_counter_fill_weighted",
                              uh_counter_fill_weighted(counter, in->dtype, from, in->n, in->weight_dtype, by, in->n))
                    ? 1
                    : 0;
        else
            times += use_data_call(use, "uh_counter_fill", uh_counter_fill(counter, in->dtype, from, in->n)) ? 1 : 0;
        use_expect(use, uh_counter_length(counter) == (times ? in->bins : 0), "uh_counter_length: %zu",
                   uh_counter_length(counter));
    }
    for (size_t b = 0; b < in->bins; b++) {
        expected[b] = times * in->counts[b];
        expected_sums[b] = (double)times * in->sums[b];
    }
    if (times && use->computes && summed)
        (void)use_written(use, "uh_counter_sums", uh_counter_sums(counter, sums), sums, expected_sums, USE_WHOLE);
    else if (times && use->computes)
        (void)use_written(use, "uh_counter_counts", uh_counter_counts(counter, counts), counts, expected, USE_WHOLE);
    (void)use_call(use, "uh_counter_destroy", uh_counter_destroy(counter));
}

static void run_sums(struct use *use, const struct integers *in, const void *x, const void *weights) {
    double *made = NULL, *into = use_output_plain(use, in->bins, sizeof *into);
    double *refused = use_output_plain(use, in->bins, sizeof *refused);
    size_t length = 0;
    uh_status status = uh_bincount_weighted(use->queue, in->dtype, x, in->n, in->weight_dtype, weights, in->n, 0,
                                            UH_SUM_EXACT, &made, &length);
    check_made(use, "uh_bincount_weighted", status, made, length, in, in->sums);
    if (in->bins == 0)
        return;
    status = uh_bincount_weighted_into(use->queue, in->dtype, x, in->n, in->weight_dtype, weights, in->n, UH_SUM_EXACT,
                                       into, in->bins);
    if (use->computes)
        (void)use_written(use, "uh_bincount_weighted_into", status, into, in->sums, USE_WHOLE);
    else
        (void)use_data_call(use, "uh_bincount_weighted_into", status);
    if (in->bins > 1)
        use_refused(use, "uh_bincount_weighted_into",
                    uh_bincount_weighted_into(use->queue, in->dtype, x, in->n, in->weight_dtype, weights, in->n,
                                              UH_SUM_EXACT, refused, in->bins - 1),
                    refused, in->beyond);
}

static void run_extent(struct use *use, const struct integers *in, const void *x) {
    double low = USE_CANARY, high = USE_CANARY;
    uint64_t nan = USE_CANARY;
    const int worked = use_call(use, "uh_min_max", uh_min_max(use->queue, in->dtype, x, in->n, &low, &high, &nan));
    use_expect(use,
               worked ? low == in->low && high == in->high && nan == in->nan
                      : low == USE_CANARY && high == USE_CANARY && nan == USE_CANARY,
               "uh_min_max: %g to %g and %" PRIu64 " NaN, expected %g to %g and %" PRIu64, low, high, nan, in->low,
               in->high, in->nan);
}

static void run(struct use *use, const void *made) {
    const struct integers *in = made;
    const void *x = use_input(use, in->x, in->n * in->size);
    const void *weights =
        in->what == SUMS ? use_input(use, in->weights, in->n * uh_dtype_size(in->weight_dtype)) : NULL;
    if (!x || (in->what == SUMS && !weights))
        return;
    if (in->what == EXTENT) {
        run_extent(use, in, x);
    } else if (in->what == COUNTS) {
        run_counts(use, in, x);
        run_counter(use, in, x, NULL, 0);
    } else {
        run_sums(use, in, x, weights);
        run_counter(use, in, x, weights, 1);
    }
}

static void traffic(size_t number, size_t n, size_t *read, size_t *written) {
    *read = n * (uh_dtype_size(dtype_of(number)) + (what_of(number) == SUMS ? sizeof(double) : 0));
    *written = what_of(number) == EXTENT ? 0 : bins_tried[number / INTEGERS % BINS] * sizeof(uint64_t);
}

const struct description describe_bincount = {"bincount", describe, make, run, free_integers, traffic};
