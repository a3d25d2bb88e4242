/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels over index spaces on the host device. */
#include "tests/support.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <unihist/runtime.h>

static const uint32_t thread_counts[] = {1, 2, 3, 8};
enum { THREAD_COUNTS = sizeof thread_counts / sizeof thread_counts[0] };

static uh_device *host(void) {
    uh_device *device = NULL;
    assert_int_equal(uh_device_select("host", &device), UH_SUCCESS);
    return device;
}

static uh_queue *make_queue(uint32_t threads) {
    uh_queue_options options = {.struct_size = sizeof options, .threads = threads};
    uh_queue *queue = NULL;
    assert_int_equal(uh_queue_create(host(), &options, &queue), UH_SUCCESS);
    return queue;
}

static uh_kernel *make_kernel(uh_host_function function) {
    uh_kernel *kernel = NULL;
    assert_int_equal(uh_kernel_create_host("test", function, &kernel), UH_SUCCESS);
    return kernel;
}

/* What the visiting kernel is told: the space as the test knows it. */
struct space {
    uh_nd_range range;
    atomic_uint wrong;
    atomic_uint groups;
};

/* Counts every item's visits at its place in the global space. args: the space, the counters. */
static void visit(const uh_work_group *group, void *const *args) {
    struct space *space = args[0];
    atomic_uchar *visits = args[1];
    const uh_nd_range *r = &space->range;
    int wrong = group->dims != r->dims;
    for (uint32_t d = 0; d < 3; d++) {
        size_t global = d < r->dims ? r->global[d] : 1, offset = d < r->dims ? r->offset[d] : 0;
        wrong |= group->global[d] != global || group->offset[d] != offset || group->size[d] == 0;
        wrong |= group->first[d] < offset || group->first[d] - offset + group->size[d] > global;
        wrong |= group->group_id[d] >= group->group_count[d];
        if (d < r->dims && r->local[d]) {
            wrong |= group->first[d] != offset + group->group_id[d] * r->local[d];
            wrong |= group->size[d] > r->local[d];
            wrong |= group->size[d] < r->local[d] && group->group_id[d] + 1 < group->group_count[d];
        }
    }
    atomic_fetch_add(&space->groups, 1);
    if (wrong) {
        atomic_fetch_add(&space->wrong, 1);
        return;
    }
    for (size_t z = 0; z < group->size[2]; z++)
        for (size_t y = 0; y < group->size[1]; y++)
            for (size_t x = 0; x < group->size[0]; x++) {
                size_t i = group->first[0] - group->offset[0] + x;
                size_t j = group->first[1] - group->offset[1] + y;
                size_t k = group->first[2] - group->offset[2] + z;
                atomic_fetch_add(&visits[i + group->global[0] * (j + group->global[1] * k)], 1);
            }
}

static void check_range(uh_queue *queue, const uh_kernel *kernel, const uh_nd_range *range) {
    struct space space = {.range = *range};
    size_t items = 1, groups = 1;
    int chosen = 0;
    for (uint32_t d = 0; d < range->dims; d++) {
        items *= range->global[d];
        chosen |= range->local[d] == 0;
        if (range->local[d])
            groups *= (range->global[d] + range->local[d] - 1) / range->local[d];
    }
    atomic_uchar *visits = calloc(items + 1, 1);
    assert_non_null(visits);
    uh_arg args[] = {uh_arg_pointer(&space), uh_arg_pointer(visits)};
    assert_int_equal(uh_parallel_for(queue, kernel, range, args, 2, NULL, 0, NULL), UH_SUCCESS);
    assert_int_equal(space.wrong, 0);
    if (!chosen)
        assert_int_equal(space.groups, items ? groups : 0);
    for (size_t i = 0; i < items; i++)
        assert_int_equal(visits[i], 1);
    assert_int_equal(visits[items], 0);
    free(visits);
}

static void each_item_of_1_2_and_3_dimensions_is_visited_once_offset_and_uneven_last_groups_included(void **state) {
    (void)state;
    static const uh_nd_range ranges[] = {
        {1, {1}, {1}, {0}},
        {1, {1}, {0}, {5}},
        {1, {1000}, {64}, {0}},
        {1, {1000}, {1000}, {0}},
        {1, {1000}, {1001}, {77}},
        {1, {1009}, {0}, {SIZE_MAX - 1009}},
        {1, {5000}, {1}, {3}},
        {2, {17, 13}, {4, 5}, {100, 1000}},
        {2, {17, 13}, {0, 5}, {0, 0}},
        {2, {17, 13}, {4, 0}, {1, 2}},
        {2, {17, 13}, {0, 0}, {1, 2}},
        {2, {1000, 1}, {0, 0}, {0, 0}},
        {2, {1, 1000}, {0, 0}, {0, 0}},
        {3, {7, 11, 13}, {2, 3, 4}, {5, 6, 7}},
        {3, {7, 11, 13}, {7, 1, 1}, {0, 0, 0}},
        {3, {7, 11, 13}, {0, 0, 0}, {9, 0, 0}},
        {3, {50, 2, 1}, {0, 0, 0}, {0, 0, 9}},
        {3, {3, 3, 3}, {9, 9, 9}, {0, 0, 9}},
        {1, {0}, {0}, {0}},
        {1, {0}, {8}, {3}},
        {3, {4, 0, 4}, {0, 0, 0}, {0, 0, 0}},
    };
    uh_kernel *kernel = make_kernel(visit);
    for (size_t t = 0; t < THREAD_COUNTS; t++) {
        uh_queue *queue = make_queue(thread_counts[t]);
        for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++)
            check_range(queue, kernel, &ranges[i]);
        assert_int_equal(uh_queue_destroy(queue), UH_SUCCESS);
    }
    uh_kernel_destroy(kernel);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_item_of_1_2_and_3_dimensions_is_visited_once_offset_and_uneven_last_groups_included),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
