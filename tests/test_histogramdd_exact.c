/* SPDX-License-Identifier: Apache-2.0 */
/* Histograms over several axes against an oracle: axes, rules, types, strides and storages of every kind, mixed, on the
 * device of $UNIHIST_TEST_DEVICE (the host). */
#include "tests/support.h"

#include <stdio.h>
#include <stdlib.h>

#include "tests/dd_cases.h"
#include "tests/fixture.h"

enum { CASES = 400 };

static uh_device *device;

static int is_host(void) {
    const char *name = getenv("UNIHIST_TEST_DEVICE");
    return !name || !*name;
}

static int find_device(void **state) {
    const char *name = getenv("UNIHIST_TEST_DEVICE");
    (void)state;
    return uh_device_select(is_host() ? "host" : name, &device) ? -1 : 0;
}

static uh_queue *make_queue(uint32_t threads) {
    const uh_queue_options options = {.struct_size = sizeof options, .threads = threads};
    uh_queue *queue = NULL;
    test_good(uh_queue_create(device, &options, &queue));
    return queue;
}

static int uses_double(const struct dd_case *tried) {
    for (size_t a = 0; a < tried->naxes; a++)
        if (tried->dtype[a] == UH_F64)
            return 1;
    return 0;
}

static int device_has_double(void) {
    uh_device_properties properties = {.struct_size = sizeof properties};
    test_good(uh_device_get_properties(device, &properties));
    return properties.fp64 != 0;
}

UNIT_TEST(every_cell_flow_and_total_is_the_oracles) {
    const int host = is_host(), fp64 = device_has_double();
    uh_queue *queues[3] = {make_queue(1), make_queue(2), make_queue(7)};
    for (uint64_t number = 0; number < (host ? CASES : CASES / 4); number++) {
        struct dd_case tried;
        struct dd_expected expected;
        dd_case_make(number, host ? SIZE_MAX : 5000, &tried);
        if (uses_double(&tried) && !fp64) {
            dd_case_free(&tried);
            continue;
        }
        dd_expect(&tried, &expected);
        uh_histogram *histogram = dd_case_create(queues[number % 3], &tried);
        dd_case_fill(histogram, &tried, 0, tried.n);
        dd_assert_holds(histogram, &expected);
        test_good(uh_histogram_reset(histogram));
        dd_case_fill(histogram, &tried, 0, tried.n / 3); /* in two pieces */
        dd_case_fill(histogram, &tried, tried.n / 3, tried.n);
        dd_assert_holds(histogram, &expected);
        test_good(uh_histogram_destroy(histogram));
        dd_expected_free(&expected);
        dd_case_free(&tried);
    }
    for (size_t i = 0; i < 3; i++)
        test_good(uh_queue_destroy(queues[i]));
}

UNIT_TEST(two_halves_merge_into_the_whole) {
    uh_queue *queue = make_queue(2);
    for (uint64_t number = 1000; number < 1000 + CASES / 10; number++) {
        struct dd_case tried;
        struct dd_expected expected;
        dd_case_make(number, 5000, &tried);
        if (uses_double(&tried) && !device_has_double()) {
            dd_case_free(&tried);
            continue;
        }
        dd_expect(&tried, &expected);
        uh_histogram *first = dd_case_create(queue, &tried), *second = dd_case_create(queue, &tried);
        dd_case_fill(first, &tried, 0, tried.n / 2);
        dd_case_fill(second, &tried, tried.n / 2, tried.n);
        test_good(uh_histogram_merge(first, second));
        dd_assert_holds(first, &expected);
        test_good(uh_histogram_destroy(first));
        test_good(uh_histogram_destroy(second));
        dd_expected_free(&expected);
        dd_case_free(&tried);
    }
    test_good(uh_queue_destroy(queue));
}

TEST_MAIN(test_histogramdd_exact) {
    return TEST_RUN(find_device, NULL);
}
