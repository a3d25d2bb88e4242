/* SPDX-License-Identifier: Apache-2.0 */
/* Tables and splines by what defines them. (Beside GSL's: test_interpolate_gsl.c.) */
#include "tests/support.h"

#include "tests/interpolate_table.h"

static struct table table;

/* Second derivative of the spline over the first row, on the side of point i that `side` says, by its cubic's form. */
static double bend(size_t i, int side) {
    const size_t a = side < 0 ? i - 1 : i, b = a + 1;
    const double h = table.x[b] - table.x[a], rise = 6 * (table.z[0][b] - table.z[0][a]) / (h * h);
    const double from = table.zx[0][a], to = table.zx[0][b];
    return side < 0 ? -rise + (2 * from + 4 * to) / h : rise - (4 * from + 2 * to) / h;
}

UNIT_TEST(slopes_are_those_of_the_natural_spline) {
    table_make(&table);
    for (size_t i = 1; i + 1 < TABLE_X; i++)
        assert_true(fabs(bend(i, -1) - bend(i, 1)) < 1e-11);
    assert_true(fabs(bend(0, 1)) < 1e-11 && fabs(bend(TABLE_X - 1, -1)) < 1e-11);
}

UNIT_TEST(tables_hold_at_their_points_and_stay_beyond_them) {
    double out[4], end[4];
    table_make(&table);
    for (size_t j = 0; j < TABLE_Y; j++)
        for (size_t i = 0; i < TABLE_X; i++) {
            table_at(&table, table.x[i], table.y[j], out);
            assert_true(fabs(out[0] - table.z[0][i]) < 1e-14 && fabs(out[1] - table.z[0][i]) < 1e-14);
            assert_true(fabs(out[2] - table.z[j][i]) < 1e-13 && fabs(out[3] - table.z[j][i]) < 1e-13);
        }
    table_at(&table, 1e300, -HUGE_VAL, out);
    table_at(&table, table.x[TABLE_X - 1], table.y[0], end);
    assert_memory_equal(out, end, sizeof out);
    table_at(&table, (double)NAN, 2, out);
    assert_true(isnan(out[0]) && isnan(out[1]) && isnan(out[2]) && isnan(out[3]));
}

UNIT_TEST(planes_are_met_everywhere_and_smooth_functions_nearly) {
    enum { N = 60 };
    static double x[N], y[N], slope[N];
    uint64_t random = 3;
    table_make(&table);
    for (size_t j = 0; j < TABLE_Y; j++)
        for (size_t i = 0; i < TABLE_X; i++) {
            table.z[j][i] = 2 - 3 * table.x[i] + 5 * table.y[j];
            table.zx[j][i] = -3;
            table.zy[j][i] = 5;
            table.zxy[j][i] = 0;
        }
    for (int k = 0; k < 1000; k++) {
        double out[4];
        const double u = table.x[0] + (table.x[TABLE_X - 1] - table.x[0]) * test_random_f64(&random);
        const double v = table.y[0] + (table.y[TABLE_Y - 1] - table.y[0]) * test_random_f64(&random);
        table_at(&table, u, v, out);
        assert_true(fabs(out[2] - (2 - 3 * u + 5 * v)) < 1e-13 && fabs(out[3] - (2 - 3 * u + 5 * v)) < 1e-13);
    }
    for (size_t i = 0; i < N; i++) {
        x[i] = (double)i * 0.1;
        y[i] = sin(x[i]);
    }
    test_good(uh_spline_slopes(N, x, y, 1, slope));
    for (int k = 0; k < 300; k++) {
        const double at = 1 + 0.013 * k;
        assert_true(fabs(uh_cubic(x, y, slope, N, at) - sin(at)) < 1e-6 &&
                    fabs(uh_linear(x, y, N, at) - sin(at)) < 2e-3);
    }
}

UNIT_TEST(two_points_are_a_line_and_wrong_arguments_are_named) {
    const double x[] = {1, 3, 3}, y[] = {4, 8, 9};
    double slope[3];
    test_good(uh_spline_slopes(2, x, y, 1, slope));
    assert_true(slope[0] == 2 && slope[1] == 2);
    test_invalid(uh_spline_slopes(3, x, y, 1, slope),
                 "uh_spline_slopes: x[2] is 3, expected finite numbers that ascend");
    test_invalid(uh_spline_slopes(1, x, y, 1, slope), "n is 1, expected at least 2");
    test_invalid(uh_spline_slopes(2, x, y, 0, slope), "stride is 0");
    test_null_is_refused(uh_spline_slopes(2, NAMED(x, x), y, 1, NAMED(slope, slope)));
}
