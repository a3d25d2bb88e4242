/* SPDX-License-Identifier: Apache-2.0 */
/* Events and dependencies: on the host, whose work has ended when a submission returns, and on a fake device, whose
 * work ends when the test says so. */
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "tests/fake_device.h"
#include "tests/fixture.h"

static void sleep_for(long nanoseconds) {
    const struct timespec t = {0, nanoseconds};
    nanosleep(&t, NULL);
}

static void sleep_5_ms(const uh_work_group *group, void *const *args) {
    (void)group;
    (void)args;
    sleep_for(5000000);
}

static void count_call(const uh_work_group *group, void *const *args) {
    (void)group;
    atomic_fetch_add((atomic_int *)args[0], 1);
}

UNIT_TEST(times_of_a_launch_are_ordered_and_span_its_work) {
    uh_queue *queue = test_queue(1, 1);
    uh_kernel *kernel = test_kernel("sleep", sleep_5_ms);
    uh_nd_range range = {1, {2}, {1}, {0}};
    uh_event *event = NULL;
    uh_event_times times = {0, 0, 0};
    uint64_t before = test_now();
    test_good(uh_parallel_for(queue, kernel, &range, NULL, 0, NULL, 0, &event));
    uint64_t after = test_now();
    test_good(uh_event_profile(event, &times));
    assert_true(before <= times.submitted && times.submitted <= times.started);
    assert_true(times.ended - times.started >= 10000000);
    assert_true(times.ended <= after);
    uh_event_destroy(event);
}

UNIT_TEST(copies_and_fills_carry_times_too) {
    uh_queue *queue = test_queue(1, 1);
    char a[64], b[64];
    const char zero = 0;
    for (int i = 0; i < 2; i++) {
        uh_event *event = NULL;
        uh_event_times times = {0, 0, 0};
        uint64_t before = test_now();
        if (i == 0)
            test_good(uh_fill(queue, a, &zero, 1, 64, NULL, 0, &event));
        else
            test_good(uh_memcpy(queue, b, a, 64, NULL, 0, &event));
        test_good(uh_event_profile(event, &times));
        assert_true(before <= times.submitted && times.submitted <= times.started && times.started <= times.ended &&
                    times.ended <= test_now());
        uh_event_destroy(event);
    }
}

UNIT_TEST(without_profiling_there_are_no_times_and_the_output_is_untouched) {
    uh_event *event = test_event(test_queue(1, 0));
    uh_event_times times = {7, 8, 9};
    test_assert_failed(uh_event_profile(event, &times), UH_ERROR_UNSUPPORTED, "uh_event_profile", "profiling");
    assert_true(times.submitted == 7 && times.started == 8 && times.ended == 9);
}

UNIT_TEST(a_hosts_event_is_done_and_never_waits) {
    uh_event *event = test_event(test_queue(1, 0));
    int done = 0;
    test_good(uh_event_is_done(event, &done));
    assert_int_equal(done, 1);
    test_good(uh_event_wait(event));
    test_good(uh_event_wait_for(event, 0));
}

UNIT_TEST(null_is_refused_by_name_but_may_be_destroyed) {
    uh_event *event = test_event(test_queue(1, 1));
    uh_event_times times;
    int done = 5;
    test_invalid(uh_event_wait(NULL), "uh_event_wait: event is NULL");
    test_invalid(uh_event_wait_for(NULL, 1), "uh_event_wait_for: event is NULL");
    test_invalid(uh_event_is_done(NULL, &done), "uh_event_is_done: event is NULL");
    test_invalid(uh_event_profile(NULL, &times), "uh_event_profile: event is NULL");
    test_invalid(uh_event_is_done(event, NULL), "uh_event_is_done: done is NULL");
    test_invalid(uh_event_profile(event, NULL), "uh_event_profile: times is NULL");
    assert_int_equal(done, 5);
    test_good(uh_event_destroy(NULL));
}

/* A queue on the fake device, whose work does not end by itself. */
static uh_queue *fake_queue(uint32_t profiling) {
    const uh_queue_options options = {.struct_size = sizeof options, .profiling = profiling};
    return test_queue_of(fake_device(), &options);
}

/* Nothing of the fake device is there but what the test leaves to be ended. */
static int count_fake_objects(void **state) {
    (void)state;
    return fake_live_objects() != 0;
}

static void *finish_after_5_ms(void *event) {
    sleep_for(5000000);
    fake_finish(event, UH_SUCCESS);
    return NULL;
}

UNIT_TEST(waiting_for_pending_work_times_out_or_ends_with_the_work) {
    uh_event *event = test_event(fake_queue(1));
    uh_event_times times = {0, 0, 0};
    pthread_t thread;
    int done = 1;
    test_good(uh_event_is_done(event, &done));
    assert_int_equal(done, 0);
    uint64_t before = test_now();
    test_assert_failed(uh_event_wait_for(event, 2000000), UH_ERROR_TIMEOUT, "uh_event_wait_for", "2000000");
    assert_true(test_now() - before >= 2000000);
    assert_int_equal(pthread_create(&thread, NULL, finish_after_5_ms, event), 0);
    test_good(uh_event_wait(event));
    test_good(uh_event_is_done(event, &done));
    assert_int_equal(done, 1);
    pthread_join(thread, NULL);
    test_good(uh_event_profile(event, &times));
    assert_int_equal(times.ended, 3);
}

UNIT_TEST(destroying_an_event_waits_for_its_work) {
    uh_event *event = test_take(test_event(fake_queue(0)));
    pthread_t thread;
    uint64_t before = test_now();
    assert_int_equal(pthread_create(&thread, NULL, finish_after_5_ms, event), 0);
    test_good(uh_event_destroy(event));
    assert_true(test_now() - before >= 5000000);
    pthread_join(thread, NULL);
}

UNIT_TEST(failed_work_gives_its_status_to_every_wait_and_profile) {
    uh_event *event = test_event(fake_queue(1));
    uh_event_times times = {7, 8, 9};
    fake_finish(event, UH_ERROR_DEVICE_LOST);
    test_assert_failed(uh_event_wait(event), UH_ERROR_DEVICE_LOST, "fake: the work failed");
    assert_int_equal(uh_event_wait_for(event, 0), UH_ERROR_DEVICE_LOST);
    assert_int_equal(uh_event_profile(event, &times), UH_ERROR_DEVICE_LOST);
    assert_int_equal(times.submitted, 7);
}

UNIT_TEST(a_submission_waits_for_events_of_other_queues_and_devices) {
    uh_queue *second = test_queue(2, 0);
    uh_event *deps[2] = {test_event(test_queue(1, 0)), test_event(fake_queue(0))};
    uh_kernel *kernel = test_kernel("count", count_call);
    uh_nd_range range = {1, {1}, {1}, {0}};
    atomic_int calls = 0;
    uh_arg arg = uh_arg_pointer(&calls);
    char a = 1, b = 2;
    const char zero = 0;
    pthread_t thread;
    uint64_t before = test_now();
    assert_int_equal(pthread_create(&thread, NULL, finish_after_5_ms, deps[1]), 0);
    test_good(uh_parallel_for(second, kernel, &range, &arg, 1, deps, 2, NULL));
    assert_true(test_now() - before >= 5000000);
    assert_int_equal(calls, 1);
    pthread_join(thread, NULL);
    test_good(uh_memcpy(second, &b, &a, 1, deps, 2, NULL));
    test_good(uh_fill(second, &b, &zero, 1, 1, deps, 2, NULL));
}

UNIT_TEST(a_failed_dependency_fails_the_submission_and_nothing_runs) {
    uh_queue *queue = test_queue(1, 0);
    uh_event *dep = test_event(fake_queue(0)), *event = (uh_event *)state;
    uh_kernel *kernel = test_kernel("count", count_call);
    uh_nd_range range = {1, {1}, {1}, {0}};
    atomic_int calls = 0;
    uh_arg arg = uh_arg_pointer(&calls);
    char a = 1, b = 2;
    fake_finish(dep, UH_ERROR_DRIVER);
    assert_int_equal(uh_parallel_for(queue, kernel, &range, &arg, 1, &dep, 1, &event), UH_ERROR_DRIVER);
    assert_int_equal(uh_memcpy(queue, &b, &a, 1, &dep, 1, &event), UH_ERROR_DRIVER);
    assert_int_equal(uh_fill(queue, &b, &a, 1, 1, &dep, 1, &event), UH_ERROR_DRIVER);
    /* Another device of the same kind waits for it as well. */
    uh_queue *other = test_queue_of(fake_other_device(), NULL);
    assert_int_equal(uh_memcpy(other, &b, &a, 1, &dep, 1, &event), UH_ERROR_DRIVER);
    assert_int_equal(calls, 0);
    assert_int_equal(b, 2);
    assert_ptr_equal(event, state);
}

UNIT_TEST(a_submission_that_the_backend_refuses_gives_no_event_and_leaves_no_child) {
    uh_queue *queue = fake_queue(0);
    uh_event *event = (uh_event *)state;
    char a = 1, b = 2;
    fake_submission_error(UH_ERROR_DRIVER);
    test_assert_failed(uh_memcpy(queue, &b, &a, 1, NULL, 0, &event), UH_ERROR_DRIVER, "fake: cannot submit");
    fake_submission_error(UH_ERROR_OUT_OF_DEVICE_MEMORY);
    assert_int_equal(uh_fill(queue, &b, &a, 1, 1, NULL, 0, &event), UH_ERROR_OUT_OF_DEVICE_MEMORY);
    assert_ptr_equal(event, state);
}

TEST_AROUND(test_runtime_event, NULL, count_fake_objects)
