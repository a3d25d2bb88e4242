/* SPDX-License-Identifier: Apache-2.0 */
/* Tables and splines by their definitions and compared with GSL's: linear, natural cubic, bilinear and bicubic; and the
 * bits of unihist/interpolate.h in a kernel, which are those in C. */
#include "tests/tested.h"

#include <unihist/interpolate.h>

#if __has_include("interpolate_f64.cl.h")
#include "interpolate_f64.cl.h"
#define HAS_KERNEL
#endif
#ifdef UNIHIST_HAS_GSL
#include <gsl/gsl_interp2d.h>
#include <gsl/gsl_spline.h>
#endif

/* A table over two axes with all its slopes. */
enum { TABLE_X = 13, TABLE_Y = 7 };

struct table {
    double x[TABLE_X], y[TABLE_Y];
    double z[TABLE_Y][TABLE_X], zx[TABLE_Y][TABLE_X], zy[TABLE_Y][TABLE_X], zxy[TABLE_Y][TABLE_X];
};

/* Of points at uneven distances; the slopes are as the header says. */
static void table_make(struct table *table) {
    for (size_t i = 0; i < TABLE_X; i++)
        table->x[i] = -1 + (double)i * 0.3 + 0.1 * sin((double)i);
    for (size_t j = 0; j < TABLE_Y; j++)
        table->y[j] = exp(0.3 * (double)j);
    for (size_t j = 0; j < TABLE_Y; j++)
        for (size_t i = 0; i < TABLE_X; i++)
            table->z[j][i] = sin(3 * table->x[i]) * table->y[j] + cos(table->x[i] * table->y[j]);
    for (size_t j = 0; j < TABLE_Y; j++)
        test_good(uh_spline_slopes(TABLE_X, table->x, table->z[j], 1, table->zx[j]));
    for (size_t i = 0; i < TABLE_X; i++)
        test_good(uh_spline_slopes(TABLE_Y, table->y, &table->z[0][i], TABLE_X, &table->zy[0][i]));
    for (size_t j = 0; j < TABLE_Y; j++)
        test_good(uh_spline_slopes(TABLE_X, table->x, table->zy[j], 1, table->zxy[j]));
}

/* What the kernel of interpolate_f64.cl stores for a point. */
static void table_at(const struct table *t, double u, double v, double out[4]) {
    out[0] = uh_linear(t->x, t->z[0], TABLE_X, u);
    out[1] = uh_cubic(t->x, t->z[0], t->zx[0], TABLE_X, u);
    out[2] = uh_bilinear(t->x, TABLE_X, t->y, TABLE_Y, t->z[0], u, v);
    out[3] = uh_bicubic(t->x, TABLE_X, t->y, TABLE_Y, t->z[0], t->zx[0], t->zy[0], t->zxy[0], u, v);
}

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

#ifdef UNIHIST_HAS_GSL
UNIT_TEST(interpolation_is_gsls) {
    static struct table t;
    table_make(&t);
    gsl_interp *linear = gsl_interp_alloc(gsl_interp_linear, TABLE_X),
               *cubic = gsl_interp_alloc(gsl_interp_cspline, TABLE_X);
    gsl_interp2d *bilinear = gsl_interp2d_alloc(gsl_interp2d_bilinear, TABLE_X, TABLE_Y);
    gsl_interp2d *bicubic = gsl_interp2d_alloc(gsl_interp2d_bicubic, TABLE_X, TABLE_Y);
    gsl_interp_init(linear, t.x, t.z[0], TABLE_X);
    gsl_interp_init(cubic, t.x, t.z[0], TABLE_X);
    gsl_interp2d_init(bilinear, t.x, t.y, t.z[0], TABLE_X, TABLE_Y);
    gsl_interp2d_init(bicubic, t.x, t.y, t.z[0], TABLE_X, TABLE_Y);
    uint64_t random = 1;
    double furthest = 0;
    for (int k = 0; k < 10000; k++) {
        const double u = t.x[0] + (t.x[TABLE_X - 1] - t.x[0]) * test_random_f64(&random);
        const double v = t.y[0] + (t.y[TABLE_Y - 1] - t.y[0]) * test_random_f64(&random);
        const double gsl[] = {gsl_interp_eval(linear, t.x, t.z[0], u, NULL),
                              gsl_interp_eval(cubic, t.x, t.z[0], u, NULL),
                              gsl_interp2d_eval(bilinear, t.x, t.y, t.z[0], u, v, NULL, NULL),
                              gsl_interp2d_eval(bicubic, t.x, t.y, t.z[0], u, v, NULL, NULL)};
        double out[4];
        table_at(&t, u, v, out);
        for (int i = 0; i < 4; i++)
            furthest = fmax(furthest, fabs(out[i] - gsl[i]));
    }
    printf("  at most %.1e from GSL's\n", furthest);
    assert_true(furthest < 1e-12);
    gsl_interp_free(linear);
    gsl_interp_free(cubic);
    gsl_interp2d_free(bilinear);
    gsl_interp2d_free(bicubic);
}
#endif

#ifdef HAS_KERNEL
/* On a device. */
UNIT_TEST(a_kernel_interpolates_to_the_bits_of_c) {
    enum { N = 4099 };
    tested_on_devices_only();
    uint64_t random = 5;
    const uint32_t nx = TABLE_X, ny = TABLE_Y;
    const uint64_t n = N;
    struct table *t = test_ze_alloc(tested.device, UH_MEMORY_SHARED, sizeof(struct table) + 6 * N * sizeof(double));
    double *u = (double *)(t + 1), *v = u + N, *out = v + N;
    table_make(t);
    for (size_t i = 0; i < N; i++) {
        u[i] = t->x[0] + (t->x[TABLE_X - 1] - t->x[0]) * (1.2 * test_random_f64(&random) - 0.1);
        v[i] = t->y[0] + (t->y[TABLE_Y - 1] - t->y[0]) * (1.2 * test_random_f64(&random) - 0.1);
    }
    uh_kernel *kernel = test_kernel_of(test_module(tested.device, &uh_program_interpolate_f64, NULL), "at_points");
    test_good(
        uh_parallel_for(tested.queue, kernel, RANGE_OF(1024, 0),
                        ARGS(VALUE(nx), uh_arg_pointer(t->x), VALUE(ny), uh_arg_pointer(t->y), uh_arg_pointer(t->z),
                             uh_arg_pointer(t->zx), uh_arg_pointer(t->zy), uh_arg_pointer(t->zxy), VALUE(n),
                             uh_arg_pointer(u), uh_arg_pointer(v), uh_arg_pointer(out)),
                        NULL));
    test_good(uh_queue_wait(tested.queue));
    for (size_t i = 0; i < N; i++) {
        double expected[4];
        table_at(t, u[i], v[i], expected);
        assert_memory_equal(out + 4 * i, expected, sizeof expected);
    }
}
#endif

TESTED_MAIN(test_interpolate)
