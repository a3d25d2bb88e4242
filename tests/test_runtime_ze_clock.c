/* SPDX-License-Identifier: Apache-2.0 */
/* A device's clock that keeps few bits: what it says is found again across its wrap-around. */
#include "tests/support.h"

#include "runtime/ze.h"

enum { SECOND = 1000000000 };

/* Iris Xe: 12 MHz of which events keep 32 bits (358 s) and the device 36 (95 minutes). */
static struct uhi_ze_clock iris(uint64_t cycles_now, uint64_t host_now) {
    struct uhi_ze_clock clock = {.frequency = 12000000, .kernel_bits = 32, .bits = 36};
    uhi_ze_clock_start(&clock, host_now, cycles_now);
    return clock;
}

/* The device's counter, some seconds after it said `start`, as its 36 bits say it. */
static uint64_t counter(uint64_t start, double seconds) {
    return (start + (uint64_t)(seconds * 12e6)) & ((UINT64_C(1) << 36) - 1);
}

UNIT_TEST(times_go_on_over_many_wrap_arounds) {
    static const uint64_t starts[] = {0, 1, UINT64_C(1) << 35, (UINT64_C(1) << 36) - 1};
    static const double seconds[] = {0, 1, 300, 5000, 5726, 5727, 20000, 1e6, 3e6};
    for (size_t s = 0; s < 4; s++) {
        struct uhi_ze_clock clock = iris(starts[s], 77 * (uint64_t)SECOND);
        uint64_t first = uhi_ze_clock_extend(&clock, 77 * (uint64_t)SECOND, starts[s]);
        for (size_t i = 0; i < sizeof seconds / sizeof seconds[0]; i++) {
            /* The host's clock is wrong by up to 100 parts in a million. */
            for (int drift = -1; drift <= 1; drift++) {
                double host = 77 + seconds[i] * (1 + drift * 1e-4);
                uint64_t time = uhi_ze_clock_extend(&clock, (uint64_t)(host * SECOND), counter(starts[s], seconds[i]));
                assert_int_equal(time - first, (uint64_t)(seconds[i] * 12e6));
            }
        }
    }
}

UNIT_TEST(a_clock_of_64_bits_is_taken_as_it_is) {
    struct uhi_ze_clock clock = {.frequency = SECOND, .kernel_bits = 64, .bits = 64};
    uhi_ze_clock_start(&clock, 5, UINT64_C(1) << 62);
    assert_int_equal(uhi_ze_clock_extend(&clock, 1000, (UINT64_C(1) << 62) + 995), (UINT64_C(1) << 62) + 995);
}

UNIT_TEST(a_sample_a_little_before_the_base_is_no_wrap_around) {
    struct uhi_ze_clock clock = iris(1000, SECOND);
    uint64_t at = uhi_ze_clock_extend(&clock, SECOND, 1000);
    assert_int_equal(at - uhi_ze_clock_extend(&clock, SECOND, 990), 10);
}

UNIT_TEST(an_events_times_follow_its_submission_across_a_wrap_around) {
    struct uhi_ze_clock clock = iris(0, 0);
    const uint64_t wrap = UINT64_C(1) << 32;
    /* Submitted 12 cycles before the low 32 bits wrap, started 12 after, ran 24: 1, 2 and 2 microseconds. */
    uint64_t submitted = 7 * wrap - 12;
    uh_event_times times, before;
    uhi_ze_clock_convert(&clock, submitted, 12, 36, &times);
    assert_int_equal(times.started - times.submitted, 2000);
    assert_int_equal(times.ended - times.started, 2000);
    /* And where the end wraps. */
    uhi_ze_clock_convert(&clock, 7 * wrap - 24, wrap - 12, 12, &before);
    assert_int_equal(before.started - before.submitted, 1000);
    assert_int_equal(before.ended - before.started, 2000);
    assert_int_equal(times.submitted - before.submitted, 1000);
}

static void places(struct uhi_ze_clock clock, uint64_t submitted, uint64_t start, uint64_t end,
                   uh_event_times expected) {
    uh_event_times times;
    uhi_ze_clock_convert(&clock, submitted, start, end, &times);
    assert_int_equal(times.submitted, expected.submitted);
    assert_int_equal(times.started, expected.started);
    assert_int_equal(times.ended, expected.ended);
}

UNIT_TEST(a_start_a_few_ticks_before_the_submission_is_the_submission) {
    places(iris(0, 0), 1200, 1199, 1211, (uh_event_times){100000, 100000, 101000});
    places(iris(0, 0), 1200, 1188, 1200, (uh_event_times){100000, 100000, 101000});
}

UNIT_TEST(without_a_clock_work_is_submitted_when_it_starts) {
    places(iris(0, 0), 0, 1200, 2400, (uh_event_times){100000, 100000, 200000});
}

UNIT_TEST(large_times_do_not_overflow) {
    const struct uhi_ze_clock clock = {.frequency = 19200000, .kernel_bits = 64, .bits = 64};
    /* A hundred years. */
    const uint64_t seconds = UINT64_C(3155760000), cycles = seconds * 19200000, nanoseconds = seconds * SECOND;
    places(clock, cycles, cycles + 192, cycles + 1920,
           (uh_event_times){nanoseconds, nanoseconds + 10000, nanoseconds + 100000});
}
