/* SPDX-License-Identifier: Apache-2.0 */
/* Histograms over several axes against an oracle: axes, rules, types, strides and storages of every kind, mixed, on the
 * device of $UNIHIST_TEST_DEVICE (the host). */
#include "tests/support.h"

#include <stdio.h>
#include <stdlib.h>

#include "tests/dd_cases.h"

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
    assert_int_equal(uh_queue_create(device, &options, &queue), UH_SUCCESS);
    return queue;
}

static uh_histogramdd *make(uh_queue *queue, const struct dd_case *tried) {
    const uh_histogramdd_options options = {
        .struct_size = sizeof options, .storage = tried->storage, .methods = tried->methods};
    uh_histogramdd *histogram = NULL;
    assert_int_equal(
        uh_histogramdd_create(queue, (const uh_axis *const *)tried->axes, tried->naxes, &options, &histogram),
        UH_SUCCESS);
    assert_int_equal(uh_histogramdd_cells(histogram), tried->cells);
    return histogram;
}

/* Fills points [from, to). */
static void fill(uh_histogramdd *histogram, const struct dd_case *tried, size_t from, size_t to) {
    uh_array coordinates[UH_MAX_AXES], values = tried->values;
    for (size_t a = 0; a < tried->naxes; a++) {
        coordinates[a] = tried->coordinates[a];
        coordinates[a].data = (const char *)coordinates[a].data + (ptrdiff_t)from * coordinates[a].stride;
    }
    if (tried->has_values)
        values.data = (const char *)values.data + (ptrdiff_t)from * values.stride;
    uh_status status = uh_histogramdd_fill(histogram, coordinates, to - from, tried->has_values ? &values : NULL);
    if (status)
        fail_msg("%s", uh_last_error());
}

static int uses_double(const struct dd_case *tried) {
    for (size_t a = 0; a < tried->naxes; a++)
        if (tried->dtype[a] == UH_F64)
            return 1;
    return 0;
}

static int device_has_double(void) {
    uh_device_properties properties = {.struct_size = sizeof properties};
    assert_int_equal(uh_device_get_properties(device, &properties), UH_SUCCESS);
    return properties.fp64 != 0;
}

static void every_cell_flow_and_total_is_the_oracles(void **state) {
    const int host = is_host(), fp64 = device_has_double();
    uh_queue *queues[3] = {make_queue(1), make_queue(2), make_queue(7)};
    (void)state;
    for (uint64_t number = 0; number < (host ? CASES : CASES / 4); number++) {
        struct dd_case tried;
        struct dd_expected expected;
        dd_case_make(number, host ? SIZE_MAX : 5000, &tried);
        if (uses_double(&tried) && !fp64) {
            dd_case_free(&tried);
            continue;
        }
        dd_expect(&tried, &expected);
        uh_histogramdd *histogram = make(queues[number % 3], &tried);
        fill(histogram, &tried, 0, tried.n);
        dd_assert_holds(histogram, &expected);
        assert_int_equal(uh_histogramdd_reset(histogram), UH_SUCCESS);
        fill(histogram, &tried, 0, tried.n / 3); /* in two pieces */
        fill(histogram, &tried, tried.n / 3, tried.n);
        dd_assert_holds(histogram, &expected);
        assert_int_equal(uh_histogramdd_destroy(histogram), UH_SUCCESS);
        dd_expected_free(&expected);
        dd_case_free(&tried);
    }
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(uh_queue_destroy(queues[i]), UH_SUCCESS);
}

static void two_halves_merge_into_the_whole(void **state) {
    uh_queue *queue = make_queue(2);
    (void)state;
    for (uint64_t number = 1000; number < 1000 + CASES / 10; number++) {
        struct dd_case tried;
        struct dd_expected expected;
        dd_case_make(number, 5000, &tried);
        if (uses_double(&tried) && !device_has_double()) {
            dd_case_free(&tried);
            continue;
        }
        dd_expect(&tried, &expected);
        uh_histogramdd *first = make(queue, &tried), *second = make(queue, &tried);
        fill(first, &tried, 0, tried.n / 2);
        fill(second, &tried, tried.n / 2, tried.n);
        assert_int_equal(uh_histogramdd_merge(first, second), UH_SUCCESS);
        dd_assert_holds(first, &expected);
        assert_int_equal(uh_histogramdd_destroy(first), UH_SUCCESS);
        assert_int_equal(uh_histogramdd_destroy(second), UH_SUCCESS);
        dd_expected_free(&expected);
        dd_case_free(&tried);
    }
    assert_int_equal(uh_queue_destroy(queue), UH_SUCCESS);
}

TEST_MAIN(test_histogramdd_exact) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_cell_flow_and_total_is_the_oracles),
        cmocka_unit_test(two_halves_merge_into_the_whole),
    };
    return cmocka_run_group_tests(tests, find_device, NULL);
}
