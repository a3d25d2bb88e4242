/* SPDX-License-Identifier: Apache-2.0 */
/* Queues: how they are made, how many threads they have, when they can go, and how they tell of errors. */
#include <omp.h>

#include "runtime/queue.h"
#include "tests/child.h"
#include "tests/fake_device.h"
#include "tests/fixture.h"

UNIT_TEST(queue_knows_its_device_and_its_threads) {
    static const uint32_t threads[] = {1, 2, 5, 4096};
    for (size_t i = 0; i < sizeof threads / sizeof threads[0]; i++) {
        uh_queue *queue = test_queue(threads[i], 0);
        assert_ptr_equal(uh_queue_get_device(queue), test_host());
        assert_int_equal(uh_queue_threads(queue), threads[i]);
        test_good(uh_queue_wait(queue));
    }
    assert_null(uh_queue_get_device(NULL));
    assert_int_equal(uh_queue_threads(NULL), 0);
}

UNIT_TEST(wrong_arguments_are_refused_by_name_and_make_no_queue) {
    uh_queue *queue = (uh_queue *)state;
    test_invalid(uh_queue_create(NULL, NULL, &queue), "uh_queue_create: device is NULL");
    test_invalid(uh_queue_create(test_host(), NULL, NULL), "uh_queue_create: queue is NULL");
    uh_queue_options options = {.struct_size = sizeof options, .threads = 4097};
    test_invalid(uh_queue_create(test_host(), &options, &queue), "options->threads is 4097, expected 0 to 4096");
    static const size_t sizes[] = {0, sizeof options - 1, sizeof options + 1, SIZE_MAX};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        char says[64];
        snprintf(says, sizeof says, "options->struct_size is %zu, expected %zu", sizes[i], sizeof options);
        options = (uh_queue_options){.struct_size = sizes[i]};
        test_invalid(uh_queue_create(test_host(), &options, &queue), says);
    }
    options = (uh_queue_options){.struct_size = sizeof options, .engine = (uh_engine)2};
    test_invalid(uh_queue_create(test_host(), &options, &queue), "options->engine is 2", "UH_ENGINE_COPY");
    options = (uh_queue_options){.struct_size = sizeof options, .priority = (uh_priority)3};
    test_invalid(uh_queue_create(test_host(), &options, &queue), "options->priority is 3", "UH_PRIORITY_LOW");
    static const uint32_t group_sizes[] = {3, 2048, UINT32_MAX};
    for (size_t i = 0; i < sizeof group_sizes / sizeof *group_sizes; i++) {
        options = (uh_queue_options){.struct_size = sizeof options, .group_size = group_sizes[i]};
        test_invalid(uh_queue_create(test_host(), &options, &queue), "options->group_size is ",
                     "expected 0 or a power of two up to 1024");
    }
    options = (uh_queue_options){.struct_size = sizeof options, .groups = 4097};
    test_invalid(uh_queue_create(test_host(), &options, &queue), "options->groups is 4097, expected 0 to 4096");
    test_invalid(uh_queue_wait(NULL), "uh_queue_wait: queue is NULL");
    assert_ptr_equal(queue, state);
}

UNIT_TEST(programs_of_before_operations_had_a_width_make_queues) {
    const uh_queue_options options = {
        .struct_size = offsetof(uh_queue_options, group_size), .threads = 3, .group_size = 7, .groups = 9999};
    uh_queue *queue = NULL;
    test_good(uh_queue_create(test_host(), &options, &queue));
    assert_int_equal(uh_queue_threads(queue), 3);
    test_good(uh_queue_destroy(queue));
}

UNIT_TEST(destroying_null_is_allowed) {
    test_good(uh_queue_destroy(NULL));
}

UNIT_TEST(queue_with_live_children_is_in_use_and_works_on) {
    uh_queue *queue = test_queue(1, 0);
    uh_event *events[3] = {NULL, NULL, NULL};
    char from = 'x', to = 'y';
    for (size_t i = 0; i < 3; i++)
        test_good(uh_memcpy(queue, &to, &from, 1, NULL, 0, &events[i]));
    uhi_queue_retain(queue);
    test_assert_failed(uh_queue_destroy(queue), UH_ERROR_IN_USE, "uh_queue_destroy: queue has 4 live");
    uhi_queue_release(queue);
    for (size_t i = 0; i < 3; i++) {
        char says[32];
        snprintf(says, sizeof says, "queue has %zu live", 3 - i);
        test_assert_failed(uh_queue_destroy(queue), UH_ERROR_IN_USE, says);
        to = 'y';
        test_good(uh_memcpy(queue, &to, &from, 1, &events[i], 1, NULL));
        assert_int_equal(to, 'x');
        test_good(uh_event_destroy(events[i]));
    }
}

TEST_CHILD(threads) {
    uh_queue *queue = test_queue(0, 0), *four = test_queue(4, 0);
    uh_queue *plain = NULL;
    uh_device_properties p = {.struct_size = sizeof p};
    uh_device_get_properties(test_host(), &p);
    uh_queue_create(test_host(), NULL, &plain);
    printf("%u %u %u %u %u", uh_queue_threads(queue), uh_queue_threads(plain), uh_queue_threads(four), p.cores,
           p.threads);
    uh_queue_destroy(queue);
    uh_queue_destroy(plain);
    uh_queue_destroy(four);
    return 0;
}

UNIT_TEST(default_threads_are_those_of_omp_num_threads_or_one_a_core) {
    static const struct {
        const char *variable;
        unsigned long asked; /* 0: one a core */
    } cases[] = {
        {"OMP_NUM_THREADS=1", 1},   {"OMP_NUM_THREADS=2", 2}, {"OMP_NUM_THREADS=64", 64},
        {"OMP_NUM_THREADS=1,8", 1}, {"OMP_NUM_THREADS", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct test_child child;
        unsigned long numbers[5]; /* threads of three queues, cores, hardware threads */
        const char *environment[] = {cases[i].variable, "OMP_DYNAMIC", "OMP_THREAD_LIMIT", NULL};
        test_run_child("threads", environment, &child);
        assert_int_equal(child.exit_code, 0);
        assert_int_equal(test_read_numbers(child.out, numbers, 5), 5);
        unsigned long expected = cases[i].asked ? cases[i].asked : numbers[3];
        if (expected > numbers[4])
            expected = numbers[4];
        assert_int_equal(numbers[0], expected);
        assert_int_equal(numbers[1], expected);
        assert_int_equal(numbers[2], 4);
    }
}

UNIT_TEST(default_threads_follow_omp_set_num_threads) {
    int before = omp_get_max_threads();
    omp_set_num_threads(1);
    uh_queue *queue = test_queue(0, 0);
    omp_set_num_threads(before);
    assert_int_equal(uh_queue_threads(queue), 1);
}

struct heard {
    int calls;
    uh_status status;
    char message[64];
};

static void hear(uh_status status, const char *message, void *user) {
    struct heard *heard = user;
    heard->calls++;
    heard->status = status;
    snprintf(heard->message, sizeof heard->message, "%s", message);
}

UNIT_TEST(wait_returns_an_asynchronous_error_once_after_telling_the_callback) {
    struct heard heard = {0, UH_SUCCESS, ""};
    uh_queue_options options = {.struct_size = sizeof options, .error_callback = hear, .error_user = &heard};
    uh_queue *queue = test_queue_of(fake_device(), &options);
    assert_int_equal(uh_queue_threads(queue), 1);
    test_good(uh_queue_wait(queue));
    assert_int_equal(heard.calls, 0);
    fake_queue_error(queue, UH_ERROR_DEVICE_LOST);
    test_assert_failed(uh_queue_wait(queue), UH_ERROR_DEVICE_LOST, "fake: the work failed");
    assert_int_equal(heard.calls, 1);
    assert_int_equal(heard.status, UH_ERROR_DEVICE_LOST);
    assert_string_equal(heard.message, "uh_queue_wait: fake: the work failed");
    test_good(uh_queue_wait(queue));
    assert_int_equal(heard.calls, 1);
    fake_queue_error(queue, UH_ERROR_DRIVER);
    test_good(uh_queue_destroy(test_take(queue)));
    assert_int_equal(heard.calls, 2);
    assert_int_equal(heard.status, UH_ERROR_DRIVER);
    assert_int_equal(fake_live_objects(), 0);
}

UNIT_TEST(without_a_callback_the_wait_alone_tells) {
    uh_queue *queue = test_queue_of(fake_device(), NULL);
    fake_queue_error(queue, UH_ERROR_DEVICE_LOST);
    assert_int_equal(uh_queue_wait(queue), UH_ERROR_DEVICE_LOST);
}
