/* SPDX-License-Identifier: Apache-2.0 */
/* Events of Level Zero devices: waiting, dependencies between queues, reuse, times. */
#include <pthread.h>
#include <time.h>

#include "runtime/host.h"
#include "tests/fixture.h"

enum { BLOCK = 8 << 20, SECOND = 1000000000 };

/* A queue and memory for work that takes a while: some milliseconds for each step. */
struct worker {
    uh_queue *queue;
    unsigned char *block;
};

static struct worker make_worker(int profiling) {
    struct worker worker = {test_ze_queue(test_ze_device(), profiling),
                            test_ze_alloc(test_ze_device(), UH_MEMORY_DEVICE, BLOCK)};
    return worker;
}

static void destroy_worker(const struct worker *worker) {
    uh_queue_destroy(test_take(worker->queue));
    test_good(uh_free(test_take(worker->block)));
}

static void end_event(void *event) { uh_event_destroy(event); }

/* Fills the block `steps` times, at last with `value`; returns the event of that, which ends with the unit test. */
static uh_event *work(const struct worker *worker, int steps, unsigned char value) {
    uh_event *event = NULL;
    for (int i = steps - 1; i >= 0; i--) {
        unsigned char step = (unsigned char)(value + i);
        test_good(uh_fill(worker->queue, worker->block, &step, 1, BLOCK, SIGNAL(i ? NULL : &event)));
    }
    return test_at_end_first(event, end_event);
}

/* Waits for less time than the work takes, if the machine is not so busy that this thread comes too late. Returns how
 * many of the answers said that the work goes on. */
static int look_early(uh_event *event) {
    int early = 0;
    uh_status status = uh_event_wait(event, 0);
    if (status != UH_SUCCESS) {
        test_assert_failed(status, UH_ERROR_TIMEOUT, "uh_event_wait: the work on level_zero:", "after 0 nanoseconds");
        early++;
    }
    uint64_t before = uhi_host_now();
    status = uh_event_wait(event, 1000000);
    if (status != UH_SUCCESS) {
        test_assert_failed(status, UH_ERROR_TIMEOUT, "after 1000000 nanoseconds");
        assert_true(uhi_host_now() - before >= 900000);
        early++;
    }
    return early;
}

UNIT_TEST(waiting_ends_with_the_work_or_the_time) {
    struct worker worker = make_worker(0);
    int early = 0;
    for (int round = 0; round < 20 && early < 2; round++) {
        uh_event *event = work(&worker, 20, 9);
        early = look_early(event);
        test_good(uh_event_wait(event, UINT64_MAX));
        test_good(uh_event_wait(event, 0));
        test_good(uh_queue_wait(worker.queue));
    }
    assert_true(early == 2 || !test_ze_computes());
}

UNIT_TEST(a_queue_waits_for_another_on_the_device_and_the_host_does_not) {
    struct worker first = make_worker(0), second = make_worker(0);
    uh_event *copied = NULL;
    unsigned char seen[16] = {0};
    int early = 0;
    for (int round = 0; round < 8; round++) {
        uh_event *produced = work(&first, 12, (unsigned char)(30 + round));
        test_good(uh_memcpy(second.queue, seen, first.block, 16, AFTER(&produced, 1, &copied)));
        early += uh_event_wait(produced, 0) == UH_ERROR_TIMEOUT;
        test_wait_and_end(copied);
        for (size_t i = 0; i < 16 && test_ze_computes(); i++)
            assert_int_equal(seen[i], 30 + round);
    }
    assert_true(early || !test_ze_computes());
}

UNIT_TEST(an_event_may_go_while_another_queue_still_has_to_wait_for_it) {
    struct worker quick = make_worker(0), slow = make_worker(0), third = make_worker(0);
    uh_event *deps[2] = {work(&quick, 2, 1), work(&slow, 30, 2)}, *joined = NULL, *next = NULL;
    test_good(uh_memcpy(third.queue, third.block, quick.block, 64, AFTER(deps, 2, &joined)));
    /* The first queue's event is done and destroyed, long before the third queue's command looks at it. The next
     * event of the first queue waits for that command: with the same driver's event, it would forever. */
    uh_event_destroy(test_take(deps[0]));
    test_good(uh_memcpy(quick.queue, quick.block, third.block + 64, 64, AFTER(&joined, 1, &next)));
    test_good(uh_event_wait(next, 20 * (uint64_t)SECOND));
    test_wait_and_end(joined);
    uh_event_destroy(next);
}

/* The soft driver reports a reset of an event that a command still waits for. On rungs where nothing runs before it is
 * waited for, `slow` has not ended then. */
UNIT_TEST(an_event_is_not_given_out_again_before_another_queue_has_waited_for_it) {
    struct worker quick = make_worker(0), slow = make_worker(0), third = make_worker(0);
    uh_event *deps[2] = {work(&quick, 2, 1), work(&slow, 30, 2)};
    test_good(uh_memcpy(third.queue, third.block, quick.block, 64, AFTER(deps, 2, NULL)));
    test_good(uh_event_wait(deps[0], UINT64_MAX));
    /* The queue gives back what its commands have waited for when it comes to the next dependencies. */
    test_good(uh_memcpy(third.queue, third.block, slow.block, 64, AFTER(&deps[1], 1, NULL)));
    uh_event_destroy(test_take(deps[0]));
    (void)work(&quick, 1, 3);
    test_good(uh_queue_wait(third.queue));
}

UNIT_TEST(an_event_is_not_given_out_again_before_the_next_command_has_waited_for_it) {
    struct worker quick = make_worker(0), slow = make_worker(0);
    uh_event *gate = work(&slow, 30, 2), *first = work(&quick, 1, 1);
    test_good(uh_memcpy(quick.queue, quick.block, slow.block, 64, AFTER(&gate, 1, NULL)));
    test_wait_and_end(test_take(first));
    (void)work(&quick, 1, 3);
    test_good(uh_queue_wait(quick.queue));
}

UNIT_TEST(a_queue_may_go_while_another_still_has_to_wait_for_its_event) {
    struct worker quick = make_worker(0), slow = make_worker(0), third = make_worker(0);
    uh_event *deps[2] = {work(&quick, 2, 1), work(&slow, 30, 2)};
    test_good(uh_memcpy(third.queue, third.block, third.block + 64, 64, AFTER(deps, 2, NULL)));
    uh_event_destroy(test_take(deps[0]));
    destroy_worker(&quick);
    uh_event_destroy(test_take(deps[1]));
    destroy_worker(&slow);
    test_good(uh_queue_wait(third.queue));
}

UNIT_TEST(many_events_live_at_once_and_many_are_dependencies) {
    enum { MANY = 300 };
    struct worker first = make_worker(0), second = make_worker(0);
    uh_event *events[MANY], *joined = NULL;
    for (int round = 0; round < 3; round++) {
        (void)work(&first, 3, 4);
        for (size_t i = 0; i < MANY; i++)
            test_good(uh_memcpy(first.queue, NULL, NULL, 0, SIGNAL(&events[i])));
        test_good(uh_memcpy(second.queue, second.block, first.block, 64, AFTER(events, MANY, &joined)));
        test_wait_and_end(joined);
        for (size_t i = 0; i < MANY; i++) {
            assert_true(!uh_event_wait(events[i * 7 % MANY], 0) || !test_ze_computes());
            uh_event_destroy(events[i * 7 % MANY]);
        }
    }
}

UNIT_TEST(events_of_other_devices_are_waited_for) {
    struct worker worker = make_worker(0);
    uh_queue *host = test_queue(1, 0);
    uh_event *events[2] = {NULL, NULL};
    unsigned char *memory = test_ze_alloc(test_ze_device(), UH_MEMORY_HOST, 16), seen[16] = {0};
    const unsigned char value = 5;
    test_good(uh_fill(host, memory, &value, 1, 16, SIGNAL(&events[0])));
    (void)work(&worker, 4, 6);
    test_good(uh_memcpy(worker.queue, memory, worker.block, 8, AFTER(&events[0], 1, &events[1])));
    test_good(uh_memcpy(host, seen, memory, 16, AFTER(&events[1], 1, NULL)));
    for (size_t i = 0; i < 16 && test_ze_computes(); i++)
        assert_int_equal(seen[i], i < 8 ? 6 : 5);
    uh_event_destroy(events[0]);
    uh_event_destroy(events[1]);
}

struct shared {
    uh_event *events[100];
    int failures;
};

static void *wait_and_destroy(void *argument) {
    struct shared *shared = argument;
    for (size_t i = 0; i < 100; i++) {
        shared->failures += uh_event_wait(shared->events[i], UINT64_MAX) != UH_SUCCESS;
        uh_event_destroy(shared->events[i]);
    }
    return NULL;
}

UNIT_TEST(other_threads_wait_for_and_destroy_events_while_the_queue_works_on) {
    struct worker worker = make_worker(0);
    struct shared shared[3];
    pthread_t threads[3];
    memset(shared, 0, sizeof shared);
    for (size_t t = 0; t < 3; t++) {
        (void)work(&worker, 1, 1);
        for (size_t i = 0; i < 100; i++)
            test_good(uh_memcpy(worker.queue, worker.block, worker.block + 64, 64, SIGNAL(&shared[t].events[i])));
        assert_int_equal(pthread_create(&threads[t], NULL, wait_and_destroy, &shared[t]), 0);
    }
    (void)work(&worker, 5, 2);
    for (size_t t = 0; t < 3; t++) {
        pthread_join(threads[t], NULL);
        assert_int_equal(shared[t].failures, 0);
    }
}

UNIT_TEST(times_are_ordered_do_not_overlap_and_agree_with_the_hosts_clock) {
    enum { MANY = 12 };
    struct worker worker = make_worker(1);
    uh_event *events[MANY];
    uh_event_times times, last = {0, 0, 0};
    uint64_t first = 0, between = 0;
    uint64_t before = uhi_host_now();
    for (size_t i = 0; i < MANY; i++) {
        if (i == MANY - 1)
            between += uhi_host_now();
        events[i] = work(&worker, 3, 1);
        if (i == 0)
            between -= uhi_host_now();
    }
    test_good(uh_queue_wait(worker.queue));
    uint64_t took = uhi_host_now() - before;
    for (size_t i = 0; i < MANY; i++) {
        uh_status status = uh_event_profile(events[i], &times);
        if (!test_ze_computes() && status == UH_ERROR_DRIVER)
            memset(&times, 0, sizeof times);
        else
            test_good(status);
        if (i == 0)
            first = times.submitted;
        assert_true(times.submitted <= times.started && times.started <= times.ended);
        assert_true(last.submitted <= times.submitted && last.ended <= times.started);
        last = times;
    }
    /* All the work lies between the first submission and the end of the wait, and all submissions but the first and the
     * last between those two; the clocks tick at one rate. */
    if (test_ze_computes()) {
        assert_true(last.ended - first <= took + took / 100 + 1000000);
        assert_true(last.submitted - first + 1000000 >= between - between / 100);
    }
}

UNIT_TEST(times_go_on_over_a_second_of_a_clock_that_may_wrap_around) {
    struct worker worker = make_worker(1);
    uh_event_times times, first = {0, 0, 0};
    uint64_t before = 0, now = 0, own = 0;
    const struct timespec step = {0, 30000000};
    for (int i = 0; i < 20 && test_ze_computes(); i++) {
        uint64_t asked = uhi_host_now();
        uh_event *event = work(&worker, 1, 1);
        test_good(uh_event_wait(event, UINT64_MAX));
        now = uhi_host_now();
        test_good(uh_event_profile(event, &times));
        if (i == 0) {
            first = times;
            before = asked;
            own = now - asked;
        }
        /* Within both submissions' own times of where the host's clock has it. */
        uint64_t device = times.ended - first.submitted, host = now - before;
        if (device > host + 1000000 || device + own + (now - asked) + 1000000 < host)
            fail_msg("the device says %llu ns, the host %llu", (unsigned long long)device, (unsigned long long)host);
        nanosleep(&step, NULL);
    }
}

TEST_ZE_MAIN(test_runtime_ze_events, NULL, NULL)
