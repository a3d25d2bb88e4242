/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/integrands/set.h"

#include "tests/integrands.h"

#include <complex.h>
#include <string.h>

#define PI 3.14159265358979323846

static double square(double x) { return x * x; }

/* ---- values ------------------------------------------------------------------------------------------------------ */

static double scale_of(const struct set_row *row) { return row->scale > 0 ? row->scale : 1; }

/* The number of axes on which a product depends. */
static size_t axes_of(const struct set_row *row) { return row->axes ? row->axes : row->dims; }

/* NOLINTBEGIN(clang-analyzer-core.*): there are as many arrays of coordinates as the row has axes */

/* Multiplies values by the factor of axis d, or of axes d and d + 1. */
static void multiply(const struct set_integrand *f, size_t d, size_t n, const double *const *points, double *v) {
    const double a = f->a[d], u = f->u[d], *const x = points[d];
    const double *const y = f->row->kind == SET_RIDGE || f->row->kind == SET_CREASE ? points[d + 1] : x;
#define FACTOR(kind_, value_)                                                                                          \
    case kind_:                                                                                                        \
        for (size_t i = 0; i < n; i++)                                                                                 \
            v[i] *= (value_);                                                                                          \
        break;
    switch (f->row->kind) {
        FACTOR(SET_GAUSS, exp(-square(a * (x[i] - u))))
        FACTOR(SET_PEAK, 1 / (1 / (a * a) + square(x[i] - u)))
        FACTOR(SET_KINK, exp(-a * fabs(x[i] - u)))
        FACTOR(SET_POWER, pow(x[i], u))
        FACTOR(SET_LOG, -log(x[i]))
        FACTOR(SET_TAIL, pow(1 + x[i], -a))
        FACTOR(SET_BOX, a * fabs(x[i] - u) < 1)
        FACTOR(SET_CUT, x[i] < u ? exp(a * x[i]) : 0)
        FACTOR(SET_RIDGE, exp(-square(a * (x[i] - y[i]))))
        FACTOR(SET_CREASE, pow(fabs(x[i] - y[i]), -a))
    default: break;
    }
#undef FACTOR
}

/* Adds the term of axis d. */
static void add(const struct set_integrand *f, size_t d, size_t n, const double *const *points, double *v) {
    const double a = f->a[d], u = f->u[d], share = 1 / (double)f->row->dims, *const x = points[d];
#define TERM(kind_, value_)                                                                                            \
    case kind_:                                                                                                        \
        for (size_t i = 0; i < n; i++)                                                                                 \
            v[i] += (value_);                                                                                          \
        break;
    switch (f->row->kind) {
        TERM(SET_WAVE, a * x[i])
        TERM(SET_CORNER, a * x[i])
        TERM(SET_LINEAR, a * (x[i] - 0.5))
        TERM(SET_DIAGONAL, x[i])
        TERM(SET_BALL, square(x[i]))
        TERM(SET_CHECKER, floor(a * x[i]))
        TERM(SET_STEPPED, share * x[i] + (d == 0 && x[i] < u))
        TERM(SET_CAUCHY, square(x[i]))
    default: break;
    }
#undef TERM
}

/* Makes values of the sums. */
static void finish(const struct set_integrand *f, size_t n, double *v) {
    const double u = f->u[0], dims = (double)f->row->dims;
#define VALUE(kind_, value_)                                                                                           \
    case kind_:                                                                                                        \
        for (size_t i = 0; i < n; i++)                                                                                 \
            v[i] = scale_of(f->row) * (value_);                                                                        \
        break;
    switch (f->row->kind) {
        VALUE(SET_WAVE, cos(2 * PI * u + v[i]))
        VALUE(SET_CORNER, pow(1 + v[i], -dims - 1))
        VALUE(SET_LINEAR, u + v[i])
        VALUE(SET_DIAGONAL, v[i] < u)
        VALUE(SET_BALL, v[i] < u * u)
        VALUE(SET_CHECKER, fmod(v[i], 2))
        VALUE(SET_STEPPED, v[i])
        VALUE(SET_CAUCHY, pow(1 + v[i], -0.5 * (dims + 1)))
    default: break;
    }
#undef VALUE
}

static void evaluate_peaks(const struct set_integrand *f, size_t n, const double *const *x, double *v) {
    for (size_t i = 0; i < n; i++) {
        double here = 0, there = 0;
        for (size_t d = 0; d < f->row->dims; d++) {
            here += square(f->a[d] * (x[d][i] - f->u[d]));
            there += square(f->a[d] * (x[d][i] - f->row->more));
        }
        v[i] = scale_of(f->row) * (exp(-here) + exp(-there));
    }
}

/* NOLINTEND(clang-analyzer-core.*) */

void set_batch(size_t n, const double *const *x, double *const *value, const void *context) {
    const struct set_integrand *f = context;
    const enum set_kind kind = f->row->kind;
    const size_t step = kind == SET_RIDGE || kind == SET_CREASE ? 2 : 1;
    if (kind == SET_PEAKS) {
        evaluate_peaks(f, n, x, value[0]);
        return;
    }
    for (size_t i = 0; i < n; i++)
        value[0][i] = kind <= SET_CREASE ? scale_of(f->row) : 0;
    for (size_t d = 0; d < axes_of(f->row); d += step) {
        if (kind <= SET_CREASE)
            multiply(f, d, n, x, value[0]);
        else
            add(f, d, n, x, value[0]);
    }
    finish(f, n, value[0]);
}

void set_on_unit_cube(const struct set_integrand *f, size_t n, const double *rows, double *value) {
    const double lower = f->row->lower, upper = f->row->upper;
    const size_t dims = f->row->dims;
    for (size_t i = 0; i < n; i++) {
        double x[UH_INTEGRATE_MAX_DIMS], weight = 1;
        const double *at[UH_INTEGRATE_MAX_DIMS];
        for (size_t d = 0; d < dims; d++) {
            const double t = rows[i * dims + d], s = 1 - t;
            x[d] = isfinite(lower) && isfinite(upper) ? lower + t * (upper - lower)
                   : isfinite(lower)                  ? lower + t / s
                                                      : (2 * t - 1) / (4 * t * s);
            weight *= isfinite(lower) && isfinite(upper) ? upper - lower
                      : isfinite(lower)                  ? 1 / (s * s)
                                                         : 0.25 * (1 / (t * t) + 1 / (s * s));
            at[d] = &x[d];
        }
        set_batch(1, at, &(double *const){&value[i]}, f);
        value[i] *= weight;
    }
}

/* ---- integrals --------------------------------------------------------------------------------------------------- */

/* Of the factor of one axis, or of a pair of axes. */
static double factor_integral(const struct set_row *row, double a, double u) {
    const double root_pi = sqrt(PI), below = u - row->lower, above = row->upper - u;
    switch (row->kind) {
    case SET_GAUSS:
    case SET_PEAKS: return root_pi / (2 * a) * (erf(a * above) + erf(a * below));
    case SET_PEAK: return a * (atan(a * above) + atan(a * below));
    case SET_KINK: return -(expm1(-a * below) + expm1(-a * above)) / a;
    case SET_POWER: return 1 / (1 + u);
    case SET_TAIL: return 1 / (a - 1);
    case SET_BOX: return 2 / a;
    case SET_CUT: return a > 0 ? expm1(a * fmin(u, 1)) / a : fmin(u, 1);
    case SET_RIDGE: return root_pi / a * erf(a) + expm1(-a * a) / (a * a);
    case SET_CREASE: return 2 / ((1 - a) * (2 - a));
    default: return 1; /* of SET_LOG */
    }
}

static double product_integral(const struct set_integrand *f, const double *u) {
    double product = 1;
    for (size_t d = 0; d < axes_of(f->row); d += f->row->kind == SET_RIDGE || f->row->kind == SET_CREASE ? 2 : 1)
        product *= factor_integral(f->row, f->a[d], u[d]);
    return product;
}

/* Over the corners of the cube (Genz 1984). */
static double corner_integral(const struct set_integrand *f) {
    long double sum = 0;
    double scale = 1;
    for (size_t corner = 0; corner < (size_t)1 << f->row->dims; corner++) {
        long double at = 1, sign = 1;
        for (size_t d = 0; d < f->row->dims; d++)
            if (corner >> d & 1) {
                at += (long double)f->a[d];
                sign = -sign;
            }
        sum += sign / at;
    }
    for (size_t d = 0; d < f->row->dims; d++)
        scale *= f->a[d] * ((double)d + 1);
    return (double)sum / scale;
}

static double wave_integral(const struct set_integrand *f) {
    double complex wave = cexp(I * (2 * PI * f->u[0]));
    for (size_t d = 0; d < f->row->dims; d++)
        wave *= (cexp(I * f->a[d]) - 1) / (I * f->a[d]);
    return creal(wave);
}

/* The part of the cube below a diagonal: sum over k of (-1)^k (dims over k) (u - k)^dims / dims!, while k < u. */
static double diagonal_integral(double dims, double u) {
    double sum = 0, term = 1 / tgamma(dims + 1);
    for (double k = 0; k < u && k <= dims; k++) {
        sum += term * pow(u - k, dims);
        term *= -(dims - k) / (k + 1);
    }
    return sum;
}

double set_truth(const struct set_integrand *f) {
    const struct set_row *row = f->row;
    const double dims = (double)row->dims, u = f->u[0], half = dims / 2, scale = scale_of(row);
    double others[UH_INTEGRATE_MAX_DIMS];
    switch (row->kind) {
    case SET_WAVE: return scale * wave_integral(f);
    case SET_CORNER: return scale * corner_integral(f);
    case SET_LINEAR: return scale * u;
    case SET_DIAGONAL: return scale * diagonal_integral(dims, u);
    case SET_BALL: return scale * pow(sqrt(PI) * u / 2, dims) / tgamma(half + 1); /* an orthant of it */
    case SET_CHECKER: return scale * (1 - pow(f->a[0], -dims)) / 2;
    case SET_STEPPED: return scale * (0.5 + u);
    case SET_CAUCHY: return scale * pow(PI, half + 0.5) / tgamma(half + 0.5);
    case SET_PEAKS:
        for (size_t d = 0; d < row->dims; d++)
            others[d] = row->more;
        return scale * (product_integral(f, f->u) + product_integral(f, others));
    default: return scale * product_integral(f, f->u);
    }
}

double integrand_true(const struct integrand_of *paper) {
    static const struct set_row rows[INTEGRAND_NAMES] = {
        [F1] = {.kind = SET_WAVE, .a = 1, .rising = 1},
        [F2] = {.kind = SET_PEAK, .a = 50, .u = 0.5, .upper = 1},
        [F3] = {.kind = SET_CORNER, .a = 1, .rising = 1},
        [F4] = {.kind = SET_GAUSS, .a = 25, .u = 0.5, .upper = 1},
        [F5] = {.kind = SET_KINK, .a = 10, .u = 0.5, .upper = 1},
        [F6] = {.kind = SET_CUT, .a = 5, .u = 0.4, .rising = 1},
        [FA] = {.kind = SET_WAVE, .a = 10, .u = -0.25, .scale = 10}, /* over the unit cube */
        [FB] = {.kind = SET_GAUSS, .a = 70.71067811865476, .lower = -1, .upper = 1, .scale = 39.894228040143268}};
    struct set_row row = rows[paper->name];
    row.dims = paper->dims;
    row.scale = pow(scale_of(&row), (double)row.dims); /* that of an axis */
    const struct set_integrand f = set_draw(&row, 0);
    return set_truth(&f);
}

/* ---- the rows ---------------------------------------------------------------------------------------------------- */

static double hash(uint64_t seed, size_t number) {
    uint64_t z = (seed << 8) + number + 1;
    z *= UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

struct set_integrand set_draw(const struct set_row *row, uint64_t seed) {
    struct set_integrand f = {.row = row};
    double sum = 0;
    for (size_t d = 0; d < row->dims; d++) {
        f.a[d] = row->drawn ? 0.2 + hash(seed, 2 * d) : 1;
        f.u[d] = row->drawn ? 0.1 + 0.8 * hash(seed, 2 * d + 1) : row->kind == SET_POWER && d > 0 ? row->more : row->u;
        if (row->kind == SET_CUT && row->drawn && d > 1)
            f.u[d] = 2; /* no edge: Genz's have two */
        sum += f.a[d];
    }
    for (size_t d = 0; d < row->dims; d++) {
        f.a[d] = f.a[d] * row->a * (double)row->dims / sum + row->rising * (double)d;
        f.u[d] += row->rising * (double)d / 10;
    }
    return f;
}

int set_is_symmetric(const struct set_row *row) {
    switch (row->dims == 1 ? SET_LOG : row->kind) {
    case SET_RIDGE: return row->dims == 2;
    case SET_STEPPED: return 0;
    case SET_POWER: return row->more == row->u;
    default: return row->dims == 1 || (!row->drawn && !row->rising && !row->axes);
    }
}

const struct set_row *set_find(const char *name) {
    for (size_t i = 0; i < SET_ROWS; i++)
        if (strcmp(set_rows[i].name, name) == 0)
            return &set_rows[i];
    return NULL;
}
