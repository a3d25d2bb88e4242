/* SPDX-License-Identifier: Apache-2.0 */
/* The integrands that judge integrators (tests/integrands/set.h). */
#include "tests/fixture.h"
#include "tests/integrands/set.h"

enum { POINTS = 1 << 18 };

/* A number of the unit interval, never 0. */
static double word(size_t number) {
    uint64_t z = (number + 1) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return ((double)((z ^ z >> 31) >> 12) + 0.5) * 0x1p-52;
}

/* A Gaussian, or two, at a point of the same distribution, divided by its density: narrow ones are missed by points of
 * the whole box. */
static double at_peaks(const struct set_integrand *f, size_t point) {
    const struct set_row *row = f->row;
    const double centre = row->kind == SET_PEAKS && point % 2 ? row->more : row->u;
    double x[UH_INTEGRATE_MAX_DIMS], value, here = 1, there = 1;
    const double *at[UH_INTEGRATE_MAX_DIMS];
    for (size_t d = 0; d < row->dims; d++) {
        const size_t number = 2 * (point * row->dims + d);
        x[d] = centre + sqrt(-log(word(number))) * cos(6.283185307179586 * word(number + 1)) / row->a;
        if (x[d] < row->lower || x[d] > row->upper)
            return 0;
        at[d] = &x[d];
        here *= row->a / sqrt(3.141592653589793) * exp(-pow(row->a * (x[d] - row->u), 2));
        there *= row->a / sqrt(3.141592653589793) * exp(-pow(row->a * (x[d] - row->more), 2));
    }
    set_batch(1, at, &(double *const){&value}, f);
    return value / (row->kind == SET_PEAKS ? (here + there) / 2 : here);
}

static double at_random(const struct set_integrand *f, size_t point) {
    double t[UH_INTEGRATE_MAX_DIMS], value;
    if (f->row->kind == SET_PEAKS || (f->row->kind == SET_GAUSS && f->row->lower < 0))
        return at_peaks(f, point);
    for (size_t d = 0; d < f->row->dims; d++)
        t[d] = word(point * f->row->dims + d);
    set_on_unit_cube(f, 1, t, &value);
    return value;
}

/* Plain Monte Carlo, which a square without an integral makes too small; other tests have the paper's integrands. */
UNIT_TEST(integrals_are_those_of_the_integrands) {
    for (size_t r = 0; r < SET_ROWS; r++) {
        const struct set_row *row = &set_rows[r];
        const struct set_integrand f = set_draw(row, r);
        const double truth = set_truth(&f);
        double sum = 0, squares = 0, size = 0;
        if (row->kind == SET_PAPER)
            continue;
        for (size_t i = 0; i < POINTS; i++) {
            const double value = at_random(&f, i) / truth;
            sum += value / POINTS;
            squares += value * value / POINTS;
            size += fabs(value) / POINTS;
        }
        const double deviation = sqrt(fmax(squares - sum * sum, 0) / POINTS);
        const double bound = row->heavy ? 0.3 : 5 * deviation + 2.0 / POINTS;
        if (!(fabs(sum - 1) < bound) || (deviation > 0.1 * size && !row->heavy))
            fail_msg("%s: %.6g +- %.2g of its integral %.10g", row->name, sum, deviation, truth);
    }
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
