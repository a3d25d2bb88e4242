/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/cases_alike.h"

#include <unihist/histogram.h>

#include "api/histogram.h"
#include "tests/support.h"
#include "tests/tried_axis.h"

enum { BINS = 9, MAX_AXES = 3, FAMILIES = 2, TYPES = 8, TIERS = 3, OFF = 1 };

/* The planner's packed cells are equal ones for the first family, logarithmic ones for the second. */
static const char *const families[FAMILIES] = {"equal bins", "decades"};
static const struct type {
    uh_dtype dtype;
    int keys;
    size_t naxes;
    uh_storage storage; /* on one axis */
} types[TYPES] = {{UH_F32, 0, 1, UH_STORAGE_SUM},
                  {UH_F32, 0, 1, UH_STORAGE_WEIGHTED},
                  {UH_F32, 0, 1, UH_STORAGE_MEAN},
                  {UH_F32, 0, 2, 0},
                  {UH_F32, 0, 3, 0},
                  {UH_F64, 0, 2, 0},
                  {UH_F64, 1, 2, 0},
                  {UH_U8, 0, 2, 0}};

/* Where a device counts, if that is possible, and what is kept on several axes: counts that saturate are counted so
 * too.
 */
static const struct {
    enum uhi_tier tier;
    const char *name;
    uh_storage storage;
    uint64_t most;
} tiers[TIERS] = {{UHI_TIER_LOCAL, "local", UH_STORAGE_COUNT, UINT64_MAX},
                  {UHI_TIER_MIXED, "mixed", UH_STORAGE_U16, UINT16_MAX},
                  {UHI_TIER_TABLES, "tables", UH_STORAGE_U8, UINT8_MAX}};

static const char *const kept[] = {
    [UH_STORAGE_SUM] = ", sums", [UH_STORAGE_WEIGHTED] = ", weighted", [UH_STORAGE_MEAN] = ", means"};

struct alike {
    size_t number, n, size, cells;
    struct type type;
    double edges[BINS + 1];
    struct oracle_axis oracle;
    char *x[MAX_AXES];
    float *weights;      /* on one axis: eighths, whose sums float64 holds exactly, and one that is no number */
    double *sums[2];     /* of each cell, then outside: of all; with the weights OFF elements on */
    double *squares[2];  /* of theirs */
    uint64_t *all, *off; /* of each cell, then outside, then each axis's flow; with the second axis OFF elements on */
};

/* In the order in which numbers count up: tier, type, family. */
static size_t tier_of(size_t number) {
    return number % TIERS;
}
static size_t type_of(size_t number) {
    return number / TIERS % TYPES;
}
static size_t family_of(size_t number) {
    return number / TIERS / TYPES;
}

int cases_alike_describe(size_t number, struct tried *tried) {
    const struct type type = types[type_of(number)];
    const int is_local = tiers[tier_of(number)].tier == UHI_TIER_LOCAL;
    if (family_of(number) == FAMILIES)
        return -1;
    snprintf(tried->name, sizeof tried->name, "%s%s on %zu axes of %s, %s%s", uh_enum_name(UH_ENUM_DTYPE, type.dtype),
             type.keys ? " as keys" : "", type.naxes, families[family_of(number)], tiers[tier_of(number)].name,
             type.storage ? kept[type.storage] : "");
    if (type.dtype == UH_U8 && family_of(number) > 0)
        return 0; /* a byte needs no map */
    tried->exact = is_local || type.dtype == UH_F32 ? 20000 : 0;
    tried->few = 130;
    tried->in_null = 500;
    if (family_of(number) > 0 || type.dtype != UH_F32 || type.storage == UH_STORAGE_WEIGHTED)
        return 0;
    if (type.storage == UH_STORAGE_MEAN) /* of which weights with their squares are a part */
        tried->in_faults = is_local ? 3000 : 0;
    else
        tried->in_faults = is_local && type.naxes < 3 ? 70000 : 3000;
    return 0;
}

static void make_edges(struct alike *p, size_t family) {
    for (size_t j = 0; j <= BINS; j++) {
        const double d = (double)j;
        if (p->type.dtype == UH_U8)
            p->edges[j] = 7 + 25 * d;
        else if (family == 0)
            p->edges[j] = 0.3 * d - 1;
        else
            p->edges[j] = pow(10, d - 4);
    }
}

/* Counts point i, whose second coordinate is `off` elements further on. */
static void count(const struct alike *p, size_t i, size_t off, uint64_t *counts) {
    size_t cell = 0, slot[MAX_AXES];
    int inside = 1;
    for (size_t a = 0; a < p->type.naxes; a++) {
        const char *x = p->x[a] + (i + (a == 1 ? off : 0)) * p->size;
        slot[a] = oracle_slot(&p->oracle, oracle_value(p->type.dtype, x));
        inside = inside && slot[a] > 0 && slot[a] <= BINS;
        cell = cell * BINS + slot[a] - 1;
        if (slot[a] == 0 || slot[a] > BINS)
            counts[p->cells + 1 + 3 * a + (slot[a] == 0 ? 0 : slot[a] - BINS)]++;
    }
    counts[inside ? cell : p->cells]++;
    if (!p->weights)
        return;
    const double weight = (double)p->weights[i + off];
    p->sums[off > 0][inside ? cell : p->cells] += weight;
    p->squares[off > 0][inside ? cell : p->cells] += weight * weight;
}

static void make_weights(struct alike *p, uint64_t seed) {
    p->weights = case_array(p, p->n, sizeof *p->weights);
    for (size_t w = 0; w < 2; w++) {
        p->sums[w] = case_array(p, p->cells + 1, sizeof *p->sums[w]);
        p->squares[w] = case_array(p, p->cells + 1, sizeof *p->squares[w]);
    }
    for (size_t i = 0; i < p->n; i++)
        p->weights[i] = i == 11 ? NAN : (float)((int)(test_random_u64(&seed) >> 52) - 2048) / 8;
}

void *cases_alike_make(size_t number, size_t n, uint64_t seed) {
    struct alike *p = case_new(sizeof *p);
    p->number = number;
    p->n = n;
    p->type = types[type_of(number)];
    p->size = uh_dtype_size(p->type.dtype);
    p->cells = 1;
    for (size_t a = 0; a < p->type.naxes; a++)
        p->cells *= BINS;
    make_edges(p, family_of(number));
    if (oracle_axis_init(&p->oracle, UH_F64, p->edges, BINS + 1, UH_CLOSED_LEFT))
        abort();
    for (size_t a = 0; a < p->type.naxes; a++) {
        p->x[a] = case_array(p, n, p->size);
        case_values_fill(&p->oracle, p->type.dtype, seed + a, p->x[a], n);
        for (size_t i = n / 2; a > 0 && i < n; i++) /* other points than along the diagonal */
            for (size_t b = 0; b < p->size; b++)
                p->x[a][i * p->size + b] = p->x[a][(i * 7 + a) % (n / 2 + 1) * p->size + b];
    }
    p->all = case_array(p, p->cells + 1 + 3 * MAX_AXES, sizeof *p->all);
    p->off = case_array(p, p->cells + 1 + 3 * MAX_AXES, sizeof *p->off);
    if (p->type.naxes == 1)
        make_weights(p, seed);
    for (size_t i = 0; i < n; i++)
        count(p, i, 0, p->all);
    for (size_t i = 0; i + OFF < n; i++)
        count(p, i, OFF, p->off);
    return p;
}

void cases_alike_free(void *made) {
    if (made)
        oracle_axis_free(&((struct alike *)made)->oracle);
    case_free(made);
}

/* ---- a use ------------------------------------------------------------------------------------------------------- */

static uh_histogram *create(struct use *use, const struct alike *p) {
    const uh_histogram_options options = {.struct_size = sizeof options,
                                          .storage = p->weights ? p->type.storage : tiers[tier_of(p->number)].storage,
                                          .table_bytes = 4096};
    uh_axis *axis = NULL;
    uh_histogram *histogram = NULL;
    if (!use_call(use, "uh_axis_create_edges", uh_axis_create_edges(UH_F64, p->edges, BINS + 1, UH_CLOSED_LEFT, &axis)))
        return NULL;
    (void)use_call(
        use, "uh_histogram_create",
        uh_histogram_create(use->queue, (uh_axis *const[]){axis, axis, axis}, p->type.naxes, &options, &histogram));
    uh_axis_destroy(axis);
    if (!histogram)
        return NULL;
    histogram->run.launch.tiers = UHI_TIER_SET(tiers[tier_of(p->number)].tier);
    for (size_t a = 0; a < p->type.naxes; a++) {
        uhi_histogram_want(histogram, a, UHI_LOOKUP_PACKED);
        if (p->type.keys && histogram->options[a].body == UHI_BODY_DEVICE)
            histogram->options[a].keys = 1;
    }
    return histogram;
}

/* With `off`, the arrays are not aligned alike. */
static int add(struct use *use, const struct alike *p, uh_histogram *histogram, char *const *x, const float *weights,
               size_t off) {
    const uh_array values = uh_array_of(UH_F32, weights ? weights + off : NULL, p->n - off);
    uh_array coordinates[MAX_AXES];
    for (size_t a = 0; a < p->type.naxes; a++)
        coordinates[a] = uh_array_of(p->type.dtype, x[a] + (a == 1 ? off * p->size : 0), p->n - off);
    return use_call(use, "uh_histogram_fill", uh_histogram_fill(histogram, coordinates, p->weights ? &values : NULL));
}

/* The sums of all cells, and outside. */
static double *expect_sums(struct use *use, const struct alike *p, double *const sums[2], int all, int off) {
    double *expected = use_scratch(use, (p->cells + 1) * sizeof *expected);
    for (size_t c = 0; c <= p->cells; c++)
        expected[c] = (all ? sums[0][c] : 0) + (off ? sums[1][c] : 0);
    return expected;
}

static int are_alike(double a, double b) {
    return a == b || (isnan(a) && isnan(b));
}

static void read_sums(struct use *use, const struct alike *p, uh_histogram *histogram, int all, int off) {
    const int weighted = p->type.storage == UH_STORAGE_WEIGHTED;
    double *sum = use_output_plain(use, p->cells, sizeof *sum), outside = 0, outside_squares = 0;
    double *squares = weighted ? use_output_plain(use, p->cells, sizeof *squares) : NULL;
    const double *expected = expect_sums(use, p, p->sums, all, off),
                 *expected_squares = expect_sums(use, p, p->squares, all, off);
    const uh_status status = uh_histogram_sums(histogram, UH_F64, sum, squares);
    (void)use_written_f64(use, "uh_histogram_sums", status, sum, expected);
    if (weighted)
        (void)use_written_f64(use, "uh_histogram_sums", status, squares, expected_squares);
    if (!use_call(use, "uh_histogram_outside",
                  uh_histogram_outside(histogram, &outside, weighted ? &outside_squares : NULL)))
        return;
    use_expect(use, are_alike(outside, expected[p->cells]), "%g outside, expected %g", outside, expected[p->cells]);
    use_expect(use, !weighted || are_alike(outside_squares, expected_squares[p->cells]),
               "squares of %g outside, expected %g", outside_squares, expected_squares[p->cells]);
}

/* Of so few eighths n * sum of squares - square of the sum is a float64, too. */
static void read_means(struct use *use, const struct alike *p, uh_histogram *histogram, const uint64_t *number, int all,
                       int off) {
    uint64_t *count = use_output_plain(use, p->cells, sizeof *count);
    double *mean = use_output_plain(use, p->cells, sizeof *mean), *m2 = use_output_plain(use, p->cells, sizeof *m2);
    double *means = expect_sums(use, p, p->sums, all, off), *deviations = expect_sums(use, p, p->squares, all, off);
    for (size_t c = 0; c < p->cells; c++) {
        const double n = (double)number[c], sum = means[c];
        means[c] = number[c] ? sum / n : (double)NAN;
        deviations[c] = number[c] ? (n * deviations[c] - sum * sum) / n : 0;
    }
    const uh_status status = uh_histogram_means(histogram, count, mean, m2);
    (void)use_written(use, "uh_histogram_means", status, count, number, USE_WHOLE);
    (void)use_written_f64(use, "uh_histogram_means", status, mean, means);
    (void)use_written_f64(use, "uh_histogram_means", status, m2, deviations);
}

static void read_counts(struct use *use, const struct alike *p, uh_histogram *histogram, const uint64_t *all) {
    const uint64_t most = tiers[tier_of(p->number)].most;
    uint64_t *counts = use_output_plain(use, p->cells, sizeof *counts);
    uint64_t *expected = use_scratch(use, p->cells * sizeof *expected);
    for (size_t c = 0; c < p->cells; c++)
        expected[c] = all[c] < most ? all[c] : most;
    (void)use_written(use, "uh_histogram_counts", uh_histogram_counts(histogram, counts), counts, expected, USE_WHOLE);
}

static void read_all(struct use *use, const struct alike *p, uh_histogram *histogram, int all, int off) {
    uint64_t *expected = use_scratch(use, (p->cells + 1 + 3 * MAX_AXES) * sizeof *expected), inside = 0, outside = 0;
    for (size_t c = 0; c < p->cells + 1 + 3 * MAX_AXES; c++)
        expected[c] = (all ? p->all[c] : 0) + (off ? p->off[c] : 0);
    if (p->weights && p->type.storage == UH_STORAGE_MEAN)
        read_means(use, p, histogram, expected, all, off);
    else if (p->weights)
        read_sums(use, p, histogram, all, off);
    else
        read_counts(use, p, histogram, expected);
    const uint64_t points = (all ? p->n : 0) + (off ? p->n - OFF : 0);
    if (use_call(use, "uh_histogram_total", uh_histogram_total(histogram, &inside, &outside)))
        use_expect(use, outside == expected[p->cells] && inside + outside == points,
                   "%" PRIu64 " inside and %" PRIu64 " outside", inside, outside);
    for (size_t a = 0; a < p->type.naxes; a++) {
        const uint64_t *flow_of = expected + p->cells + 1 + 3 * a;
        uh_flow flow = {0, 0, 0};
        if (use_call(use, "uh_histogram_flow", uh_histogram_flow(histogram, a, &flow)))
            use_expect(use, flow.below == flow_of[0] && flow.above == flow_of[1] && flow.nan == flow_of[2],
                       "axis %zu: flow %" PRIu64 " %" PRIu64 " %" PRIu64, a, flow.below, flow.above, flow.nan);
    }
}

void cases_alike_run(struct use *use, const void *made) {
    const struct alike *p = made;
    char *x[MAX_AXES];
    for (size_t a = 0; a < p->type.naxes; a++) {
        x[a] = use_input(use, p->x[a], p->n * p->size);
        if (!x[a])
            return;
    }
    const float *weights = p->weights ? use_input(use, p->weights, p->n * sizeof *weights) : NULL;
    if (p->weights && !weights)
        return;
    uh_histogram *histogram = create(use, p);
    if (histogram) {
        const int all = add(use, p, histogram, x, weights, 0);
        const int off = p->n > OFF ? add(use, p, histogram, x, weights, OFF) : 0;
        if (use->computes) {
            read_all(use, p, histogram, all, off);
        } else if (use_call(use, "uh_queue_wait", uh_queue_wait(use->queue))) { /* what comes back may be no sums */
            (void)use_call(use, "uh_histogram_reset", uh_histogram_reset(histogram));
        }
    }
    uh_histogram_destroy(histogram);
}
