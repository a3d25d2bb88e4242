/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/dd_cases.h"

#include "api/histogram.h"
#include "tests/arrays.h"
#include "tests/tried_axis.h"

enum { MAX_CELLS = 20000, MAX_EDGES = 400, MAX_SHIFT = 8 };

static uint64_t below(uint64_t *state, uint64_t limit) { return test_random_u64(state) % limit; }

/* ---- axes ---- */

/* The axis's edges as the oracle knows them: as they were given, or, where the library makes them, as it says. */
static void set_axis(struct dd_case *made, size_t a, uh_dtype dtype, const void *edges, size_t nedges,
                     uh_closed closed) {
    made->axes[a] = test_axis_of(dtype, edges, nedges, closed);
    made->oracle[a] = oracle_axis_of(dtype, edges, nedges, closed);
}

static void set_made_axis(struct dd_case *made, size_t a) {
    const uh_axis_properties p = test_axis_properties(made->axes[a]);
    made->oracle[a] = oracle_axis_of(UH_F64, p.edges, p.bins + 1, p.closed);
}

/* An axis that follows a distribution, of which the edges are as the library makes them. */
static void make_distribution_axis(struct dd_case *made, size_t a, size_t bins, uint64_t *state) {
    const uh_closed closed = (uh_closed)below(state, 4);
    const uh_distribution distribution = {.struct_size = sizeof distribution,
                                          .kind = (uh_distribution_kind)below(state, UH_DISTRIBUTION_TABLE),
                                          .location = 0.25,
                                          .scale = 1.5};
    const double cut = below(state, 2) ? 0.001 : 0; /* 0: the ends may be infinite */
    made->axes[a] = test_distribution_axis(&distribution, bins, cut, 1 - cut, closed);
    set_made_axis(made, a);
}

/* Categories in any order, some of which few types hold. */
static void make_category_axis(struct dd_case *made, size_t a, size_t bins, uint64_t *state) {
    double values[MAX_EDGES];
    const uint64_t step = 1 + below(state, 3);
    const size_t *order = test_order(bins, test_random_u64(state));
    for (size_t j = 0; j < bins; j++)
        values[order[j]] = (double)((int64_t)(step * j) - 20) + (below(state, 4) ? 0 : 0.25);
    made->axes[a] = test_categories(UH_F64, values, bins);
    made->oracle[a] = oracle_axis_of(UH_F64, values, bins, UH_CLOSED_LEFT);
    made->oracle[a].categories = 1;
}

/* Lets the axis, regardless of its edges, carry a distribution of which some are near them. */
static void carry_distribution(struct dd_case *made, size_t a, uint64_t *state) {
    struct case_distribution_made near;
    const uh_axis_properties p = test_axis_properties(made->axes[a]);
    case_distribution_make((enum case_distribution)below(state, CASE_DISTRIBUTIONS), p.edges, p.bins + 1, &near);
    made->axes[a] = test_axis_with(made->axes[a], &near.distribution);
    case_distribution_free(&near);
}

static enum uhi_lookup choose_lookup(const uh_axis *axis, uint64_t *state) {
    if (test_axis_properties(axis).distribution && below(state, 2))
        return UHI_LOOKUP_CDF;
    const enum uhi_lookup lookup = (enum uhi_lookup)below(state, UHI_LOOKUP_DIRECT - 1);
    return below(state, 3) ? UHI_LOOKUP_AUTO : lookup < UHI_LOOKUP_CDF ? lookup : (enum uhi_lookup)(lookup + 1);
}

static void make_axis(struct dd_case *made, size_t a, size_t bins, uint64_t *state) {
    const uh_closed closed = (uh_closed)below(state, 4);
    const uint64_t kind = below(state, 9);
    double edges[MAX_EDGES];
    int64_t integers[MAX_EDGES];
    switch (kind) {
    case 8: make_category_axis(made, a, bins, state); return;
    case 6: make_distribution_axis(made, a, bins, state); return;
    case 0:
    case 1:
        made->axes[a] = kind ? test_regular_axis(UH_SPACING_LOG, bins, 0.01, 1e4, closed)
                             : test_regular_axis(UH_SPACING_EQUAL, bins, -3.7, 9.2, closed);
        set_made_axis(made, a);
        return;
    case 2: /* whole numbers, and the bins [i, i + 1) of integers, on both sides of 0 or not */
    case 7:
        integers[0] = kind == 2 ? -20 : (int64_t)below(state, 2 * bins) - (int64_t)bins;
        for (size_t j = 1; j <= bins; j++)
            integers[j] = integers[0] + (int64_t)j;
        set_axis(made, a, UH_I64, integers, bins + 1, kind == 2 ? closed : UH_HALF_OPEN_LEFT);
        if (kind == 7)
            made->axes[a] = test_integer_axis(integers[0], integers[bins] - 1);
        return;
    case 3: /* some of them equal, ends infinite */
        for (size_t j = 0; j <= bins; j++)
            edges[j] = floor(test_random_f64(state) * 40) - 20;
        break;
    case 4: /* decades */
        for (size_t j = 0; j <= bins; j++)
            edges[j] = pow(10, test_random_f64(state) * 12 - 6) * (below(state, 3) ? 1 : -1);
        break;
    default:
        for (size_t j = 0; j <= bins; j++)
            edges[j] = test_random_f64(state) * 1000;
    }
    qsort(edges, bins + 1, sizeof *edges, test_ascending);
    if (below(state, 8) == 0)
        edges[0] = -INFINITY;
    if (below(state, 8) == 0)
        edges[bins] = INFINITY;
    set_axis(made, a, UH_F64, edges, bins + 1, closed);
}

/* ---- points ---- */

static long double make_coordinate(const struct oracle_axis *axis, uh_dtype dtype, int aim, uint64_t *state) {
    const long double first = axis->edges[0], last = axis->edges[axis->nedges - 1];
    const long double lo = isinf(first) ? -100 : first, hi = isinf(last) ? 2000 : last, width = hi - lo;
    const long double edge = axis->edges[below(state, axis->nedges)];
    switch (aim ? 5 + below(state, 10) : below(state, 24)) {
    case 0: return NAN;
    case 1: return oracle_neighbour(dtype, edge, 1);
    case 2: return oracle_neighbour(dtype, edge, -1);
    case 3: return edge;
    case 4: return lo + (long double)(3 * test_random_f64(state) - 1) * width;
    default: return lo + (long double)test_random_f64(state) * width;
    }
}

/* Room for an element of each point, at any stride that there may be. */
static void make_array(struct dd_case *made, uh_dtype dtype, uint64_t *state, uh_array *array) {
    static const ptrdiff_t gaps[] = {0, 0, 0, 1, 3, 24};
    const ptrdiff_t step = (ptrdiff_t)uh_dtype_size(dtype) + gaps[below(state, sizeof gaps / sizeof *gaps)];
    const size_t shift = below(state, 4) == 0 ? below(state, MAX_SHIFT) : 0;
    const int backwards = below(state, 6) == 0;
    *array = case_strided(made, dtype, made->n + MAX_SHIFT, backwards ? -step : step);
    array->data = (const char *)array->data + (backwards ? -(ptrdiff_t)shift : (ptrdiff_t)shift);
    array->count = made->n;
}

static void make_coordinates(struct dd_case *made, uint64_t *state) {
    const int aim = below(state, 3) == 0; /* nearly all points inside */
    for (size_t a = 0; a < made->naxes; a++) {
        const uh_dtype dtype = (uh_dtype)below(state, UH_DTYPE_COUNT);
        make_array(made, dtype, state, &made->coordinates[a]);
        const long double all = make_coordinate(&made->oracle[a], dtype, 1, state);
        const int same = below(state, 10) == 0; /* nearly all in one bin */
        for (size_t i = 0; i < made->n; i++) {
            const long double x = same && below(state, 50) ? all : make_coordinate(&made->oracle[a], dtype, aim, state);
            (void)oracle_store(dtype, x, case_element(&made->coordinates[a], i));
        }
    }
}

static void make_values(struct dd_case *made, uint64_t *state) {
    static const uh_dtype types[] = {UH_F32, UH_F64, UH_I32, UH_I64};
    const uh_dtype dtype = types[below(state, 4)];
    make_array(made, dtype, state, &made->values);
    for (size_t i = 0; i < made->n; i++) {
        const long double whole = (long double)below(state, 4001) - 2000;
        (void)oracle_store(dtype, dtype == UH_F32 || dtype == UH_F64 ? whole / 8 : whole,
                           case_element(&made->values, i));
    }
}

static void end_case(void *ended) {
    struct dd_case *made = ended;
    for (size_t a = 0; a < made->naxes; a++)
        oracle_axis_free(&made->oracle[a]);
    case_free(made);
}

struct dd_case *dd_case(uint64_t number, size_t most) {
    static const size_t sizes[] = {0, 1, 7, 64, 1000, 2048, 2049, 5000, 40000, 70001, 140000};
    uint64_t state = number * 0x9e3779b97f4a7c15u + 1;
    struct dd_case *made = test_at_end(case_new(sizeof *made), end_case);
    made->naxes = 1 + number % UH_MAX_AXES;
    made->cells = 1;
    for (size_t a = 0; a < made->naxes; a++) {
        const double root = pow(MAX_CELLS, 1.0 / (double)made->naxes);
        size_t bins = 1 + below(&state, (uint64_t)(2 * root));
        bins = bins < MAX_EDGES ? bins : MAX_EDGES - 1;
        while (bins * made->cells > MAX_CELLS)
            bins = (bins + 1) / 2;
        make_axis(made, a, bins, &state);
        if (below(&state, 3) == 0 && (bins + 2) * made->cells <= MAX_CELLS) {
            const uh_flow_bins which =
                (uh_flow_bins)(made->oracle[a].categories ? 2 * below(&state, 2)
                                                          : below(&state, UH_FLOW_BINS_BOTH + 1));
            made->axes[a] = test_axis_with_flow(made->axes[a], which);
            oracle_axis_add_flow_bins(&made->oracle[a], which);
        }
        made->cells *= test_axis_properties(made->axes[a]).bins;
        if (below(&state, 4) == 0 && !made->oracle[a].categories)
            carry_distribution(made, a, &state);
        made->lookups[a] = choose_lookup(made->axes[a], &state);
    }
    do {
        made->n = sizes[below(&state, sizeof sizes / sizeof *sizes)];
    } while (made->n > most);
    made->storage = (uh_storage)below(&state, 6);
    make_coordinates(made, &state);
    made->has_values = made->storage == UH_STORAGE_MEAN ||
                       ((made->storage == UH_STORAGE_SUM || made->storage == UH_STORAGE_WEIGHTED) && below(&state, 5));
    if (made->has_values)
        make_values(made, &state);
    return made;
}

uh_histogram *dd_case_create(uh_queue *queue, const struct dd_case *tried) {
    uh_histogram *histogram = test_histogram_over(queue, tried->axes, tried->naxes, OPTIONS(.storage = tried->storage));
    for (size_t a = 0; a < tried->naxes; a++)
        uhi_histogram_want(histogram, a, tried->lookups[a]);
    return histogram;
}

uh_histogram *dd_case_filled(uh_queue *queue, const struct dd_case *tried) {
    uh_histogram *histogram = dd_case_create(queue, tried);
    dd_case_fill(histogram, tried, 0, tried->n);
    return histogram;
}

/* Elements [from, to). */
static uh_array part_of(uh_array array, size_t from, size_t to) {
    if (array.data)
        array.data = (const char *)array.data + (ptrdiff_t)from * array.stride;
    array.count = to - from;
    return array;
}

void dd_case_fill(uh_histogram *histogram, const struct dd_case *tried, size_t from, size_t to) {
    uh_array arrays[UH_MAX_AXES];
    const uh_array values = part_of(tried->values, from, to);
    for (size_t a = 0; a < tried->naxes; a++)
        arrays[a] = part_of(tried->coordinates[a], from, to);
    test_good(uh_histogram_fill(histogram, arrays, tried->has_values ? &values : NULL));
}

static long double value_of(const uh_array *array, size_t i) {
    return oracle_value(array->dtype, case_element(array, i));
}

/* ---- what is right ---- */

const struct cells *dd_expect(const struct dd_case *made) {
    struct cells *expected = test_at_end(case_new(sizeof *expected), case_free);
    *expected = case_cells(expected, made->cells, made->naxes);
    const struct oracle_axis *axes[UH_MAX_AXES];
    for (size_t a = 0; a < made->naxes; a++)
        axes[a] = &made->oracle[a];
    for (size_t i = 0; i < made->n; i++) {
        long double point[UH_MAX_AXES];
        for (size_t a = 0; a < made->naxes; a++)
            point[a] = value_of(&made->coordinates[a], i);
        cells_add_point(expected, axes, point, made->has_values ? value_of(&made->values, i) : 1);
    }
    return expected;
}

const struct cells *dd_expect_of(uh_axis *const *axes, size_t naxes, const uh_array *coordinates,
                                 const uh_array *values) {
    struct dd_case given = {.naxes = naxes, .n = coordinates->count, .cells = 1, .has_values = values != NULL};
    if (values)
        given.values = *values;
    for (size_t a = 0; a < naxes; a++) {
        given.axes[a] = axes[a];
        given.coordinates[a] = coordinates[a];
        set_made_axis(&given, a);
        given.cells *= oracle_bins(&given.oracle[a]);
    }
    const struct cells *expected = dd_expect(&given);
    for (size_t a = 0; a < naxes; a++)
        oracle_axis_free(&given.oracle[a]);
    return expected;
}

void dd_assert_sum(uh_histogram *histogram, const struct cells *a, uint64_t times_a, const struct cells *b,
                   uint64_t times_b) {
    struct use use = {.computes = 1};
    use_cells(&use, histogram, a, times_a, b, times_b);
    use_end(&use);
    if (use.outcome.status || use.outcome.wrong[0])
        fail_msg("storage %s: %s%s", uh_enum_name(UH_ENUM_STORAGE, test_properties(histogram).storage),
                 use.outcome.message, use.outcome.wrong);
}

void dd_assert_holds(uh_histogram *histogram, const struct cells *expected) {
    dd_assert_sum(histogram, expected, 1, expected, 0);
}
