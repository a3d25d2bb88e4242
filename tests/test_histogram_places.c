/* SPDX-License-Identifier: Apache-2.0 */
/* What plans have for the host and for each device: the tables that are read there and no others, what the planner
 * chooses for invented devices by their costs and the room in their local memory, and the keys by which float64 goes
 * without double (kernels/plan/keys.h). */
#include "api/histogram.h"
#include "kernels/common/shape.h"
#include "kernels/histogram/histogram_run.h"
#include "kernels/histogram/trial_plans.h"
#include "kernels/plan/keys.h"
#include "kernels/plan/plan.h"
#include "tests/cases_histogram.h"
#include "tests/fixture.h"

static void end_plan(void *plan) { uhi_plan_destroy(plan); }

static struct uhi_histogram_plan *make_by(const struct uhi_edges *edges, uh_dtype dtype,
                                          const struct uhi_plan_options *options) {
    struct uhi_histogram_plan *plan = NULL;
    test_good(uhi_plan_create("plan", edges, dtype, options, &plan));
    return test_at_end(plan, end_plan);
}

static struct uhi_histogram_plan *make(const struct uhi_edges *edges, uh_dtype dtype, enum uhi_lookup lookup,
                                       enum uhi_body place, int keys) {
    const struct uhi_plan_options options = {
        .lookup = lookup, .body = place, .leaf_bins = 4, .table_bytes = (size_t)64 << 20, .keys = keys};
    return make_by(edges, dtype, &options);
}

/* Search, mesh and cdf. */
static void check_inner(const struct uhi_histogram_plan *plan, const struct uhi_histogram_plan *all) {
    const struct uhi_histogram_tables *t = &plan->tables, *a = &all->tables;
    const size_t size = t->value_bytes < 4 ? 4 : t->value_bytes;
    assert_int_equal(t->steps, a->steps);
    assert_int_equal(plan->all_cells, all->all_cells);
    assert_int_equal(t->ranks, a->ranks);
    assert_int_equal(!t->base, !a->base);
    if (t->base)
        assert_memory_equal(t->base, a->base, plan->all_cells * sizeof *t->base);
    if (t->ranks > 0)
        assert_memory_equal(t->thresholds, a->thresholds, t->ranks * size);
}

static void check_cuts(const struct uhi_histogram_plan *plan, const struct uhi_histogram_plan *all) {
    const struct uhi_histogram_tables *t = &plan->tables, *a = &all->tables;
    assert_int_equal(t->cut_count, a->cut_count);
    if (t->cut_count > 0)
        assert_memory_equal(t->cuts, a->cuts, t->cut_count * t->value_bytes);
}

static void check_device(const struct uhi_histogram_plan *device, const struct uhi_histogram_plan *all) {
    const struct uhi_histogram_tables *t = &device->tables;
    assert_int_equal(t->lookup, all->tables.lookup);
    if (t->lookup != UHI_LOOKUP_PACKED) {
        check_inner(device, all);
        return;
    }
    assert_null(t->base);
    check_cuts(device, all);
}

/* The tables that only the other place reads are left out. */
static void check_host(const struct uhi_histogram_plan *host, const struct uhi_histogram_plan *all) {
    const enum uhi_lookup lookup = host->tables.on_host;
    if (all->tables.on_host != lookup) /* costs of packed cells differ from those of the host's alone */
        return;
    assert_true(lookup == UHI_LOOKUP_CDF || !host->tables.base);
    assert_true(lookup == UHI_LOOKUP_PACKED || !host->tables.packed.entry);
    if (uhi_finds_ranks(lookup))
        check_cuts(host, all);
    else
        check_inner(host, all);
}

UNIT_TEST(a_plan_for_one_place_is_the_part_of_the_whole_that_is_read_there) {
    static const uh_dtype dtypes[] = {UH_F32, UH_F64, UH_U32, UH_I64, UH_I8};
    static const uh_distribution normal = {sizeof normal, UH_DISTRIBUTION_NORMAL, 3, 2, NULL, NULL, 0};
    size_t found[UHI_LOOKUPS] = {0};
    for (size_t number = 0; number < case_axis_count(); number++) {
        const struct case_axis *made = case_axis(number);
        for (int by = UHI_LOOKUP_AUTO; by < UHI_LOOKUP_DIRECT && made->nedges < 5000; by++)
            for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes && made->dtype == UH_F64; d++) {
                const struct uhi_edges edges = {UH_F64, made->edges, made->nedges, .distribution = &normal};
                const enum uhi_lookup lookup = (enum uhi_lookup)by;
                struct uhi_histogram_plan *all = make(&edges, dtypes[d], lookup, UHI_BODY_ANY, 0);
                struct uhi_histogram_plan *host = make(&edges, dtypes[d], lookup, UHI_BODY_HOST, 0);
                check_device(make(&edges, dtypes[d], lookup, UHI_BODY_DEVICE, 0), all);
                check_host(host, all);
                found[host->tables.on_host]++;
                test_end_from(0);
            }
    }
    for (enum uhi_lookup lookup = UHI_LOOKUP_SEARCH; lookup < UHI_LOOKUPS; lookup++)
        assert_true(found[lookup] > 0);
}

static const struct uhi_histogram_plan *make_on_host(const struct uhi_edges *edges, uh_dtype dtype,
                                                     enum uhi_lookup wanted, enum uhi_lookup lookup) {
    const struct uhi_histogram_plan *plan = make(edges, dtype, wanted, UHI_BODY_HOST, 0);
    assert_int_equal(plan->tables.on_host, lookup);
    return plan;
}

/* Where the host compares with every edge, and where a look-up gives bin and edge; the exactness tests rely on it that
 * each case occurs. */
UNIT_TEST(the_host_has_the_look_up_that_the_edges_call_for) {
    enum { K = 1000 };
    double edges[K + 1];
    const struct uhi_edges few = {UH_F64, edges, 12, .closed = UH_CLOSED_LEFT},
                           many = {UH_F64, edges, K + 1, .closed = UH_CLOSED_LEFT};
    for (size_t j = 0; j <= K; j++)
        edges[j] = (double)j + 0.4 * sin((double)j);
    const struct uhi_histogram_plan *plan = make_on_host(&few, UH_F32, UHI_LOOKUP_AUTO, UHI_LOOKUP_COMPARE);
    assert_int_equal(plan->tables.cut_count, 12);
    assert_null(plan->tables.cut_slot);
    plan = make_on_host(&many, UH_F32, UHI_LOOKUP_AUTO, UHI_LOOKUP_PACKED);
    assert_int_equal(plan->tables.packed.map, UHI_MAP_LINEAR);
    assert_int_equal(plan->tables.packed.outside, 0);
    assert_int_equal(plan->packed_crowded, 0);
    edges[K] = 1e6; /* far outside */
    plan = make_on_host(&many, UH_F64, UHI_LOOKUP_PACKED, UHI_LOOKUP_PACKED);
    assert_int_equal(plan->tables.packed.outside, 1);
    edges[K] = K;
    for (size_t j = 500; j < 508; j++) /* crowded */
        edges[j] = 500 + (j < 504 ? 1e-9 : 1e-3) * (double)(j - 500);
    edges[508] = 501;
    plan = make_on_host(&many, UH_F64, UHI_LOOKUP_PACKED, UHI_LOOKUP_PACKED);
    assert_true(plan->packed_crowded >= 1);
    assert_true(plan->packed_max >= 4);
    assert_non_null(plan->tables.packed.part); /* which hold fewer of them */
    assert_true((size_t)1 << (plan->tables.packed.steps - 1) < plan->packed_max);
    double x[2 * K]; /* each edge, and the last value of its bin */
    uint32_t slot[2 * K];
    for (size_t j = 0; j < K; j++) {
        x[2 * j] = edges[j];
        x[2 * j + 1] = nextafter(edges[j + 1], edges[j]);
    }
    uhi_histogram_host()->lookup(&plan->tables, (struct uhi_values){(const char *)x, (size_t)2 * K, sizeof *x}, slot);
    for (uint32_t i = 0; i < 2 * K; i++)
        assert_int_equal(slot[i], i / 2 + 1);
    edges[1] = edges[0]; /* an empty bin */
    plan = make_on_host(&many, UH_I32, UHI_LOOKUP_COMPARE, UHI_LOOKUP_COMPARE);
    assert_non_null(plan->tables.cut_slot);
    (void)make_on_host(&many, UH_U8, UHI_LOOKUP_AUTO, UHI_LOOKUP_DIRECT);
}

static const struct uhi_histogram_plan *plan_for(const uh_device_properties *device, enum case_bins bins, size_t k,
                                                 uh_dtype dtype) {
    double *edges = test_memory((k + 1) * sizeof *edges);
    assert_int_equal(case_edges(bins, k, 1000, 0.001, 1, edges), 0);
    const struct uhi_edges axis = {.dtype = UH_F64, .values = edges, .count = k + 1, .closed = UH_CLOSED_LEFT};
    const struct uhi_plan_options options = {.lookup = UHI_LOOKUP_AUTO,
                                             .body = UHI_BODY_DEVICE,
                                             .leaf_bins = 4,
                                             .table_bytes = (size_t)64 << 20,
                                             .keys = !device->fp64,
                                             .costs = uhi_costs_of(device),
                                             .room = uhi_shape_room(k + 3, device)};
    return make_by(&axis, dtype, &options);
}

static struct uhi_shape shape_for(const uh_device_properties *device, const struct uhi_histogram_plan *plan) {
    return uhi_shape_among(UHI_TIERS_OF_VALUES, uhi_histogram_counters(&plan->tables), uhi_histogram_near_bytes(plan),
                           device);
}

UNIT_TEST(a_device_has_the_row_of_its_kind) {
    uh_device_properties device = iris_xe;
    assert_string_equal(uhi_costs_of(NULL)->kind, "host");
    assert_string_equal(uhi_costs_of(&iris_xe)->kind, "engines of 8 lanes");
    assert_string_equal(uhi_costs_of(&max_1550)->kind, "engines of 16 lanes");
    device.vendor_id = 0x10de;
    assert_string_equal(uhi_costs_of(&device)->kind, "unknown");
    device = iris_xe;
    memset(device.sub_group_sizes, 0, sizeof device.sub_group_sizes);
    assert_string_equal(uhi_costs_of(&device)->kind, "unknown");
    device.kind = UH_DEVICE_CPU;
    assert_string_equal(uhi_costs_of(&device)->kind, "host");
}

UNIT_TEST(a_larger_table_never_costs_less) {
    const uh_device_properties *const devices[] = {NULL, &iris_xe, &max_1550};
    for (size_t d = 0; d < 3; d++) {
        const struct uhi_costs *costs = uhi_costs_of(devices[d]);
        double before = 1; /* local memory */
        for (size_t bytes = 1; bytes < (size_t)1 << 40; bytes *= 2) {
            assert_true(uhi_table_cost(costs, bytes) >= before);
            before = uhi_table_cost(costs, bytes);
        }
        assert_true(uhi_table_cost(costs, SIZE_MAX) >= before);
    }
}

/* The paper's bins: one look-up gives rank and edge, and it is in local memory, as are many copies of the counts. */
UNIT_TEST(a_thousand_bins_take_two_messages_in_local_memory) {
    static const enum case_bins bins[] = {CASE_RANDOM, CASE_ALMOST, CASE_EQUAL};
    const uh_device_properties *const devices[] = {&iris_xe, &max_1550};
    for (size_t i = 0; i < 24; i++) {
        const uh_device_properties *device = devices[i % 2];
        const size_t k = i / 2 % 2 ? 1000 : 100;
        const struct uhi_histogram_plan *plan = plan_for(device, bins[i / 8], k, i / 4 % 2 ? UH_F64 : UH_F32);
        const struct uhi_shape shape = shape_for(device, plan);
        char text[1000];
        assert_string_equal(uhi_histogram_lookup_name(&plan->tables), "packed_linear");
        assert_int_equal(shape.tier, UHI_TIER_LOCAL);
        assert_true(shape.spread >= (k == 1000 && device == &iris_xe ? 3 : 4));
        uhi_plan_text(plan, UHI_BODY_DEVICE, text, sizeof text);
        assert_non_null(strstr(text, "map packed uniform"));
    }
}

UNIT_TEST(a_map_has_the_cells_that_there_is_room_for) {
    const struct uhi_histogram_plan *of_iris = plan_for(&iris_xe, CASE_RANDOM, 1000, UH_F32);
    const struct uhi_histogram_plan *of_max = plan_for(&max_1550, CASE_RANDOM, 1000, UH_F32);
    assert_true(of_iris->tables.packed.cells < of_max->tables.packed.cells);
    assert_true(uhi_histogram_near_bytes(of_iris) <= uhi_shape_room(1003, &iris_xe));
    assert_true(uhi_histogram_near_bytes(of_max) <= uhi_shape_room(1003, &max_1550));
}

/* Cells for tens of thousands of bins fit nowhere: the counts stay in local memory alone, and the cells are many. */
UNIT_TEST(tables_that_fit_nowhere_are_as_large_as_caches_allow) {
    const struct uhi_histogram_plan *plan = plan_for(&max_1550, CASE_EQUAL, 16384, UH_F32);
    const struct uhi_shape shape = shape_for(&max_1550, plan);
    assert_string_equal(uhi_histogram_lookup_name(&plan->tables), "packed_linear");
    assert_int_equal(shape.tier, UHI_TIER_MIXED);
    assert_true(plan->tables.packed.cells >= 16384);
    assert_true(plan->packed_max <= 1);
}

/* The last bin is nearly all of the range: cells lie over the others, and the ends are compared with. */
UNIT_TEST(an_edge_far_from_the_others_is_compared_with) {
    const struct uhi_histogram_plan *plan = plan_for(&max_1550, CASE_WORST, 1000, UH_F32);
    assert_string_equal(uhi_histogram_lookup_name(&plan->tables), "packed_linear");
    assert_int_equal(shape_for(&max_1550, plan).tier, UHI_TIER_LOCAL);
}

static void check_trial(const char *name) {
    const struct uhi_trial trial = {.call = "test", .kernel = name};
    struct uhi_trial_plans device, host;
    test_good(uhi_trial_plans_make(&trial, UHI_BODY_DEVICE, &device));
    test_good(uhi_trial_plans_make(&trial, UHI_BODY_HOST, &host));
    if (host.count != device.count)
        fail_msg("%s has %zu axes on the host, %zu on a device", name, host.count, device.count);
    for (size_t p = 0; p < host.count; p++) {
        assert_int_equal(host.n[p], device.n[p]);
        assert_memory_equal(host.often[p], device.often[p], host.n[p] * UHI_TRIAL_TIMES * uh_dtype_size(host.dtype));
    }
    uhi_trial_plans_free(&device);
    uhi_trial_plans_free(&host);
}

/* Kernels whose names end with a look-up. */
static size_t check_trials(const struct uhi_variants *all) {
    static const char *const lookups[] = {"search", "mesh", "cdf", "packed", "direct"};
    size_t checked = 0;
    for (size_t i = 0; i < all->count; i++)
        for (size_t j = 0; j < sizeof lookups / sizeof *lookups; j++) {
            const char *name = all->variant[i].name, *end = strrchr(name, '_');
            if (end && strcmp(end + 1, lookups[j]) == 0) {
                check_trial(name);
                checked++;
            }
        }
    return checked;
}

/* So that results are paired one by one. */
UNIT_TEST(trials_on_host_and_device_take_the_same_axes_and_values) {
    assert_true(check_trials(uhi_histogram_variants()) > 20);
}

static void compare_plans(const struct case_axis *made) {
    static const enum uhi_lookup lookups[] = {UHI_LOOKUP_AUTO, UHI_LOOKUP_MESH};
    const struct uhi_edges edges = {
        .dtype = UH_F64, .values = made->edges, .count = made->nedges, .closed = UH_CLOSED_LEFT};
    for (size_t i = 0; i < sizeof lookups / sizeof *lookups; i++) {
        const struct uhi_histogram_plan *floats = make(&edges, UH_F64, lookups[i], UHI_BODY_DEVICE, 0);
        const struct uhi_histogram_plan *keys = make(&edges, UH_F64, lookups[i], UHI_BODY_DEVICE, 1);
        assert_int_equal(floats->tables.compare, UHI_COMPARE_F64);
        assert_int_equal(keys->tables.compare, UHI_COMPARE_K64);
        if (keys->comparisons > fmax(1, 1.2 * floats->comparisons + (lookups[i] == UHI_LOOKUP_MESH)) ||
            (double)keys->bytes > 2 * (double)floats->bytes + 256)
            fail_msg("axis '%s', %s: %g comparisons, %zu bytes; of floats %g, %zu", made->name,
                     uhi_lookup_name(lookups[i]), keys->comparisons, keys->bytes, floats->comparisons, floats->bytes);
    }
}

UNIT_TEST(keys_take_about_the_tables_and_comparisons_of_floats) {
    for (size_t number = 0; number < case_axis_count(); number++) {
        const struct case_axis *made = case_axis(number);
        if (made->dtype == UH_F64 && made->nedges < 50000)
            compare_plans(made);
        test_end_from(0);
    }
}

/* Any bits; or next to, twice or half of another value. */
static double any_double(uint64_t *seed, double other) {
    const uint64_t bits = test_random_u64(seed);
    double x;
    memcpy(&x, &bits, sizeof x);
    switch (bits % 8) {
    case 0: return nextafter(other, x);
    case 1: return other * (double)(1 + bits / 8 % 3) / 2;
    case 2: return -other;
    case 3: return (bits & 8) != 0 ? 0.0 : -0.0;
    case 4: return copysign((double)INFINITY, x);
    default: return x;
    }
}

static int64_t bits_of(double x) {
    int64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

UNIT_TEST(keys_have_the_order_of_their_values) {
    uint64_t seed = 9;
    double x = 1;
    for (size_t i = 0; i < 300000; i++) {
        const double y = any_double(&seed, x);
        assert_int_equal(uhi_bits_are_nan(bits_of(y)), isnan(y) != 0);
        assert_int_equal(uhi_key_of_bits(uhi_key_of_bits(bits_of(y))), bits_of(y));
        if (!isnan(x) && !isnan(y)) {
            const int64_t a = uhi_key_of_bits(bits_of(x)), b = uhi_key_of_bits(bits_of(y));
            assert_int_equal(a < b, x < y || (x == 0 && y == 0 && signbit(x) && !signbit(y)));
        }
        x = isnan(y) ? 1 : y;
    }
}

/* The position of x, limited to the range as the maps do. */
static int64_t position_within(double x, double lo, double hi) {
    const uint32_t limit = uhi_position_limit(uhi_key_of_bits(bits_of(lo)), uhi_key_of_bits(bits_of(hi)));
    const int64_t first = uhi_position(bits_of(lo), limit), last = uhi_position(bits_of(hi), limit);
    const int64_t position = uhi_position(bits_of(x), limit);
    return position < first ? first : position > last ? last : position;
}

UNIT_TEST(positions_never_fall_as_the_value_grows_and_are_equal_steps) {
    uint64_t seed = 3;
    double last = 1;
    for (size_t i = 0; i < 300000; i++) {
        double v[4];
        for (size_t j = 0; j < 4; j++) {
            do
                v[j] = any_double(&seed, last);
            while (isnan(v[j]));
            last = v[j];
        }
        const double lo = fmin(v[0], v[1]), hi = fmax(v[0], v[1]), x = fmin(v[2], v[3]), y = fmax(v[2], v[3]);
        assert_true(position_within(x, lo, hi) <= position_within(y, lo, hi));
        const double larger = fmax(fabs(lo), fabs(hi));
        if (!(x >= lo && x <= hi && larger > 0x1p-900 && larger < 0x1p900))
            continue;
        /* A range has positions up to 2^29 to 2^30 in magnitude. */
        const double unit = ldexp(1, ilogb(larger) - 29);
        assert_true(fabs((double)position_within(x, lo, hi) - x / unit) <= 1);
    }
}
