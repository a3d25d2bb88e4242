/* SPDX-License-Identifier: Apache-2.0 */
/* A table over two axes with all its slopes, for the tests of interpolation. */
#ifndef TEST_INTERPOLATE_TABLE_H
#define TEST_INTERPOLATE_TABLE_H

#include <math.h>

#include <unihist/interpolate.h>

#include "tests/fixture.h"

enum { TABLE_X = 13, TABLE_Y = 7 };

struct table {
    double x[TABLE_X], y[TABLE_Y];
    double z[TABLE_Y][TABLE_X], zx[TABLE_Y][TABLE_X], zy[TABLE_Y][TABLE_X], zxy[TABLE_Y][TABLE_X];
};

/* Of points at uneven distances; the slopes are as the header says. */
static inline void table_make(struct table *table) {
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
static inline void table_at(const struct table *t, double u, double v, double out[4]) {
    out[0] = uh_linear(t->x, t->z[0], TABLE_X, u);
    out[1] = uh_cubic(t->x, t->z[0], t->zx[0], TABLE_X, u);
    out[2] = uh_bilinear(t->x, TABLE_X, t->y, TABLE_Y, t->z[0], u, v);
    out[3] = uh_bicubic(t->x, TABLE_X, t->y, TABLE_Y, t->z[0], t->zx[0], t->zy[0], t->zxy[0], u, v);
}

#endif
