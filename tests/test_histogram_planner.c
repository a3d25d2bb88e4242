/* SPDX-License-Identifier: Apache-2.0 */
/* The planner knows the device: what is chosen for invented ones, by their costs and the room in their local memory. */
#include "tests/support.h"

#include <string.h>

#include "kernels/common/shape.h"
#include "kernels/histogram/histogram_upload.h"
#include "tests/cases_histogram.h"
#include "tests/invented_devices.h"

static void end_plan(void *plan) {
    uhi_plan_destroy(plan);
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
    struct uhi_histogram_plan *plan = NULL;
    assert_int_equal(uhi_plan_create("plan", &axis, dtype, &options, &plan), UH_SUCCESS);
    return test_at_end(plan, end_plan);
}

static struct uhi_shape shape_for(const uh_device_properties *device, const struct uhi_histogram_plan *plan) {
    return uhi_shape_choose(uhi_histogram_counters(&plan->tables), uhi_histogram_near_bytes(plan), device);
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
        double before = costs->local;
        for (size_t bytes = 1; bytes < (size_t)1 << 40; bytes *= 2) {
            assert_true(uhi_table_cost(costs, bytes) >= before);
            before = uhi_table_cost(costs, bytes);
        }
        assert_true(uhi_table_cost(costs, SIZE_MAX) >= before);
    }
}

/* The paper's bins: one look-up brings rank and edge, and it is in local memory, as are many copies of the counts. */
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
