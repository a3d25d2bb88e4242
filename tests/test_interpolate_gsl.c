/* SPDX-License-Identifier: Apache-2.0 */
/* Interpolation compared with GSL's: linear, natural cubic splines, bilinear and bicubic. */
#include "tests/support.h"

#include <gsl/gsl_interp2d.h>
#include <gsl/gsl_spline.h>

#include "tests/interpolate_table.h"

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
