/* SPDX-License-Identifier: Apache-2.0 */
/* Integers that are their own bins: counts, sums of weights, and the smallest and largest of any values; what is
 * refused of them, and counters that are emptied early. */

#include "api/histogram.h"
#include "tests/arrays.h"
#include "tests/cells.h"

enum what { COUNTS, SUMS, EXTENT };
static const char *const what_names[] = {"counts", "sums", "extent"};

static const uh_dtype integers[] = {UH_I8, UH_I16, UH_I32, UH_I64, UH_U8, UH_U16, UH_U32, UH_U64};
static const uh_dtype weight_dtypes[] = {UH_F32, UH_F64, UH_I32, UH_I64};
static const size_t bins_tried[] = {100,  5,    1,     2,     30,    127,   128,    256,    1000,
                                    1024, 1025, 20000, 32768, 32769, 65536, 300000, 3000001};
enum { INTEGERS = 8, BINS = sizeof bins_tried / sizeof *bins_tried, COUNTED = INTEGERS * BINS };

/* Orders of values: of each the largest is there, so that tables grow early, late or again and again. */
enum order { MIXED, SORTED, ALL_BUT_ONE_ALIKE, TWO_IN_TURN, GROWING, ORDERS };

struct integers {
    enum what what;
    size_t size, bins; /* bins is 0 without values */
    size_t minlength, limit;
    uh_array x, weights, negative; /* negative: x with values below 0, where the type has them, or no data */
    struct cells cells;            /* sums are of eighths */
    uint64_t nan;
    double low, high;
    char beyond[64];  /* what a call that has one bin too few says */
    char refused[64]; /* what one says that is given `negative` */
};

static enum what what_of(size_t number) { return number < COUNTED ? COUNTS : number < 2 * COUNTED ? SUMS : EXTENT; }

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
        snprintf(tried->name, sizeof tried->name, "extent of %s", uh_enum_name(UH_ENUM_DTYPE, dtype));
        tried->exact = 400009; /* several parts */
        tried->few = 120;
        tried->in_faults = dtype == UH_I32 ? 5000 : 0;
        tried->in_null = 5000;
        return 0;
    }
    snprintf(tried->name, sizeof tried->name, "%s of %s, %zu bins", what_names[what],
             uh_enum_name(UH_ENUM_DTYPE, dtype), bins);
    if (bins > most_bins(dtype))
        return 0; /* nothing for any driver */
    tried->exact = what == COUNTS ? 100003 : bins <= 32769 ? 20000 : 0;
    if (bins > 300000 && dtype != UH_I32) /* much memory */
        tried->exact = 0;
    tried->few = bins == 100 || (bins == 5 && what == COUNTS) ? 150 : 0;
    if (bins == 30 && what == COUNTS && (dtype == UH_U8 || dtype == UH_I32))
        tried->few = 3 * 16 * 64 + 7; /* several groups */
    tried->in_faults = bins == 100 && dtype == UH_I32 ? 30000 : 0;
    tried->in_null = bins == 100 || bins == 300000 ? 5000 : 0;
    return 0;
}

static uint64_t value_of(enum order order, size_t i, size_t n, size_t bins, uint64_t random) {
    switch (order) {
    case SORTED: return (uint64_t)i * bins / n;
    case ALL_BUT_ONE_ALIKE: return 17 % bins;
    case TWO_IN_TURN: return i % 2 ? 3 % bins : bins - 1;
    case GROWING: return i / 2 < bins ? i / 2 : bins - 1;
    default: return random % bins;
    }
}

/* All values below the number of bins. */
static void make_counted(struct integers *in, size_t bins, uint64_t seed) {
    const enum order order = (enum order)(seed % ORDERS);
    const size_t n = in->x.count, largest_at = order == SORTED || order == GROWING ? n - 1 : n / 2;
    const uh_dtype weight_dtype = in->weights.dtype;
    in->cells.whole = weight_dtype == UH_I32 || weight_dtype == UH_I64;
    for (size_t i = 0; i < n; i++) {
        const uint64_t random = test_random_u64(&seed);
        const uint64_t value = i == largest_at ? bins - 1 : value_of(order, i, n, bins, random);
        const int64_t eighths = (int64_t)(test_random_u64(&seed) % 4001) - 2000;
        const long double weight = in->cells.whole ? (long double)eighths : (long double)eighths / 8;
        memcpy(case_element(&in->x, i), &value, in->size); /* little-endian */
        cells_add(&in->cells, value, oracle_store(weight_dtype, weight, case_element(&in->weights, i)));
    }
    for (size_t i = n; i-- > 0;) {
        uint64_t value = 0;
        memcpy(&value, case_element(&in->x, i), in->size);
        if (value + 1 == in->bins)
            snprintf(in->beyond, sizeof in->beyond, "x[%zu] is %" PRIu64, i, value);
    }
}

/* Two values below 0: the first is named. */
static void make_negative(struct integers *in, uint64_t seed) {
    const size_t n = in->x.count, at = n * 2 / 3;
    const int64_t first = seed % 2 ? -3 : -((int64_t)1 << (8 * in->size - 2)) * 2, last = -77;
    if (n == 0 || in->x.dtype >= UH_U8)
        return;
    in->negative = case_strided(in, in->x.dtype, n, in->x.stride);
    for (size_t i = 0; i < n; i++)
        memcpy(case_element(&in->negative, i), i == at ? (const char *)&first : case_element(&in->x, i), in->size);
    if (at + 1 < n)
        memcpy(case_element(&in->negative, n - 1), &last, in->size);
    snprintf(in->refused, sizeof in->refused, "x[%zu] is %" PRId64, at, first);
}

/* Any bits: NaN, infinities and denormals too. */
static void make_any(struct integers *in, uint64_t seed) {
    in->low = (double)INFINITY;
    in->high = -(double)INFINITY;
    for (size_t i = 0; i < in->x.count; i++) {
        const uint64_t bits = test_random_u64(&seed) << (i % 3) * 8;
        memcpy(case_element(&in->x, i), &bits, in->size);
        const long double x = oracle_value(in->x.dtype, case_element(&in->x, i));
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
    const size_t minlengths[] = {0, bins, bins + 3000, bins / 2}, limits[] = {SIZE_MAX, n + 1, n / 2 + 1, 5000};
    const uh_dtype dtype = dtype_of(number), weight_dtype = weight_dtypes[seed % 4];
    const ptrdiff_t size = (ptrdiff_t)uh_dtype_size(dtype),
                    strides[] = {size, size, 3 * size, size + 1, -size}; /* with gaps, at any address, backwards */
    struct integers *in = case_new(sizeof *in);
    in->what = what_of(number);
    in->minlength = minlengths[seed / 4 % 4];
    in->limit = limits[seed / 16 % 4];
    in->bins = n ? bins : 0;
    in->size = uh_dtype_size(dtype);
    in->x = case_strided(in, dtype, n, strides[seed / 7 % 5]);
    in->weights = case_strided(in, weight_dtype, n, (ptrdiff_t)uh_dtype_size(weight_dtype));
    in->cells = case_cells(in, in->bins > in->minlength ? in->bins : in->minlength, 1);
    if (in->what == EXTENT) {
        make_any(in, seed);
    } else {
        make_counted(in, bins, seed / 64);
        make_negative(in, seed);
    }
    return in;
}

/* ---- a use ------------------------------------------------------------------------------------------------------- */

static void check_counted(struct use *use, const char *call, uh_status status, const void *out, const void *expected) {
    if (use->computes)
        (void)use_written(use, call, status, out, expected, USE_WHOLE);
    else
        (void)use_data_call(use, call, status);
}

/* What has values below 0, wherever it lies, and what must stay as it is. */
static void check_negative(struct use *use, const struct integers *in, const uh_array *negative) {
    uint64_t *counts = use_output_plain(use, in->bins, sizeof *counts);
    size_t *length = use_output_plain(use, 1, sizeof *length);
    use_refused(use, "uh_bincount", uh_bincount(use->queue, negative, counts, in->bins, NULL), counts, in->refused);
    use_refused(use, "uh_bincount", uh_bincount(use->queue, negative, NULL, 0, length), length, in->refused);
}

static void run_counts(struct use *use, const struct integers *in, const uh_array *x) {
    uint64_t *counts = use_output_plain(use, in->cells.cells, sizeof *counts);
    uint64_t *refused = use_output_plain(use, in->bins, sizeof *refused);
    size_t length = SIZE_MAX, *alone = use_output_plain(use, 1, sizeof *alone);
    check_counted(use, "uh_bincount", uh_bincount(use->queue, x, NULL, 0, alone), alone, &in->bins);
    if (in->cells.cells == 0)
        return;
    const uh_status status = uh_bincount(use->queue, x, counts, in->cells.cells, &length);
    check_counted(use, "uh_bincount", status, counts, in->cells.counts);
    use_expect(use, status || !use->computes || length == in->bins, "uh_bincount: a length of %zu", length);
    if (in->bins > 1)
        use_refused(use, "uh_bincount", uh_bincount(use->queue, x, refused, in->bins - 1, &length), refused,
                    in->beyond);
}

/* ---- a histogram that grows ---- */

/* Makes one, whose tables hold few values where the case asks for it. */
static uh_histogram *make_growing(struct use *use, const struct integers *in, const uh_histogram_options *options) {
    uh_axis *axis = NULL;
    uh_histogram *histogram = NULL;
    if (use_call(use, "uh_axis_create_growing", uh_axis_create_growing(&axis)))
        (void)use_call(use, "uh_histogram_create", uh_histogram_create(use->queue, &axis, 1, options, &histogram));
    uh_axis_destroy(axis);
    if (histogram &&
        in->limit < histogram->growing->count.batch) { /* in place of 2^31 values per thread, or 2^32 - 1 */
        histogram->growing->count.batch = in->limit;
        histogram->growing->count.counters.max_pending = in->limit;
    }
    return histogram;
}

static size_t cells_of(const uh_histogram *histogram) {
    uh_histogram_properties known = {.struct_size = sizeof known};
    return uh_histogram_get_properties(histogram, &known) ? SIZE_MAX : known.cells;
}

/* Sums of eighths are exact in any order. One that may have a bin less refuses the values. */
static void run_sums(struct use *use, const struct integers *in, const uh_array *x, const uh_array *weights) {
    const size_t cells = in->cells.cells;
    char text[96];
    double *expected = use_scratch(use, cells * sizeof *expected);
    snprintf(text, sizeof text, "arrays[0]%s", in->beyond + 1); /* for "x" */
    for (size_t b = 0; b < cells; b++)
        expected[b] = (double)in->cells.sums[b];
    for (uh_sum sum = UH_SUM_EXACT; sum <= (use->faulty ? UH_SUM_EXACT : UH_SUM_FAST) && cells > 0; sum++) {
        double *sums = use_output_plain(use, cells, sizeof *sums);
        uh_histogram *histogram = make_growing(
            use, in, OPTIONS(.storage = UH_STORAGE_SUM, .sum = sum, .minlength = cells, .maxlength = cells));
        if (histogram && use_data_call(use, "uh_histogram_fill", uh_histogram_fill(histogram, x, weights)))
            check_counted(use, "uh_histogram_sums", uh_histogram_sums(histogram, UH_F64, sums, NULL), sums, expected);
        uh_histogram_destroy(histogram);
        if (in->bins <= 1)
            continue;
        histogram = make_growing(use, in, OPTIONS(.storage = UH_STORAGE_SUM, .sum = sum, .maxlength = in->bins - 1));
        if (histogram)
            use_refused(use, "uh_histogram_fill", uh_histogram_fill(histogram, x, weights), use_output_plain(use, 1, 1),
                        text);
        uh_histogram_destroy(histogram);
    }
}

/* Every second fill is of another place; one that fails leaves the histogram as it was. */
static void run_growing(struct use *use, const struct integers *in, const uh_array *x, const uh_array *weights,
                        const uh_array *negative) {
    const uh_storage storage = weights ? UH_STORAGE_SUM : UH_STORAGE_COUNT;
    uh_histogram *histogram = make_growing(use, in, OPTIONS(.storage = storage, .minlength = in->minlength));
    uint64_t times = 0;
    for (size_t i = 0; i < 2 && histogram; i++) {
        const uh_status status = uh_histogram_fill(histogram, i ? &in->x : x, i && weights ? &in->weights : weights);
        times += use_data_call(use, "uh_histogram_fill", status) ? 1 : 0;
        use_expect(use, cells_of(histogram) == (times ? in->cells.cells : in->minlength), "%zu cells",
                   cells_of(histogram));
    }
    if (negative && histogram) {
        char text[96];
        snprintf(text, sizeof text, "arrays[0]%s", in->refused + 1); /* for "x" */
        use_refused(use, "uh_histogram_fill", uh_histogram_fill(histogram, negative, weights),
                    use_output_plain(use, 1, 1), text);
    }
    if (times && use->computes)
        use_cells(use, histogram, &in->cells, times, &in->cells, 0);
    if (histogram && use_call(use, "uh_histogram_reset", uh_histogram_reset(histogram)))
        use_expect(use, cells_of(histogram) == in->minlength, "a reset leaves %zu cells", cells_of(histogram));
    uh_histogram_destroy(histogram);
}

static void run_extent(struct use *use, const struct integers *in, const uh_array *x) {
    double low = USE_CANARY, high = USE_CANARY;
    uint64_t nan = USE_CANARY;
    const int worked = use_call(use, "uh_min_max", uh_min_max(use->queue, x, &low, &high, &nan));
    use_expect(use,
               worked ? low == in->low && high == in->high && nan == in->nan
                      : low == USE_CANARY && high == USE_CANARY && nan == USE_CANARY,
               "uh_min_max: %g to %g and %" PRIu64 " NaN, expected %g to %g and %" PRIu64, low, high, nan, in->low,
               in->high, in->nan);
}

static void run(struct use *use, const void *made) {
    const struct integers *in = made;
    const uh_array x = use_array_input(use, in->x);
    uh_array weights = {.data = NULL}, negative = {.data = NULL};
    if (in->what == SUMS)
        weights = use_array_input(use, in->weights);
    if (in->negative.data && !use->faulty)
        negative = use_array_input(use, in->negative);
    if (!x.data || (in->what == SUMS && !weights.data))
        return;
    if (in->what == EXTENT) {
        run_extent(use, in, &x);
        return;
    }
    if (in->what == COUNTS)
        run_counts(use, in, &x);
    else
        run_sums(use, in, &x, &weights);
    const uh_array *below = use->computes && negative.data ? &negative : NULL;
    if (below)
        check_negative(use, in, below);
    run_growing(use, in, &x, in->what == SUMS ? &weights : NULL, below);
}

const struct description describe_bincount = {"bincount", describe, make, run, case_free};
