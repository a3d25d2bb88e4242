/* SPDX-License-Identifier: Apache-2.0 */
/* A plan for the host or for a device has the tables that are read there, and no others. */
#include "tests/support.h"

#include "kernels/plan/plan.h"
#include "tests/cases_edges.h"

static struct uhi_histogram_plan *make(const struct uhi_edges *edges, uh_dtype dtype, uh_method method,
                                       enum uhi_body place) {
    const struct uhi_plan_options options = {
        .method = method, .body = place, .leaf_bins = 4, .table_bytes = (size_t)64 << 20};
    struct uhi_histogram_plan *plan = NULL;
    assert_int_equal(uhi_plan_create("plan", edges, dtype, &options, &plan), UH_SUCCESS);
    return plan;
}

static void check_map(const struct uhi_histogram_plan *plan, const struct uhi_histogram_plan *all) {
    const struct uhi_histogram_tables *t = &plan->tables, *a = &all->tables;
    const size_t size = t->value_bytes < 4 ? 4 : t->value_bytes;
    assert_int_equal(t->map, a->map);
    assert_int_equal(t->levels, a->levels);
    assert_int_equal(t->steps, a->steps);
    assert_int_equal(plan->all_cells, all->all_cells);
    assert_int_equal(t->ranks, a->ranks);
    assert_int_equal(!t->base, !a->base);
    if (t->base)
        assert_memory_equal(t->base, a->base, plan->all_cells * sizeof *t->base);
    if (t->ranks > 0)
        assert_memory_equal(t->thresholds, a->thresholds, t->ranks * size);
}

static void check_form(const struct uhi_histogram_plan *plan, const struct uhi_histogram_plan *all) {
    const struct uhi_histogram_tables *t = &plan->tables, *a = &all->tables;
    assert_int_equal(t->cut_count, a->cut_count);
    if (t->cut_count > 0)
        assert_memory_equal(t->cuts, a->cuts, t->cut_count * t->value_bytes);
    if (t->form != UHI_FORM_PACKED)
        return;
    assert_int_equal(t->packed.cells, a->packed.cells);
    assert_memory_equal(t->packed.entry, a->packed.entry, t->packed.cells * sizeof *t->packed.entry);
}

/* A device goes by packed cells, which its planner has chosen for it alone, or by the map. */
static void check_device(const struct uhi_histogram_plan *device, const struct uhi_histogram_plan *all) {
    const struct uhi_histogram_tables *t = &device->tables;
    if (t->form == UHI_FORM_PACKED) {
        assert_true(all->method == UH_METHOD_AUTO || all->method == UHI_METHOD_PACKED);
        assert_false(t->packed.outside);
        assert_null(t->base);
        assert_int_equal(t->cut_count, all->tables.cut_count);
    } else if (t->cuts) { /* packed cells have been tried */
        assert_true(t->form == UHI_FORM_MAP && (t->base || t->ranks == 0));
    } else {
        assert_true(t->form == UHI_FORM_MAP || t->form == UHI_FORM_BYTES);
        assert_true(device->bytes <= all->bytes);
        check_map(device, all);
    }
}

UNIT_TEST(a_plan_for_one_place_is_the_part_of_the_whole_that_is_read_there) {
    static const uh_dtype dtypes[] = {UH_F32, UH_F64, UH_U32, UH_I64, UH_I8};
    static const uh_distribution normal = {sizeof normal, UH_DISTRIBUTION_NORMAL, 3, 2, NULL, NULL, 0};
    size_t found[UHI_FORM_PACKED + 1] = {0};
    for (size_t number = 0; number < case_axis_count(); number++) {
        struct case_axis made;
        assert_int_equal(case_axis_make(number, &made), 0);
        for (int method = UH_METHOD_AUTO; method < UHI_METHODS && made.nedges < 5000; method++)
            for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes && made.dtype == UH_F64; d++) {
                const struct uhi_edges edges = {UH_F64, made.edges, made.nedges, .distribution = &normal};
                struct uhi_histogram_plan *all = make(&edges, dtypes[d], (uh_method)method, UHI_BODY_ANY);
                struct uhi_histogram_plan *host = make(&edges, dtypes[d], (uh_method)method, UHI_BODY_HOST);
                struct uhi_histogram_plan *device = make(&edges, dtypes[d], (uh_method)method, UHI_BODY_DEVICE);
                assert_true(host->bytes <= all->bytes);
                check_device(device, all);
                assert_int_equal(host->tables.form, all->tables.form);
                if (host->tables.form == UHI_FORM_MAP)
                    check_map(host, all);
                else if (host->tables.form != UHI_FORM_BYTES)
                    assert_null(host->tables.base);
                check_form(host, all);
                found[host->tables.form]++;
                uhi_plan_destroy(all);
                uhi_plan_destroy(host);
                uhi_plan_destroy(device);
            }
        case_axis_free(&made);
    }
    for (size_t form = 0; form <= UHI_FORM_PACKED; form++)
        assert_true(found[form] > 0);
}
