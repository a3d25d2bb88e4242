/* SPDX-License-Identifier: Apache-2.0 */
/* Each allocation that a plan makes fails once, for all devices or one kind, some of them in huge pages. Linked with
 * --wrap, so that the library's calls of malloc and its kin come here. */
#include "tests/support.h"

#include <stdlib.h>

#include "kernels/plan/plan.h"
#include "tests/cases_histogram.h"
#include "tests/failing_malloc.h"
#include "tests/fixture.h"

enum { MOST_ALLOCATIONS = 64 };

/* Edges of which some are equal. */
static double *edges_of(enum case_bins bins, size_t k) {
    double *edges = malloc((k + 1) * sizeof *edges);
    assert_non_null(edges);
    assert_int_equal(case_edges(bins, k, bins == CASE_DECADES ? 1e30 : 1000, 0.0001, 1, edges), 0);
    edges[k / 2] = edges[k / 2 + 1];
    return edges;
}

/* Lets allocation after allocation fail; returns how many there were. */
static size_t fail_each(const struct uhi_edges *edges, uh_dtype dtype, const struct uhi_plan_options *options) {
    size_t allocations;
    for (allocations = 0; allocations < MOST_ALLOCATIONS; allocations++) {
        struct uhi_histogram_plan *plan = NULL;
        seen = 0;
        fails_at = allocations + 1;
        uh_status status = uhi_plan_create("plan", edges, dtype, options, &plan);
        fails_at = 0;
        if (seen <= allocations) {
            assert_int_equal(status, UH_SUCCESS);
            uhi_plan_destroy(plan);
            break;
        }
        test_assert_failed(status, UH_ERROR_OUT_OF_MEMORY, "plan: no memory for");
        assert_null(plan);
    }
    return allocations;
}

UNIT_TEST(every_failed_allocation_of_a_plan_is_an_error_that_leaves_nothing_behind) {
    static const struct {
        enum case_bins bins;
        size_t k;
    } axes[] = {{CASE_RANDOM, 10}, {CASE_RANDOM, 1000}, {CASE_DECADES, 1000}, {CASE_RANDOM, 1500000}};
    static const uh_dtype dtypes[] = {UH_F32, UH_F64, UH_I32, UH_I64, UH_U8};
    static const uh_distribution normal = {sizeof normal, UH_DISTRIBUTION_NORMAL, 500, 200, NULL, NULL, 0};
    for (size_t a = 0; a < sizeof axes / sizeof *axes; a++) {
        const int huge = axes[a].k > 1000000; /* tables in huge pages */
        double *values = edges_of(axes[a].bins, axes[a].k);
        const struct uhi_edges edges = {.dtype = UH_F64,
                                        .values = values,
                                        .count = axes[a].k + 1,
                                        .closed = UH_CLOSED_LEFT,
                                        .distribution = &normal};
        for (size_t d = 0; d < (huge ? 1 : sizeof dtypes / sizeof *dtypes); d++)
            for (int lookup = UHI_LOOKUP_AUTO; lookup <= (huge ? UHI_LOOKUP_AUTO : UHI_LOOKUP_CDF); lookup++)
                for (int place = UHI_BODY_ANY; place <= UHI_BODY_DEVICE + 1; place++) {
                    const int keys = place > UHI_BODY_DEVICE;
                    const struct uhi_plan_options options = {.lookup = (enum uhi_lookup)lookup,
                                                             .body = (enum uhi_body)(place - keys),
                                                             .leaf_bins = 1,
                                                             .table_bytes = (size_t)64 << 20,
                                                             .keys = keys};
                    /* The thresholds, the plan, and a table or more. */
                    assert_in_range(fail_each(&edges, dtypes[d], &options), 3, MOST_ALLOCATIONS - 1);
                }
        free(values);
    }
}
