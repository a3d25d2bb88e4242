/* SPDX-License-Identifier: Apache-2.0 */
/* A plan for the host or for a device has the tables that are read there, and no others. */
#include "tests/support.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/plan/plan.h"
#include "tests/cases_edges.h"

static struct uhi_histogram_plan *make(const struct uhi_edges *edges, uh_dtype dtype, enum uhi_lookup lookup,
                                       enum uhi_body place) {
    const struct uhi_plan_options options = {
        .lookup = lookup, .body = place, .leaf_bins = 4, .table_bytes = (size_t)64 << 20};
    struct uhi_histogram_plan *plan = NULL;
    assert_int_equal(uhi_plan_create("plan", edges, dtype, &options, &plan), UH_SUCCESS);
    return plan;
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

/* Whatever the other place reads is left out. */
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
        struct case_axis made;
        assert_int_equal(case_axis_make(number, &made), 0);
        for (int lookup = UHI_LOOKUP_AUTO; lookup < UHI_LOOKUP_DIRECT && made.nedges < 5000; lookup++)
            for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes && made.dtype == UH_F64; d++) {
                const struct uhi_edges edges = {UH_F64, made.edges, made.nedges, .distribution = &normal};
                struct uhi_histogram_plan *all = make(&edges, dtypes[d], (enum uhi_lookup)lookup, UHI_BODY_ANY);
                struct uhi_histogram_plan *host = make(&edges, dtypes[d], (enum uhi_lookup)lookup, UHI_BODY_HOST);
                struct uhi_histogram_plan *device = make(&edges, dtypes[d], (enum uhi_lookup)lookup, UHI_BODY_DEVICE);
                check_device(device, all);
                check_host(host, all);
                found[host->tables.on_host]++;
                uhi_plan_destroy(all);
                uhi_plan_destroy(host);
                uhi_plan_destroy(device);
            }
        case_axis_free(&made);
    }
    for (enum uhi_lookup lookup = UHI_LOOKUP_SEARCH; lookup < UHI_LOOKUPS; lookup++)
        assert_true(found[lookup] > 0);
}
