/* SPDX-License-Identifier: Apache-2.0 */
/* Axes that carry the distribution of data, on the device of $UNIHIST_TEST_DEVICE (the host): the same counts as
 * without, where the host counts in groups of cells, for data like that and unlike it. */
#include "tests/oracle.h"
#include "tests/tested.h"

enum { BINS = 150000, VALUES = 5 * BINS, SAMPLE = 1000 };

/* Half of the values are clusters, which half of the edges follow, too; `unit` 0: over many powers of ten. */
static double drawn(double unit, uint64_t *seed) {
    const double u = test_random_f64(seed), v = test_random_f64(seed);
    const double x = u < 0.5 ? 1000 * v - 500 : floor(64 * v) - 32 + 1e-4 * u;
    return unit > 0 ? x * unit : exp(x / 20);
}

/* Values like the edges, on them, one step next to them and beyond, and (floats) NaN of either sign and infinite. */
static const void *values_of(uh_dtype dtype, const double *edges, double unit, uint64_t *seed) {
    static const double special[] = {-1e9, 1e9, 0, -0., NAN, -NAN, INFINITY, -INFINITY};
    char *values = test_memory(VALUES * uh_dtype_size(dtype));
    for (size_t i = 0; i < VALUES; i++) {
        const double edge = edges[(size_t)(test_random_f64(seed) * BINS)], far = i % 2 ? 0x1p80 : -0x1p80;
        const double x = i % 1000 < (unit > 1 ? 4 : 8) ? special[i % 1000]
                         : i % 3 == 0                  ? edge
                         : i % 3 == 1                  ? nextafter(edge, far)
                                                       : drawn(unit, seed);
        (void)oracle_store(dtype, x, values + i * uh_dtype_size(dtype));
    }
    return values;
}

/* Makes the axis carry the distribution of values around `shift`. */
static uh_axis *carrying(const uh_axis *axis, double shift, double unit) {
    double sample[SAMPLE];
    uint64_t seed = 9;
    uh_bins *bins = NULL;
    uh_axis *made = NULL;
    for (size_t i = 0; i < SAMPLE; i++)
        sample[i] = shift + drawn(unit, &seed);
    test_good(uh_bins_create(NULL, &bins));
    test_good(uh_bins_add(bins, ARRAY(UH_F64, sample, SAMPLE), NULL));
    test_good(uh_axis_create_with_data(axis, bins, &made));
    uh_bins_destroy(bins);
    return made;
}

UNIT_TEST(a_distribution_of_data_changes_no_count) {
    static const uh_dtype dtypes[] = {UH_F32, UH_F64, UH_F64, UH_I64};
    static const uh_closed rules[] = {UH_CLOSED_LEFT, UH_CLOSED_RIGHT, UH_HALF_OPEN_LEFT, UH_HALF_OPEN_RIGHT};
    static const double units[] = {1, 1, 0, 0x1p40};
    uint64_t seed = 7, *counts = NULL;
    char text[512];
    uh_flow flow;
    for (size_t i = 0; i < 4; i++) {
        double *edges = test_memory((BINS + 1) * sizeof *edges);
        for (size_t j = 0; j <= BINS; j++)
            edges[j] = drawn(units[i], &seed);
        qsort(edges, BINS + 1, sizeof *edges, test_ascending);
        const void *values = values_of(dtypes[i], edges, units[i], &seed);
        uh_axis *plain = test_axis_of(UH_F64, edges, BINS + 1, rules[i]);
        uh_axis *axes[] = {plain, carrying(plain, 0, units[i]), carrying(plain, 0x1p72, units[i])};
        counts = test_memory(BINS * sizeof *counts);
        for (size_t j = 0; j < 3; j++) {
            uh_histogram *histogram = test_line(tested.queue, axes[j]);
            test_good(uh_histogram_fill(histogram, ARRAY(dtypes[i], values, VALUES), NULL));
            if (j > 0) {
                test_assert_counts(histogram, counts, &flow);
                uh_axis_destroy(axes[j]);
            }
            test_good(uh_histogram_counts(histogram, counts));
            flow = test_flow(histogram, 0);
            test_good(uh_histogram_plan_text(histogram, 0, dtypes[i], text, sizeof text, NULL));
            assert_int_equal(strstr(text, "in groups") != NULL, tested.on_host && j == 1);
        }
        test_end_from(0);
    }
}

TESTED_MAIN(test_histogram_data)
