/* SPDX-License-Identifier: Apache-2.0 */
/* Queues and events, on the host, whose work has ended when a submission returns, and on a fake device, whose work ends
 * when the test says so. */
#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "runtime/host.h"
#include "runtime/queue.h"
#include "tests/fake_device.h"
#include "tests/fixture.h"

UNIT_TEST(queue_knows_its_device_and_its_threads) {
    static const uint32_t threads[] = {1, 2, 5, 4096};
    uh_queue_properties known = {.struct_size = sizeof known};
    for (size_t i = 0; i < sizeof threads / sizeof threads[0]; i++) {
        uh_queue *queue = test_queue(threads[i], 0);
        test_good(uh_queue_get_properties(queue, &known));
        assert_ptr_equal(known.device, test_host());
        assert_int_equal(known.threads, threads[i]);
        assert_int_equal(known.parts, 0);
        test_good(uh_queue_wait(queue));
    }
    test_invalid(uh_queue_get_properties(NULL, &known), "uh_queue_get_properties: queue is NULL");
}

UNIT_TEST(wrong_arguments_are_refused_by_name_and_make_no_queue) {
    uh_queue *queue = (uh_queue *)state;
    test_null_is_refused(uh_queue_create(NAMED(device, test_host()), NULL, NAMED(queue, &queue)));
    static const struct {
        uh_queue_options options;
        const char *says, *expected;
    } wrong[] = {
        {{.threads = 4097}, "options->threads is 4097", "expected 0 to 4096"},
        {{.engine = (uh_engine)2}, "options->engine is 2", "UH_ENGINE_COPY"},
        {{.priority = (uh_priority)3}, "options->priority is 3", "UH_PRIORITY_LOW"},
        {{.group_size = 3}, "options->group_size is 3", "expected 0 or a power of two up to 1024"},
        {{.group_size = 2048}, "options->group_size is 2048", "expected 0 or a power of two up to 1024"},
        {{.group_size = UINT32_MAX}, "options->group_size is 4294967295", "expected 0 or a power of two up to 1024"},
        {{.groups = 4097}, "options->groups is 4097", "expected 0 to 4096"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        uh_queue_options options = wrong[i].options;
        options.struct_size = sizeof options;
        test_invalid(uh_queue_create(test_host(), &options, &queue), wrong[i].says, wrong[i].expected);
    }
    static const size_t sizes[] = {0, sizeof(uh_queue_options) - 1, sizeof(uh_queue_options) + 1, SIZE_MAX};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        char says[64];
        snprintf(says, sizeof says, "options->struct_size is %zu, expected %zu", sizes[i], sizeof(uh_queue_options));
        test_invalid(uh_queue_create(test_host(), &(uh_queue_options){.struct_size = sizes[i]}, &queue), says);
    }
    test_invalid(uh_queue_wait(NULL), "uh_queue_wait: queue is NULL");
    assert_ptr_equal(queue, state);
}

static uint64_t users_of(const uh_queue *queue) {
    uh_queue_properties known = {.struct_size = sizeof known};
    test_good(uh_queue_get_properties(queue, &known));
    return known.users;
}

static int cancelled_calls;

static int count_cancelled(void *user) { return ++cancelled_calls < 0; }

UNIT_TEST(a_queue_lives_until_its_last_user_without_callbacks) {
    uh_queue *queue = test_take(test_queue_of(test_host(), QUEUE_OPTIONS(.threads = 1, .cancelled = count_cancelled)));
    uh_event *events[3] = {NULL, NULL, NULL};
    char from = 'x', to = 'y';
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(users_of(queue), i);
        test_good(uh_memcpy(queue, &to, &from, 1, SIGNAL(&events[i])));
    }
    uhi_queue_retain(queue);
    uh_event_destroy(events[0]);
    assert_int_equal(users_of(queue), 3);
    uh_queue_destroy(queue); /* the program's reference goes: one of the three now counts as its owner's */
    cancelled_calls = 0;
    to = 'y';
    test_good(uh_memcpy(queue, &to, &from, 1, AFTER(&events[1], 1, NULL)));
    test_good(uhi_queue_check_cancelled(queue, "a call"));
    assert_int_equal(to, 'x');
    assert_int_equal(cancelled_calls, 0);
    uh_event_destroy(events[1]);
    uhi_queue_release(queue);
    test_wait_and_end(events[2]); /* frees the queue, as AddressSanitizer and the soft GPU see */
}

TEST_CHILD(threads) {
    const uh_device_properties p = test_device_properties(test_host());
    printf("%u %u %u %u %u", test_queue(0, 0)->options.threads, test_queue_of(test_host(), NULL)->options.threads,
           test_queue(4, 0)->options.threads, p.cores, p.threads);
    return 0;
}

UNIT_TEST(default_threads_are_those_of_omp_num_threads_or_one_per_core) {
    static const struct {
        const char *variable;
        unsigned long asked; /* 0: one per core */
    } cases[] = {
        {"OMP_NUM_THREADS=1", 1},   {"OMP_NUM_THREADS=2", 2}, {"OMP_NUM_THREADS=64", 64},
        {"OMP_NUM_THREADS=1,8", 1}, {"OMP_NUM_THREADS", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        unsigned long numbers[5]; /* threads of three queues, cores, hardware threads */
        const char *const *environment = TEST_ENVIRONMENT(cases[i].variable, "OMP_DYNAMIC", "OMP_THREAD_LIMIT");
        assert_int_equal(test_read_numbers(test_expect_child("threads", environment, 0, "", "")->out, numbers, 5), 5);
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
    assert_int_equal(queue->options.threads, 1);
}

UNIT_TEST(wait_returns_an_asynchronous_error_once_after_telling_the_callback) {
    struct test_heard heard = {0, UH_SUCCESS, ""};
    uh_queue *queue = test_queue_of(fake_device(), QUEUE_OPTIONS(.error_callback = test_hear, .error_user = &heard));
    assert_int_equal(queue->options.threads, 1);
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
    uh_queue_destroy(test_take(queue));
    assert_int_equal(heard.calls, 2);
    assert_int_equal(heard.status, UH_ERROR_DRIVER);
    assert_int_equal(fake_live_objects(), 0);
}

UNIT_TEST(without_a_callback_the_wait_alone_tells) {
    uh_queue *queue = test_queue_of(fake_device(), NULL);
    fake_queue_error(queue, UH_ERROR_DEVICE_LOST);
    assert_int_equal(uh_queue_wait(queue), UH_ERROR_DEVICE_LOST);
}

static void sleep_for(long nanoseconds) {
    const struct timespec t = {0, nanoseconds};
    nanosleep(&t, NULL);
}

static void sleep_5_ms(const uh_work_group *group, void *const *args) { sleep_for(5000000); }

static void count_call(const uh_work_group *group, void *const *args) { atomic_fetch_add((atomic_int *)args[0], 1); }

/* Of work that was submitted after `before`: its event's times lie in order between then and now; ends the event. */
static uint64_t time_of(uh_event *event, uint64_t before) {
    uh_event_times times = {0, 0, 0};
    test_good(uh_event_profile(event, &times));
    assert_true(before <= times.submitted && times.submitted <= times.started && times.started <= times.ended &&
                times.ended <= uhi_host_now());
    uh_event_destroy(event);
    return times.ended - times.started;
}

UNIT_TEST(times_of_launches_copies_and_fills_are_ordered_and_span_their_work) {
    uh_queue *queue = test_queue(1, 1);
    char a[64], b[64];
    uh_event *event = NULL;
    uint64_t before = uhi_host_now();
    test_good(uh_parallel_for(queue, test_kernel("sleep", sleep_5_ms), RANGE_OF(2, 1), NULL, 0, SIGNAL(&event)));
    assert_true(time_of(event, before) >= 10000000);
    before = uhi_host_now();
    test_good(uh_fill(queue, a, "a", 1, 64, SIGNAL(&event)));
    (void)time_of(event, before);
    before = uhi_host_now();
    test_good(uh_memcpy(queue, b, a, 64, SIGNAL(&event)));
    (void)time_of(event, before);
}

UNIT_TEST(without_profiling_there_are_no_times_and_the_output_is_untouched) {
    uh_event *event = test_event(test_queue(1, 0));
    uh_event_times times = {7, 8, 9};
    test_assert_failed(uh_event_profile(event, &times), UH_ERROR_UNSUPPORTED, "uh_event_profile", "profiling");
    assert_true(times.submitted == 7 && times.started == 8 && times.ended == 9);
}

UNIT_TEST(null_is_refused_by_name_but_may_be_destroyed) {
    uh_event *event = test_event(test_queue(1, 1));
    uh_event_times times;
    test_invalid(uh_event_wait(NULL, UINT64_MAX), "uh_event_wait: event is NULL");
    test_invalid(uh_event_wait(NULL, 1), "uh_event_wait: event is NULL");
    test_null_is_refused(uh_event_profile(NAMED(event, event), NAMED(times, &times)));
    uh_event_destroy(NULL);
}

/* A queue on the fake device, whose work does not end by itself. */
static uh_queue *fake_queue(uint32_t profiling) {
    return test_queue_of(fake_device(), QUEUE_OPTIONS(.profiling = profiling));
}

/* Nothing of the fake device is there but what the test leaves to be ended. */
static int count_fake_objects(void **state) { return fake_live_objects() != 0; }

static void *finish_after_5_ms(void *event) {
    sleep_for(5000000);
    fake_finish(event, UH_SUCCESS);
    return NULL;
}

UNIT_TEST(waiting_for_pending_work_times_out_or_ends_with_the_work) {
    uh_event *event = test_event(fake_queue(1));
    uh_event_times times = {0, 0, 0};
    pthread_t thread;
    test_assert_failed(uh_event_wait(event, 0), UH_ERROR_TIMEOUT, "uh_event_wait", "0 nanoseconds");
    uint64_t before = uhi_host_now();
    test_assert_failed(uh_event_wait(event, 2000000), UH_ERROR_TIMEOUT, "uh_event_wait", "2000000");
    assert_true(uhi_host_now() - before >= 2000000);
    assert_int_equal(pthread_create(&thread, NULL, finish_after_5_ms, event), 0);
    test_good(uh_event_wait(event, UINT64_MAX));
    test_good(uh_event_wait(event, 0));
    pthread_join(thread, NULL);
    test_good(uh_event_profile(event, &times));
    assert_int_equal(times.ended, 3);
}

UNIT_TEST(destroying_an_event_waits_for_its_work) {
    uh_event *event = test_take(test_event(fake_queue(0)));
    pthread_t thread;
    uint64_t before = uhi_host_now();
    assert_int_equal(pthread_create(&thread, NULL, finish_after_5_ms, event), 0);
    uh_event_destroy(event);
    assert_true(uhi_host_now() - before >= 5000000);
    pthread_join(thread, NULL);
}

UNIT_TEST(failed_work_gives_its_status_to_every_wait_and_profile) {
    uh_event *event = test_event(fake_queue(1));
    uh_event_times times = {7, 8, 9};
    fake_finish(event, UH_ERROR_DEVICE_LOST);
    test_assert_failed(uh_event_wait(event, UINT64_MAX), UH_ERROR_DEVICE_LOST, "fake: the work failed");
    assert_int_equal(uh_event_wait(event, 0), UH_ERROR_DEVICE_LOST);
    assert_int_equal(uh_event_profile(event, &times), UH_ERROR_DEVICE_LOST);
    assert_int_equal(times.submitted, 7);
}

UNIT_TEST(a_submission_waits_for_events_of_other_queues_and_devices) {
    uh_queue *second = test_queue(2, 0);
    uh_event *deps[2] = {test_event(test_queue(1, 0)), test_event(fake_queue(0))};
    uh_kernel *kernel = test_kernel("count", count_call);
    atomic_int calls = 0;
    char a = 1, b = 2;
    const char zero = 0;
    pthread_t thread;
    uint64_t before = uhi_host_now();
    assert_int_equal(pthread_create(&thread, NULL, finish_after_5_ms, deps[1]), 0);
    test_good(uh_parallel_for(second, kernel, RANGE_OF(1, 1), ARGS(uh_arg_pointer(&calls)), AFTER(deps, 2, NULL)));
    assert_true(uhi_host_now() - before >= 5000000);
    assert_int_equal(calls, 1);
    pthread_join(thread, NULL);
    test_good(uh_memcpy(second, &b, &a, 1, AFTER(deps, 2, NULL)));
    test_good(uh_fill(second, &b, &zero, 1, 1, AFTER(deps, 2, NULL)));
}

UNIT_TEST(a_failed_dependency_fails_the_submission_and_nothing_runs) {
    uh_queue *queue = test_queue(1, 0);
    uh_event *dep = test_event(fake_queue(0)), *event = (uh_event *)state;
    uh_kernel *kernel = test_kernel("count", count_call);
    atomic_int calls = 0;
    char a = 1, b = 2;
    fake_finish(dep, UH_ERROR_DRIVER);
    assert_int_equal(
        uh_parallel_for(queue, kernel, RANGE_OF(1, 1), ARGS(uh_arg_pointer(&calls)), AFTER(&dep, 1, &event)),
        UH_ERROR_DRIVER);
    assert_int_equal(uh_memcpy(queue, &b, &a, 1, AFTER(&dep, 1, &event)), UH_ERROR_DRIVER);
    assert_int_equal(uh_fill(queue, &b, &a, 1, 1, AFTER(&dep, 1, &event)), UH_ERROR_DRIVER);
    /* Another device of the same kind waits for it as well. */
    uh_queue *other = test_queue_of(fake_other_device(), NULL);
    assert_int_equal(uh_memcpy(other, &b, &a, 1, AFTER(&dep, 1, &event)), UH_ERROR_DRIVER);
    assert_int_equal(calls, 0);
    assert_int_equal(b, 2);
    assert_ptr_equal(event, state);
}

UNIT_TEST(a_submission_that_the_backend_refuses_gives_no_event_and_leaves_no_child) {
    uh_queue *queue = fake_queue(0);
    uh_event *event = (uh_event *)state;
    char a = 1, b = 2;
    fake_submission_error(UH_ERROR_DRIVER);
    test_assert_failed(uh_memcpy(queue, &b, &a, 1, SIGNAL(&event)), UH_ERROR_DRIVER, "fake: cannot submit");
    fake_submission_error(UH_ERROR_OUT_OF_DEVICE_MEMORY);
    assert_int_equal(uh_fill(queue, &b, &a, 1, 1, SIGNAL(&event)), UH_ERROR_OUT_OF_DEVICE_MEMORY);
    assert_ptr_equal(event, state);
}

TEST_AROUND(test_runtime_queue, NULL, count_fake_objects)
