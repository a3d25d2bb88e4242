/* SPDX-License-Identifier: Apache-2.0 */
/* The integrands that judge integrators (tests/integrands/set.h). */
#include "tests/fixture.h"
#include "tests/integrands/set.h"
#include "tests/splitmix.h"

enum { POINTS = 1 << 18 };

/* A number of the unit interval, never 0. */
static double word(size_t number) { return ((double)(splitmix_at(0, number) >> 12) + 0.5) * 0x1p-52; }

/* By plain Monte Carlo, whose error is too small where the square has no integral; six narrow peaks are unseen. */
UNIT_TEST(integrals_are_those_of_the_integrands) {
    size_t unseen = 0;
    for (size_t r = 0; r < SET_ROWS; r++) {
        const struct set_row *row = &set_rows[r];
        const struct set_integrand f = set_draw(row, r);
        const double truth = set_truth(&f);
        double sum = 0, squares = 0, size = 0;
        for (size_t i = 0; i < POINTS; i++) {
            double t[UH_INTEGRATE_MAX_DIMS], value;
            for (size_t d = 0; d < row->dims; d++)
                t[d] = word(i * row->dims + d);
            set_on_unit_cube(&f, 1, t, &value);
            value /= truth * POINTS;
            sum += value;
            squares += value * value * POINTS;
            size += fabs(value);
        }
        const double deviation = sqrt(fmax(squares - sum * sum, 0) / POINTS);
        const double bound = row->heavy ? 0.3 : 5 * deviation + 1e-9;
        if ((deviation > 0.1 * size || size < 0.5) && !row->heavy)
            unseen++;
        else if (!(fabs(sum - 1) < bound))
            fail_msg("%s: %.6g +- %.2g of its integral %.10g", row->name, sum, deviation, truth);
    }
    assert_int_equal(unseen, 6);
}

UNIT_TEST(both_sets_have_the_same_classes) {
    size_t training = 0;
    for (size_t r = 0; r < SET_ROWS; r++) {
        size_t other = 0;
        for (size_t i = 0; i < SET_ROWS; i++)
            other += strcmp(set_rows[i].class, set_rows[r].class) == 0 && set_rows[i].part != set_rows[r].part;
        training += set_rows[r].part == SET_TRAINING;
        assert_ptr_equal(set_find(set_rows[r].name), &set_rows[r]);
        assert_true(other > 0);
    }
    assert_int_equal(training, SET_ROWS / 2);
}
