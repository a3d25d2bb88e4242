/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels over index spaces on the host device. */
#include <omp.h>
#include <stdatomic.h>
#include <time.h>

#include "runtime/queue.h"
#include "tests/fixture.h"

static const uint32_t thread_counts[] = {1, 2, 3, 8};
enum { THREAD_COUNTS = sizeof thread_counts / sizeof thread_counts[0] };

/* Argument of the visiting kernel: the space as the test knows it. */
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
    size_t items = 1, groups = 1, most = 1, threads = queue->options.threads;
    int chosen = 0;
    for (uint32_t d = 0; d < range->dims; d++) {
        items *= range->global[d];
        chosen |= range->local[d] == 0;
        if (range->local[d])
            groups *= (range->global[d] + range->local[d] - 1) / range->local[d];
        most *= range->local[d] ? (range->global[d] + range->local[d] - 1) / range->local[d] : range->global[d];
    }
    atomic_uchar *visits = calloc(items + 1, 1);
    assert_non_null(visits);
    uh_arg args[] = {uh_arg_pointer(&space), uh_arg_pointer(visits)};
    test_good(uh_parallel_for(queue, kernel, range, args, 2, NULL));
    assert_int_equal(space.wrong, 0);
    if (!chosen)
        assert_int_equal(space.groups, items ? groups : 0);
    else /* every thread has work where there can be enough groups for it */
        assert_true(space.groups >= (threads < most ? threads : most));
    for (size_t i = 0; i < items; i++)
        assert_int_equal(visits[i], 1);
    assert_int_equal(visits[items], 0);
    free(visits);
}

UNIT_TEST(each_item_of_1_2_and_3_dimensions_is_visited_once_offset_and_uneven_last_groups_included) {
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
    uh_kernel *kernel = test_kernel("visit", visit);
    for (size_t t = 0; t < THREAD_COUNTS; t++) {
        uh_queue *queue = test_queue(thread_counts[t], 0);
        for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++)
            check_range(queue, kernel, &ranges[i]);
    }
}

/* What the kernel of every kind of argument expects, and what it finds. */
struct expected {
    uint64_t big;
    atomic_uint wrong;
    atomic_uint calls;
};

struct odd {
    char bytes[3];
};

/* args: struct expected *, u64 value, 3-byte value, NULL pointer, two local memories of 100 and 1 bytes. Local memory
 * is written, left alone for a while, and read again: another group's writing would show. */
static void use_arguments(const uh_work_group *group, void *const *args) {
    struct expected *expected = args[0];
    unsigned char *local = args[4], *last = args[5];
    unsigned char mark = (unsigned char)(group->group_id[0] * 7 + 1);
    uint64_t big;
    int wrong = 0;
    memcpy(&big, args[1], sizeof big);
    wrong |= big != expected->big || (uintptr_t)args[1] % 16 != 0 || (uintptr_t)args[2] % 16 != 0;
    wrong |= memcmp(args[2], "xyz", 3) != 0 || args[3] != NULL;
    wrong |= (uintptr_t)local % 64 != 0 || (uintptr_t)last % 64 != 0 || local == last;
    for (int round = 0; round < 20; round++) {
        memset(local, mark, 100);
        *last = (unsigned char)~mark;
        for (int i = 0; i < 100; i++)
            wrong |= ((volatile unsigned char *)local)[i] != mark;
        wrong |= *(volatile unsigned char *)last != (unsigned char)~mark;
    }
    atomic_fetch_add(&expected->calls, 1);
    if (wrong)
        atomic_fetch_add(&expected->wrong, 1);
}

UNIT_TEST(values_pointers_and_private_aligned_local_memory_reach_every_group) {
    uh_kernel *kernel = test_kernel("arguments", use_arguments);
    for (size_t t = 0; t < THREAD_COUNTS; t++) {
        uh_queue *queue = test_queue(thread_counts[t], 0);
        struct expected expected = {.big = UINT64_C(0x0123456789abcdef)};
        struct odd odd = {{'x', 'y', 'z'}};
        test_good(uh_parallel_for(queue, kernel, RANGE_OF(1000, 2),
                                  ARGS(uh_arg_pointer(&expected), VALUE(expected.big), VALUE(odd), uh_arg_pointer(NULL),
                                       uh_arg_local(100), uh_arg_local(1)),
                                  NULL));
        assert_int_equal(expected.calls, 500);
        assert_int_equal(expected.wrong, 0);
    }
}

enum { MEETING = 4 };

/* Writes to its local memory, waits until all groups have written to theirs (or for a second, where the OpenMP runtime
 * gives fewer threads), and reads. args: the count of those who have written, the count of wrong, local memory. */
static void write_meet_and_read(const uh_work_group *group, void *const *args) {
    atomic_uint *written = args[0];
    size_t *local = args[2];
    const struct timespec step = {0, 1000000};
    *(volatile size_t *)local = group->group_id[0];
    atomic_fetch_add(written, 1);
    for (int i = 0; i < 1000 && atomic_load(written) < MEETING; i++)
        nanosleep(&step, NULL);
    if (*(volatile size_t *)local != group->group_id[0])
        atomic_fetch_add((atomic_uint *)args[1], 1);
}

UNIT_TEST(groups_that_run_at_once_have_each_its_own_local_memory) {
    uh_queue *queue = test_queue(MEETING, 0);
    uh_kernel *kernel = test_kernel("meet", write_meet_and_read);
    atomic_uint written = 0, wrong = 0;
    test_good(uh_parallel_for(queue, kernel, RANGE_OF(MEETING, 1),
                              ARGS(uh_arg_pointer(&written), uh_arg_pointer(&wrong), uh_arg_local(sizeof(size_t))),
                              NULL));
    assert_int_equal(written, MEETING);
    assert_int_equal(wrong, 0);
}

enum { MANY = 300 };

static void add_all(const uh_work_group *group, void *const *args) {
    atomic_ullong *sum = args[0];
    unsigned char *local = args[MANY - 1];
    unsigned long long mine = 0;
    memset(local, 1, 8);
    for (size_t i = 1; i < MANY - 1; i++)
        mine += *(const unsigned *)args[i];
    atomic_fetch_add(sum, mine);
}

UNIT_TEST(hundreds_of_arguments_work_with_and_without_threads) {
    uh_kernel *kernel = test_kernel("many", add_all);
    for (size_t t = 0; t < THREAD_COUNTS; t++) {
        uh_queue *queue = test_queue(thread_counts[t], 0);
        unsigned values[MANY];
        uh_arg args[MANY];
        atomic_ullong sum = 0;
        args[0] = uh_arg_pointer(&sum);
        for (unsigned i = 1; i < MANY - 1; i++) {
            values[i] = i;
            args[i] = uh_arg_value(&values[i], sizeof values[i]);
        }
        args[MANY - 1] = uh_arg_local(8);
        test_good(uh_parallel_for(queue, kernel, RANGE_OF(10, 1), args, MANY, NULL));
        assert_int_equal(sum, 10ull * (MANY - 2) * (MANY - 1) / 2);
    }
}

static void change_value(const uh_work_group *group, void *const *args) {
    int *target = args[0];
    *target += *(const int *)args[1];
    *target += *(const int *)args[1];
}

UNIT_TEST(a_value_is_a_copy_made_when_the_kernel_is_submitted) {
    uh_queue *queue = test_queue(1, 0);
    uh_kernel *kernel = test_kernel("change", change_value);
    int number = 5;
    test_good(uh_parallel_for(queue, kernel, RANGE_OF(1, 1), ARGS(uh_arg_pointer(&number), VALUE(number)), NULL));
    assert_int_equal(number, 15);
}

static void note_threads(const uh_work_group *group, void *const *args) {
    atomic_uint *seen = args[0];
    unsigned now = (unsigned)omp_get_num_threads();
    if (now > atomic_load(seen))
        atomic_store(seen, now);
    assert_true(omp_get_thread_num() < (int)now);
}

static unsigned threads_of(uint32_t threads, size_t groups) {
    uh_queue *queue = test_queue(threads, 0);
    uh_kernel *kernel = test_kernel("threads", note_threads);
    atomic_uint seen = 0;
    test_good(uh_parallel_for(queue, kernel, RANGE_OF(groups, 1), ARGS(uh_arg_pointer(&seen)), NULL));
    return seen;
}

UNIT_TEST(as_many_threads_run_as_the_queue_has_but_no_more_than_groups) {
    assert_int_equal(threads_of(1, 100), 1);
    assert_int_equal(threads_of(2, 100), 2);
    assert_int_equal(threads_of(7, 100), 7);
    assert_int_equal(threads_of(7, 3), 3);
    assert_int_equal(threads_of(7, 1), 1);
}
