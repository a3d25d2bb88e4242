/* SPDX-License-Identifier: Apache-2.0 */
/* Thresholds and plans, seen from inside. */
#include "api/histogram.h"
#include "kernels/histogram/histogram_run.h"
#include "kernels/histogram/tuning.h"
#include "kernels/plan/plan.h"
#include "kernels/plan/thresholds.h"
#include "tests/arrays.h"
#include "tests/cases_histogram.h"

#define DEFAULT_BYTES ((size_t)64 << 20)

static void end_plan(void *plan) { uhi_plan_destroy(plan); }

/* Ends with the unit test, or the round of it. */
static struct uhi_histogram_plan *make(const struct uhi_edges *edges, uh_dtype dtype, enum uhi_lookup lookup,
                                       uint32_t leaf, size_t bytes) {
    const struct uhi_plan_options options = {.lookup = lookup, .leaf_bins = leaf, .table_bytes = bytes};
    struct uhi_histogram_plan *plan = NULL;
    test_good(uhi_plan_create("plan", edges, dtype, &options, &plan));
    return test_at_end(plan, end_plan);
}

/* What edges that are made here carry. */
static const uh_distribution normal = {sizeof normal, UH_DISTRIBUTION_NORMAL, 3, 200, NULL, NULL, 0};

static struct uhi_edges edges_of(const double *values, size_t count) {
    return (struct uhi_edges){
        .dtype = UH_F64, .values = values, .count = count, .closed = UH_CLOSED_LEFT, .distribution = &normal};
}

/* Edges of one of the paper's families, over [0, 1000]. */
static struct uhi_edges family(enum case_bins bins, size_t k, double h) {
    double *edges = test_memory((k + 1) * sizeof *edges);
    assert_int_equal(case_edges(bins, k, 1000, h, 1, edges), 0);
    return edges_of(edges, k + 1);
}

static void each_axis(void (*check)(const struct case_axis *made)) {
    for (size_t number = 0; number < case_axis_count(); number++) {
        check(case_axis(number));
        test_end_from(0);
    }
}

UNIT_TEST(the_papers_worst_cases_have_the_depths_of_eq_5) {
    static const struct {
        size_t k;
        double h_min;
        uint32_t levels; /* by hand: ceil(log(1000 / h_min) / log(k)) - 1 */
    } cases[] = {{100, 0.1, 1}, {100, 0.01, 2}, {100, 0.001, 2}, {1000, 0.1, 1}, {1000, 0.01, 1}, {1000, 0.001, 1}};
    for (size_t i = 0; i < 6; i++) {
        /* k bins of h_min that fill the range would leave none for the wide one. */
        double h = cases[i].h_min;
        struct uhi_edges edges = family(CASE_WORST, cases[i].k, h);
        for (int dtype = UH_F32; dtype <= UH_F64; dtype++) {
            struct uhi_histogram_plan *plan = make(&edges, (uh_dtype)dtype, UHI_LOOKUP_MESH, 1, DEFAULT_BYTES);
            assert_int_equal(plan->depth_limit, cases[i].levels);
            assert_int_equal(plan->depth, cases[i].levels);
            plan = make(&edges, (uh_dtype)dtype, UHI_LOOKUP_MESH, 4, DEFAULT_BYTES);
            assert_true(plan->depth <= cases[i].levels);
        }
        assert_int_equal(oracle_depth(1000, h, cases[i].k, 1e-9L), cases[i].levels);
    }
}

UNIT_TEST(the_depth_limit_is_eq_5_and_none_of_one_bin_or_equal_bins) {
    uint64_t seed = 5;
    assert_int_equal(uhi_plan_depth_limit(10, 10, 1), 0);
    assert_int_equal(uhi_plan_depth_limit(10, 1, 10), 0);
    assert_int_equal(uhi_plan_depth_limit(0, INFINITY, 3), 0); /* all edges equal: no positive width */
    for (size_t k = 2; k < 3000; k = k * 3 / 2 + 1)
        for (unsigned power = 1; power < 8; power++) { /* the quotient is an exact power of k: the hard case */
            double smallest = 0.001, range = smallest * pow((double)k, power);
            assert_int_equal(uhi_plan_depth_limit(range, smallest, k), power - 1);
            assert_int_equal(uhi_plan_depth_limit(range * 1.01, smallest, k), power);
            assert_int_equal(uhi_plan_depth_limit(range / 1.01, smallest, k), power - 1);
        }
    for (int i = 0; i < 10000; i++) {
        size_t k = 2 + (size_t)(test_random_u64(&seed) % 100000);
        double smallest = exp(20 * test_random_f64(&seed)), range = smallest * exp(50 * test_random_f64(&seed));
        unsigned limit = uhi_plan_depth_limit(range, smallest, k);
        assert_in_range(limit, oracle_depth(range, smallest, k, 1e-3L), oracle_depth(range, smallest, k, -1e-3L));
    }
}

/* Threshold j as a number. */
static long double threshold(const struct uhi_thresholds *t, uh_dtype dtype, size_t j) {
    switch (t->compare) {
    case UHI_COMPARE_F32: return ((const float *)t->values)[j];
    case UHI_COMPARE_F64: return ((const double *)t->values)[j];
    case UHI_COMPARE_I32: {
        uint32_t bits = (uint32_t)((const int32_t *)t->values)[j] ^ (uint32_t)t->flip;
        return dtype == UH_U32 ? (long double)bits : (long double)(int32_t)bits;
    }
    default: {
        uint64_t bits = (uint64_t)((const int64_t *)t->values)[j] ^ (uint64_t)t->flip;
        return dtype == UH_U64 ? (long double)bits : (long double)(int64_t)bits;
    }
    }
}

/* Whether x has passed edge j, by the rule: it lies in a slot above j. */
static int passes(const struct oracle_axis *axis, size_t j, long double x) {
    size_t bins = axis->nedges - 1;
    const long double edge = axis->edges[j];
    switch (axis->closed) {
    case UH_CLOSED_LEFT: return j == bins ? x > edge : x >= edge;
    case UH_CLOSED_RIGHT: return j == 0 ? x >= edge : x > edge;
    case UH_HALF_OPEN_LEFT: return x >= edge;
    default: return x > edge;
    }
}

static void check_thresholds(const struct oracle_axis *axis, const struct uhi_edges *edges, uh_dtype dtype) {
    struct uhi_thresholds t;
    long double largest = dtype == UH_F32 || dtype == UH_F64 ? (long double)INFINITY : 0;
    char element[8];
    if (largest == 0)
        largest = oracle_store(dtype, 0x1p70L, element);
    test_good(uhi_thresholds_make("plan", edges, dtype, &t));
    assert_true(t.count <= edges->count);
    for (size_t j = 0; j < edges->count; j++) {
        if (j >= t.count) { /* not even the largest value passes */
            assert_false(passes(axis, j, largest));
            continue;
        }
        long double first = threshold(&t, dtype, j), before = oracle_neighbour(dtype, first, -1);
        assert_true(passes(axis, j, first));
        assert_true(before == first || !passes(axis, j, before));
    }
    uhi_thresholds_free(&t);
}

static void check_axis_thresholds(const struct case_axis *made) {
    /* Axes are kept as the widest type of their kind. */
    const uh_dtype wide = made->dtype <= UH_F64 ? UH_F64 : made->dtype <= UH_I64 ? UH_I64 : UH_U64;
    struct oracle_axis axis = made->oracle;
    char *values = test_memory(made->nedges * 8);
    for (size_t j = 0; j < made->nedges; j++)
        oracle_store(wide, axis.edges[j], values + 8 * j);
    for (int closed = UH_CLOSED_LEFT; closed <= UH_HALF_OPEN_RIGHT && made->nedges < 50000; closed++) {
        axis.closed = (uh_closed)closed;
        const struct uhi_edges edges = {wide, values, made->nedges, .closed = (uh_closed)closed};
        for (int dtype = 0; dtype < UH_DTYPE_COUNT; dtype++)
            check_thresholds(&axis, &edges, (uh_dtype)dtype);
    }
}

UNIT_TEST(each_threshold_is_the_smallest_value_past_its_edge) { each_axis(check_axis_thresholds); }

/* Comparisons that finish in any cell, by packed cells where both bodies go by them. */
static uint32_t steps_of(const struct uhi_histogram_plan *plan) {
    return plan->tables.on_host == UHI_LOOKUP_PACKED ? plan->tables.packed.steps : plan->tables.steps;
}

UNIT_TEST(almost_uniform_bins_take_one_level_and_one_comparison) {
    static const size_t k[] = {100, 1000};
    static const double h[] = {0.1, 0.01, 0.001};
    for (size_t i = 0; i < 6; i++) {
        struct uhi_edges edges = family(CASE_ALMOST, k[i / 3], h[i % 3]);
        for (int dtype = UH_F32; dtype <= UH_F64; dtype++) {
            struct uhi_histogram_plan *plan = make(&edges, (uh_dtype)dtype, UHI_LOOKUP_AUTO, 4, DEFAULT_BYTES);
            assert_int_equal(plan->tables.lookup, UHI_LOOKUP_PACKED);
            assert_int_equal(plan->tables.packed.map, UHI_MAP_LINEAR);
            assert_int_equal(steps_of(plan), 1);
        }
    }
}

UNIT_TEST(sixty_decades_take_the_logarithmic_map) {
    double values[241];
    for (int j = 0; j <= 240; j++)
        values[j] = pow(10, -30 + j / 4.0);
    struct uhi_edges edges = edges_of(values, 241);
    for (int dtype = UH_F32; dtype <= UH_F64; dtype++) {
        struct uhi_histogram_plan *plan = make(&edges, (uh_dtype)dtype, UHI_LOOKUP_AUTO, 4, DEFAULT_BYTES);
        assert_int_equal(plan->tables.packed.map, UHI_MAP_LOGARITHM);
        assert_true(steps_of(plan) <= 2);
    }
}

static void check_comparisons(const struct case_axis *made) {
    if (made->dtype != UH_F64 || made->nedges >= 5000)
        return;
    const struct uhi_edges edges = edges_of(made->edges, made->nedges);
    assert_true(steps_of(make(&edges, UH_F64, UHI_LOOKUP_AUTO, 4, DEFAULT_BYTES)) <=
                steps_of(make(&edges, UH_F64, UHI_LOOKUP_SEARCH, 4, DEFAULT_BYTES)));
}

UNIT_TEST(no_axis_needs_more_comparisons_than_a_binary_search) { each_axis(check_comparisons); }

UNIT_TEST(hostile_axes_take_at_most_six_comparisons) {
    static const char *const hostile[] = {
        "worst 100 0.1",         "worst 100 0.001", "worst 1000 0.001", "cluster at 1000",
        "cluster at 1 to 1e300", "nested 64",       "nested 4096",      "log both sides",
        "any bits f64",          "powers of two",   "random 1000"};
    for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++) {
        const struct case_axis *made = case_axis_named(hostile[i]);
        const struct uhi_edges edges = edges_of(made->edges, made->nedges);
        const struct uhi_histogram_plan *plan = make(&edges, UH_F64, UHI_LOOKUP_AUTO, 4, DEFAULT_BYTES);
        assert_true(steps_of(plan) <= 6);
    }
}

/* Edges at equal parts of what they carry: the cells that are laid by it part them. */
UNIT_TEST(a_distribution_that_fits_leaves_one_edge_in_a_cell) {
    static const uh_distribution fitting[] = {{sizeof normal, UH_DISTRIBUTION_NORMAL, 3, 200, NULL, NULL, 0},
                                              {sizeof normal, UH_DISTRIBUTION_EXPONENTIAL, -1, 5, NULL, NULL, 0},
                                              {sizeof normal, UH_DISTRIBUTION_LOGNORMAL, 2, 1, NULL, NULL, 0}};
    static const char *const names[] = {"cdf: normal, map piecewise", "cdf: exponential, map piecewise",
                                        "cdf: lognormal, map piecewise"};
    static const size_t bins[] = {2, 10, 100, 1000, 30000};
    for (size_t d = 0; d < 3; d++)
        for (size_t k = 0; k < sizeof bins / sizeof *bins; k++) {
            const uh_axis *axis = test_distribution_axis(&fitting[d], bins[k], 0, 1, UH_CLOSED_LEFT);
            char text[1000];
            struct uhi_edges edges = edges_of(test_axis_properties(axis).edges, bins[k] + 1);
            edges.distribution = &fitting[d];
            struct uhi_histogram_plan *plan = make(&edges, UH_F64, UHI_LOOKUP_CDF, 4, DEFAULT_BYTES);
            uhi_plan_text(plan, UHI_BODY_HOST, text, sizeof text);
            assert_ptr_equal(strstr(text, names[d]), text);
            assert_true(plan->comparisons <= 1.01);
            assert_true(plan->all_cells <= 12 * bins[k] + 16);
        }
}

/* The cells lie where the distribution says, not where the edges are. */
UNIT_TEST(a_distribution_that_does_not_fit_crowds_the_cells_and_no_more) {
    static const uh_distribution elsewhere = {sizeof elsewhere, UH_DISTRIBUTION_NORMAL, -1e6, 1, NULL, NULL, 0};
    enum { K = 1000 };
    struct uhi_edges edges = family(CASE_RANDOM, K, 0.001);
    edges.distribution = &elsewhere;
    for (int dtype = UH_F32; dtype <= UH_F64; dtype++) {
        struct uhi_histogram_plan *plan = make(&edges, (uh_dtype)dtype, UHI_LOOKUP_CDF, 4, DEFAULT_BYTES);
        assert_in_range(plan->max_in_cell, 2, K);
        assert_in_range(plan->tables.steps, 2, 10);
    }
}

/* Bytes of cells and nodes: all tables but thresholds and cuts with their pads, and the slots of ranks. */
static size_t cells_and_nodes(const struct uhi_histogram_plan *plan) {
    const struct uhi_histogram_tables *t = &plan->tables;
    size_t size = t->compare == UHI_COMPARE_F32 || t->compare == UHI_COMPARE_I32 ? 4 : 8, pads = 1;
    if (t->compare == UHI_COMPARE_DIRECT)
        return plan->bytes;
    while (pads <= t->ranks)
        pads *= 2;
    size_t others = ((size_t)t->ranks + pads + t->leaf) * size + (t->slot ? ((size_t)t->ranks + 1) * 4 : 0);
    if (t->cuts) {
        for (pads = UHI_CUTS_AT_ONCE + 2; pads <= 2 * (size_t)t->cut_count;)
            pads *= 2;
        others += (t->cut_count + pads) * size + (t->cut_slot ? ((size_t)t->cut_count + 2) * 4 : 0);
    }
    return plan->bytes > others ? plan->bytes - others : 0;
}

static void check_bounds(const struct case_axis *made) {
    static const size_t bounds[] = {1, 4096, 100000, 3000000, DEFAULT_BYTES};
    static const uh_dtype dtypes[] = {UH_F32, UH_F64, UH_I32, UH_I64};
    if (made->dtype != UH_F64 || made->nedges <= 50 || made->nedges >= 100000)
        return;
    const struct uhi_edges edges = edges_of(made->edges, made->nedges);
    const size_t before = test_left();
    for (size_t i = 0; i < 4 * sizeof bounds / sizeof *bounds; i++)
        for (int lookup = UHI_LOOKUP_AUTO; lookup < UHI_LOOKUP_DIRECT; lookup++) {
            /* A mesh has at least the k cells of its first node, and any plan a few words. */
            const size_t least = lookup == UHI_LOOKUP_MESH ? 8 * edges.count + 64 : 1024, bytes = bounds[i / 4];
            const size_t allowed = bytes > least ? bytes : least;
            const size_t used = cells_and_nodes(make(&edges, dtypes[i % 4], (enum uhi_lookup)lookup, 1, bytes));
            if (used > allowed)
                fail_msg("axis '%s', %s, %s: %zu bytes of cells and nodes, allowed %zu", made->name,
                         uh_enum_name(UH_ENUM_DTYPE, dtypes[i % 4]), uhi_lookup_name((enum uhi_lookup)lookup), used,
                         allowed);
            test_end_from(before);
        }
}

UNIT_TEST(cells_and_nodes_stay_within_the_bytes_allowed) { each_axis(check_bounds); }

/* Random edges in order, made quickly: sums of random widths. */
static struct uhi_edges random_edges(size_t k) {
    double *edges = test_memory((k + 1) * sizeof *edges);
    uint64_t seed = k;
    edges[0] = 0;
    for (size_t j = 1; j <= k; j++)
        edges[j] = edges[j - 1] - log(1 - test_random_f64(&seed));
    return edges_of(edges, k + 1);
}

/* Entries have room for the ranks of any number of edges; the exactness tests have such edges, too. */
UNIT_TEST(packed_cells_hold_millions_of_edges) {
    static const size_t bins[] = {60000, 70000, 500000, 3000000};
    for (size_t i = 0; i < (getenv("UNIHIST_INSTRUMENTED") ? 3 : 4); i++) {
        const struct uhi_edges edges = random_edges(bins[i]);
        for (int dtype = UH_F32; dtype <= UH_F64; dtype++) {
            const struct uhi_histogram_plan *plan = make(&edges, (uh_dtype)dtype, UHI_LOOKUP_AUTO, 4, DEFAULT_BYTES);
            const struct uhi_packed *packed = &plan->tables.packed;
            const size_t most = uhi_max_packed_ranks(packed->rank_bits);
            assert_int_equal(plan->tables.on_host, UHI_LOOKUP_PACKED);
            assert_true(plan->tables.cut_count <= most &&
                        (packed->rank_bits == UHI_RANK_BITS || 2 * bins[i] > most / 2));
            assert_true(packed->fraction + packed->rank_bits <= 31);
            assert_true(plan->packed_crowded > 0 && plan->packed_max < 8);
        }
        test_end_from(0);
    }
}

/* Buckets share out all cells, however many there are, and memory stays small compared with many threads' tables. */
UNIT_TEST(large_tables_are_counted_in_by_buckets_of_their_cells) {
    static const size_t bins[] = {100000, 600000, 3000000};
    for (size_t i = 0; i < (getenv("UNIHIST_INSTRUMENTED") ? 2 : 3); i++) {
        const struct uhi_edges edges = random_edges(bins[i]);
        const struct uhi_histogram_plan *plan = make(&edges, UH_F32, UHI_LOOKUP_AUTO, 4, 24 * bins[i] + DEFAULT_BYTES);
        const struct uhi_histogram_tables *t = &plan->tables;
        const size_t cells = uhi_first_cells(t);
        for (size_t threads = 1; threads <= 64; threads *= 4) {
            const struct uhi_buckets buckets = uhi_buckets_for(t, (size_t)1 << 24, threads);
            assert_true((buckets.count > 0) == (bins[i] > 100000 && threads < 64));
            if (buckets.count == 0)
                continue;
            assert_true(buckets.count <= UHI_MAX_BUCKETS && (cells - 1) >> buckets.shift < buckets.count);
            assert_true(threads * buckets.count * buckets.bytes <= UHI_PRIVATE_BYTES);
        }
        assert_int_equal(uhi_buckets_for(t, 10000, 1).count, 0); /* few values */
        test_end_from(0);
    }
}

UNIT_TEST(plans_of_ten_million_bins_stay_within_24_bytes_a_bin) {
    static const size_t bins[] = {1000, 1000000, 10000000};
    for (size_t i = 0; i < (getenv("UNIHIST_INSTRUMENTED") || test_is_coarse() ? 2 : 3); i++) {
        struct uhi_edges edges = random_edges(bins[i]);
        size_t bytes = bins[i] * 24 > DEFAULT_BYTES ? bins[i] * 24 : DEFAULT_BYTES;
        const size_t before = test_left();
        for (int lookup = UHI_LOOKUP_AUTO; lookup < UHI_LOOKUP_DIRECT; lookup++) {
            struct uhi_histogram_plan *plan = make(&edges, UH_F64, (enum uhi_lookup)lookup, 4, bytes);
            assert_true(cells_and_nodes(plan) <= bytes);
            test_end_from(before);
        }
        test_end_from(0);
    }
}

/* The last of 2^24 + 3 cells has a number that float32 rounds up. */
UNIT_TEST(a_mesh_of_more_cells_than_a_float_counts_stays_in_its_table) {
    size_t bins = ((size_t)1 << 24) + 4;
    double *values = test_memory((bins + 1) * sizeof *values);
    for (size_t j = 0; j <= bins; j++)
        values[j] = (double)j;
    struct uhi_edges edges = edges_of(values, bins + 1);
    struct uhi_histogram_plan *plan = make(&edges, UH_F32, UHI_LOOKUP_MESH, 4, bins * 24);
    const struct uhi_mesh_node_f32 *root = plan->tables.mesh_nodes;
    assert_true((double)root->top <= (double)(bins - 1));
}

UNIT_TEST(a_mesh_over_all_floats_is_refined) {
    double values[1001];
    for (int j = 0; j <= 1000; j++)
        values[j] = DBL_MAX * (j / 500.0 - 1);
    values[1000] = DBL_MAX;
    struct uhi_edges edges = edges_of(values, 1001);
    struct uhi_histogram_plan *plan = make(&edges, UH_F64, UHI_LOOKUP_MESH, 1, DEFAULT_BYTES);
    assert_true(plan->comparisons < 2); /* in one cell they would be 10 */
}
