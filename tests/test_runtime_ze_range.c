/* SPDX-License-Identifier: Apache-2.0 */
/* Index spaces of launches on any Level Zero driver; results are checked if it computes. */
#include "runtime/ze.h"
#include "tests/launch_fixture.h"

static void check_item(const uint64_t *item, const uh_nd_range *range, const size_t at[3]) {
    for (uint32_t d = 0; d < 3; d++) {
        int used = d < range->dims;
        size_t offset = used ? range->offset[d] : 0;
        assert_int_equal(item[d], at[d] + offset);
        assert_int_equal(item[3 + d], at[d]);
        if (used && range->local[d])
            assert_int_equal(item[6 + d], range->local[d]);
        if (!used)
            assert_int_equal(item[6 + d], 1);
    }
}

UNIT_TEST(each_item_of_a_range_runs_once_and_knows_its_ids) {
    static const uh_nd_range ranges[] = {
        {1, {1}, {1}, {0}},
        {1, {1000}, {0}, {0}},
        {1, {997}, {0}, {0}},
        {1, {96}, {32}, {0}},
        {1, {96}, {32}, {5}},
        {1, {96}, {32}, {(size_t)UINT32_MAX - 200}},
        {2, {24, 10}, {8, 5}, {0, 0}},
        {2, {24, 10}, {0, 5}, {3, 0}},
        {2, {24, 10}, {8, 0}, {0, 7}},
        {2, {31, 37}, {0, 0}, {1, 2}},
        {3, {12, 6, 4}, {4, 3, 2}, {0, 0, 0}},
        {3, {12, 6, 4}, {0, 0, 0}, {7, 8, 9}},
        {3, {12, 6, 4}, {0, 2, 0}, {0, 0, 0}},
        {1, {96}, {32}, {0}}, /* the offset is 0 again */
    };
    enum { MAX = 31 * 37 * 9 };
    uint64_t *out = test_ze_alloc(device, UH_MEMORY_HOST, MAX * sizeof *out);
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
        const uh_nd_range *r = &ranges[i];
        const size_t n[3] = {r->global[0], r->dims > 1 ? r->global[1] : 1, r->dims > 2 ? r->global[2] : 1};
        if (test_ze_computes())
            memset(out, 0xee, MAX * sizeof *out);
        run("tell", r, ARGS(uh_arg_pointer(out)));
        if (!test_ze_computes())
            continue;
        for (size_t z = 0; z < n[2]; z++)
            for (size_t y = 0; y < n[1]; y++)
                for (size_t x = 0; x < n[0]; x++)
                    check_item(out + 9 * (x + n[0] * (y + n[1] * z)), r, (const size_t[]){x, y, z});
        size_t end = 9 * n[0] * n[1] * n[2];
        if (end < MAX)
            assert_true(out[end] == UINT64_C(0xeeeeeeeeeeeeeeee));
    }
}

static uh_status choose(const char *kernel, const uh_nd_range *given, size_t local[3]) {
    struct uhi_range range = {.dims = given->dims, .global = {1, 1, 1}, .local = {1, 1, 1}};
    memcpy(range.global, given->global, given->dims * sizeof *given->global);
    memcpy(range.local, given->local, given->dims * sizeof *given->local);
    const uh_status status = uhi_ze_choose_group("choose", device, get(kernel), &range);
    memcpy(local, range.local, sizeof range.local);
    return status;
}

UNIT_TEST(chosen_sizes_divide_the_range_and_fit_the_kernel) {
    static const uh_nd_range ranges[] = {
        {1, {1}, {0}, {0}},
        {1, {1 << 20}, {0}, {0}},
        {1, {999983}, {0}, {0}}, /* a prime */
        {1, {(size_t)1 << 33}, {0}, {0}},
        {2, {1000, 6}, {0, 0}, {0}},
        {2, {1 << 16, 12}, {0, 4}, {0}},
        {3, {60, 60, 60}, {0, 0, 0}, {0}},
        {3, {60, 60, 60}, {0, 0, 5}, {0}},
    };
    uh_kernel_properties p = {.struct_size = sizeof p};
    test_good(uh_kernel_get_properties(get("add"), &p));
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
        size_t local[3] = {0, 0, 0}, again[3] = {0, 0, 0};
        test_good(choose("add", &ranges[i], local));
        test_good(choose("add", &ranges[i], again));
        assert_memory_equal(local, again, sizeof local);
        assert_true(local[0] * local[1] * local[2] <= p.max_group_size);
        for (uint32_t d = 0; d < 3; d++) {
            assert_true(local[d] >= 1);
            if (d < ranges[i].dims) {
                assert_int_equal(local[d] ? ranges[i].global[d] % local[d] : 1, 0);
                if (ranges[i].local[d])
                    assert_int_equal(local[d], ranges[i].local[d]);
            } else {
                assert_int_equal(local[d], 1);
            }
        }
    }
}

UNIT_TEST(a_kernel_that_requires_a_size_gets_it) {
    const uh_nd_range chosen = {2, {16, 8}, {0, 0}, {0}}, given = {2, {16, 8}, {8, 4}, {0}},
                      odd = {2, {16, 6}, {0, 0}, {0}};
    uint32_t *out = test_ze_alloc(device, UH_MEMORY_HOST, sizeof *out);
    const uh_arg args[] = {uh_arg_pointer(out)};
    size_t local[3] = {0, 0, 0};
    *out = 0;
    test_good(choose("fixed", &chosen, local));
    assert_int_equal(local[0], 8);
    assert_int_equal(local[1], 4);
    assert_int_equal(local[2], 1);
    test_good(uh_parallel_for(queue, get("fixed"), &chosen, args, 1, NULL));
    run("fixed", &given, args, 1);
    if (test_ze_computes())
        assert_int_equal(*out, 2 * 128 * 841);
    test_invalid(uh_parallel_for(queue, get("fixed"), &odd, args, 1, NULL),
                 "range->global[1] is 6, expected a multiple of 4, the size of work-groups that kernel \"fixed\"");
}

UNIT_TEST(an_empty_range_runs_nothing_and_its_event_ends) {
    static const uh_nd_range ranges[] = {{1, {0}, {0}, {0}}, {2, {64, 0}, {32, 4}, {0}}, {3, {0, 0, 0}, {0}, {0}}};
    uh_queue *timed = test_ze_queue(device, 1);
    uint32_t *out = test_ze_alloc(device, UH_MEMORY_HOST, sizeof *out);
    const uint32_t one = 1;
    const uh_arg args[] = {uh_arg_pointer(out), uh_arg_value(&one, sizeof one)};
    *out = 7;
    for (size_t i = 0; i < 3; i++) {
        uh_event *event = NULL;
        test_good(uh_parallel_for(timed, get("add"), &ranges[i], args, 2, SIGNAL(&event)));
        test_good(uh_event_wait(event, UINT64_MAX));
        test_good(uh_event_wait(event, 0));
        uh_event_destroy(event);
    }
    assert_int_equal(*out, 7);
}

UNIT_TEST(more_groups_or_larger_offsets_than_the_device_counts_are_refused) {
    uint32_t *out = test_ze_alloc(device, UH_MEMORY_HOST, sizeof *out);
    uh_event *event = (uh_event *)state;
    const uint32_t value = 0;
    const uh_arg args[] = {uh_arg_pointer(out), uh_arg_value(&value, sizeof value)};
    /* A prime above 2^33: the only group that divides it has one item. */
    const uh_nd_range many = {1, {8589934609}, {0}, {0}}, far = {1, {64}, {64}, {(size_t)UINT32_MAX + 1}};
    test_invalid(uh_parallel_for(queue, get("add"), &many, args, 2, SIGNAL(&event)),
                 "uh_parallel_for: range->global[0] is 8589934609, which makes 8589934609 work-groups of 1 ");
    test_assert_failed(uh_parallel_for(queue, get("add"), &far, args, 2, SIGNAL(&event)), UH_ERROR_UNSUPPORTED,
                       "range->offset[0] is 4294967296, expected at most 4294967295 on level_zero:0");
    assert_ptr_equal(event, state);
}

TEST_ZE_MAIN(test_runtime_ze_range, make_module, destroy_module)
