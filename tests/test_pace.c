/* SPDX-License-Identifier: Apache-2.0 */
/* How much one launch takes (kernels/common/pace.h): about 50 ms by what launches before have shown, at most a second
 * by the model, and growing step by step. */
#include "tests/support.h"

#include "kernels/common/pace.h"

static const double worst = 10; /* nanoseconds of an element by the model */

UNIT_TEST(a_launch_of_work_that_is_not_known_goes_by_the_model) {
    struct uhi_paces paces = {.count = 0};
    assert_int_equal(uhi_pace_most(uhi_pace_of(&paces, NULL), worst), 5000000);
    assert_int_equal(uhi_pace_most(uhi_pace_of(&paces, NULL), 1e12), 1);
}

UNIT_TEST(a_launch_takes_50_ms_by_what_was_measured_and_a_second_by_the_model) {
    struct uhi_paces paces = {.count = 0};
    struct uhi_pace *pace = uhi_pace_of(&paces, NULL);
    uhi_pace_note(pace, 1000000, 2000000);
    assert_int_equal(uhi_pace_most(pace, worst), 25000000);
    uhi_pace_note(pace, 1000000, 50000000);
    assert_int_equal(uhi_pace_most(pace, worst), 1000000);
    for (int i = 0; i < 20; i++)
        uhi_pace_note(pace, 1 << 30, 1000000);
    assert_int_equal(uhi_pace_most(pace, worst), 100000000);
}

UNIT_TEST(a_launch_that_was_fast_once_lets_the_next_grow_four_times_alone) {
    struct uhi_paces paces = {.count = 0};
    struct uhi_pace *pace = uhi_pace_of(&paces, NULL);
    uhi_pace_note(pace, 1000000, 50000000);
    uhi_pace_note(pace, 1000000, 200000);
    assert_int_equal(uhi_pace_most(pace, worst), 4000000);
}

UNIT_TEST(few_elements_in_a_short_time_tell_nothing) {
    struct uhi_paces paces = {.count = 0};
    struct uhi_pace *pace = uhi_pace_of(&paces, NULL);
    uhi_pace_note(pace, 1000000, 50000000);
    uhi_pace_note(pace, 0, 1000000000);
    uhi_pace_note(pace, 65535, 99999);
    assert_int_equal(uhi_pace_most(pace, worst), 1000000);
    uhi_pace_note(pace, 65535, 655350000);
    assert_int_equal(uhi_pace_most(pace, worst), 5000);
}

UNIT_TEST(each_work_has_its_own_pace_and_one_too_many_begins_anew) {
    struct uhi_paces paces = {.count = 0};
    static char works[UHI_PACES + 1];
    for (size_t w = 0; w < UHI_PACES; w++)
        uhi_pace_note(uhi_pace_of(&paces, &works[w]), 1000000, 1000000 * (w + 1));
    for (size_t w = 0; w < UHI_PACES; w++)
        assert_int_equal(uhi_pace_most(uhi_pace_of(&paces, &works[w]), worst), 50000000 / (w + 1));
    assert_int_equal(uhi_pace_most(uhi_pace_of(&paces, &works[UHI_PACES]), worst), 5000000);
    assert_int_equal(uhi_pace_most(uhi_pace_of(&paces, &works[0]), worst), 50000000);
}
