/* SPDX-License-Identifier: Apache-2.0 */
/* Histograms over several axes against an oracle: axes, rules, types, strides and storages of every kind, mixed, on the
 * device of $UNIHIST_TEST_DEVICE (the host). Nothing else has weights far apart or backwards. */
#include "tests/dd_cases.h"
#include "tests/tested.h"

enum { CASES = 400 };

static int device_can(const struct dd_case *tried) {
    for (size_t a = 0; a < tried->naxes; a++)
        if (tried->coordinates[a].dtype == UH_F64 && !tested.properties.fp64)
            return 0;
    return 1;
}

UNIT_TEST(every_cell_flow_and_total_is_the_oracles) {
    uh_queue *queues[3] = {tested_queue(1), tested_queue(2), tested_queue(7)};
    const size_t before = test_left();
    for (uint64_t number = 0; number < (tested.on_host ? CASES : CASES / 4); number++) {
        const struct dd_case *tried = dd_case(number, tested.on_host ? SIZE_MAX : 5000);
        if (device_can(tried)) {
            const struct dd_expected *expected = dd_expect(tried);
            uh_histogram *histogram = dd_case_filled(queues[number % 3], tried);
            dd_assert_holds(histogram, expected);
            test_good(uh_histogram_reset(histogram));
            dd_case_fill(histogram, tried, 0, tried->n / 3); /* in two pieces */
            dd_case_fill(histogram, tried, tried->n / 3, tried->n);
            dd_assert_holds(histogram, expected);
        }
        test_end_from(before);
    }
}

UNIT_TEST(two_halves_merge_into_the_whole) {
    uh_queue *queue = tested_queue(2);
    const size_t before = test_left();
    for (uint64_t number = 1000; number < 1000 + CASES / 10; number++) {
        const struct dd_case *tried = dd_case(number, 5000);
        if (device_can(tried)) {
            uh_histogram *first = dd_case_create(queue, tried), *second = dd_case_create(queue, tried);
            dd_case_fill(first, tried, 0, tried->n / 2);
            dd_case_fill(second, tried, tried->n / 2, tried->n);
            test_good(uh_histogram_merge(first, second));
            dd_assert_holds(first, dd_expect(tried));
        }
        test_end_from(before);
    }
}

TESTED_MAIN(test_histogramdd_exact)
