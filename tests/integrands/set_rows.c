/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/integrands/set.h"

/* Over all of which sides, then those of the unit cube. */
#define ROW_FROM(lower_, upper_, name_, class_, kind_, dims_, a_, u_)                                                  \
    .name = (name_), .class = (class_), .kind = SET_##kind_, .dims = (dims_), .a = (a_), .u = (u_), .lower = (lower_), \
    .upper = (upper_)
#define ROW(...)  ROW_FROM(0, 1, __VA_ARGS__)
#define HALF(...) ROW_FROM(0, INFINITY, __VA_ARGS__)
#define ALL(...)  ROW_FROM(-INFINITY, INFINITY, __VA_ARGS__)
#define TRAINING  .part = SET_TRAINING
#define TEST      .part = SET_TEST
#define DRAWN     .drawn = 1
#define HEAVY     .heavy = 1
#define RISING    .rising = 1

const struct set_row set_rows[SET_ROWS] = {
    {TRAINING, ROW("step_d1", "step", CUT, 1, 0, 1 / 3.0)},
    {TEST, ROW("step_drawn_d1", "step", CUT, 1, 0, 0), DRAWN},
    {TRAINING, ROW("diagonal_d2", "step", DIAGONAL, 2, 1, 0.83)},
    {TEST, ROW("diagonal_d3", "step", DIAGONAL, 3, 1, 1.37)},
    {TRAINING, ROW("ball_d6", "step", BALL, 6, 1, 0.93)},
    {TEST, ROW("ball_d2", "step", BALL, 2, 1, 0.71)},
    {TRAINING, ROW("checker_d1", "step", CHECKER, 1, 3, 0)},
    {TEST, ROW("checker_d2", "step", CHECKER, 2, 5, 0)},
    {TRAINING, ROW("smooth_step_d1", "step", STEPPED, 1, 1, 1 / 3.0)},
    {TEST, ROW("smooth_step_d2", "step", STEPPED, 2, 1, 0.61)},
    {TRAINING, ROW("f6_d6", "step", CUT, 6, 5, 0.4), RISING},
    {TEST, ROW("cut_d1", "step", CUT, 1, 5, 0), DRAWN},
    {TRAINING, ROW("spike_d1", "spike", BOX, 1, 2000, 0.3)},
    {TEST, ROW("spike_d2", "spike", BOX, 2, 100, 0), DRAWN},

    {TRAINING, ROW("wave_d2", "smooth", WAVE, 2, 5, 0), DRAWN},
    {TEST, ROW("f1_d3", "smooth", WAVE, 3, 1, 0), RISING},
    {TRAINING, ROW("f2_d6", "smooth", PEAK, 6, 50, 0.5)},
    {TEST, ROW("peak_d3", "smooth", PEAK, 3, 8, 0), DRAWN},
    {TRAINING, ROW("corner_d5", "smooth", CORNER, 5, 1, 0), DRAWN},
    {TEST, ROW("f3_d8", "smooth", CORNER, 8, 1, 0), RISING},
    {TRAINING, ROW("f4_d8", "smooth", GAUSS, 8, 25, 0.5)},
    {TEST, ROW("gauss_d12", "smooth", GAUSS, 12, 2.5, 0), DRAWN},
    {TRAINING, ROW("gauss_one_d2", "smooth", GAUSS, 2, 7, 0.41), .axes = 1},
    {TEST, ROW("gauss_d5", "smooth", GAUSS, 5, 4, 0), DRAWN},
    {TEST, ROW("linear_d1", "smooth", LINEAR, 1, 1, 0.5)},
    {TRAINING, ROW("constant_d2", "smooth", POWER, 2, 1, 0)},

    {TRAINING, ROW("kink_d1", "kink", KINK, 1, 30, 0), DRAWN},
    {TEST, ROW("f5_d8", "kink", KINK, 8, 10, 0.5)},
    {TRAINING, ROW("ridge_d2", "kink", RIDGE, 2, 20, 0)},
    {TEST, ROW("ridge_d4", "kink", RIDGE, 4, 10, 0)},
    {TRAINING, ROW("root_d2", "kink", POWER, 2, 1, 0.5), .more = 1},
    {TEST, ROW("root_d3", "kink", POWER, 3, 1, 1 / 3.0), .more = 2},

    {TRAINING, ROW("inverse_root_d1", "pole", POWER, 1, 1, -0.5), HEAVY},
    {TEST, ROW("inverse_root_d2", "pole", POWER, 2, 1, -0.5), .more = -0.5, HEAVY},
    {TRAINING, ROW("inverse_root_d3", "pole", POWER, 3, 1, -0.5), .more = -0.5, HEAVY},
    {TEST, ROW("power_0.9_d1", "pole", POWER, 1, 1, -0.9), HEAVY},
    {TRAINING, ROW("crease_0.5_d2", "pole", CREASE, 2, 0.5, 0), HEAVY},
    {TEST, ROW("crease_0.4_d2", "pole", CREASE, 2, 0.4, 0)},
    {TRAINING, ROW("log_d2", "pole", LOG, 2, 1, 0)},
    {TEST, ROW("log_d1", "pole", LOG, 1, 1, 0)},

    {TRAINING, ALL("cauchy_d1", "infinite", CAUCHY, 1, 1, 0)},
    {TEST, ALL("cauchy_d2", "infinite", CAUCHY, 2, 1, 0), HEAVY},
    {TRAINING, ALL("cauchy_d3", "infinite", CAUCHY, 3, 1, 0), HEAVY},
    {TEST, ALL("cauchy_d5", "infinite", CAUCHY, 5, 1, 0), HEAVY},
    {TRAINING, ALL("gauss_at_0_d2", "infinite", GAUSS, 2, 0.7, 0)},
    {TEST, ALL("gauss_at_3_d3", "infinite", GAUSS, 3, 0.7, 3)},
    {TRAINING, ALL("gauss_at_10_d1", "infinite", GAUSS, 1, 0.7, 10)},
    {TEST, ALL("gauss_at_10_d3", "infinite", GAUSS, 3, 0.7, 10)},
    {TRAINING, HALF("exponential_d1", "infinite", KINK, 1, 1, 0)},
    {TEST, HALF("exponential_d3", "infinite", KINK, 3, 0.5, 0)},
    {TRAINING, HALF("tail_d2", "infinite", TAIL, 2, 3, 0)},
    {TEST, HALF("tail_d1", "infinite", TAIL, 1, 2.5, 0)},

    {TRAINING, ROW("near_peaks_d2", "peaks", PEAKS, 2, 10, 0.4), .more = 0.65},
    {TEST, ROW("near_peaks_d5", "peaks", PEAKS, 5, 6, 0.38), .more = 0.62},
    {TRAINING, ROW("far_peaks_d8", "peaks", PEAKS, 8, 14, 0.25), .more = 0.75, .far_peaks = 1},
    {TEST, ROW("far_peaks_d5", "peaks", PEAKS, 5, 20, 0.23), .more = 0.74, .far_peaks = 1},

    {TRAINING, ROW("cancel_d2", "scale", LINEAR, 2, 1, 1e-3)},
    {TEST, ROW("cancel_d3", "scale", WAVE, 3, 9, 0.25)},
    {TRAINING, ROW("huge_linear_d3", "scale", LINEAR, 3, 1, 1.5), .scale = 1e300},
    {TEST, ROW("tiny_d2", "scale", GAUSS, 2, 5, 0.57), .scale = 1e-305},
};
