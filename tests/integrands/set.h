/* SPDX-License-Identifier: Apache-2.0 */
/* Integrands by which changes of integrators are judged: a training and a test set of the same classes with other
 * parameters and dimensions, whose integrals are known in closed form. A change is tried on the training set alone.
 *
 * Sources: A. Genz, "Testing multidimensional integration routines" (1984), for his six families; P. Hall, "The
 * distribution of means" (Biometrika 19, 1927), for the part of a cube below a diagonal. */
#pragma once

#include <math.h>

#include <unihist/integrate.h>

/* The families. Axis d has a parameter a, how narrow it is, and u, where; x is the coordinate. The first are products
 * over axes, then over pairs of axes, the others functions of all. */
enum set_kind {
    SET_GAUSS,    /* exp(-(a (x - u))^2) */
    SET_PEAK,     /* 1 / (1 / a^2 + (x - u)^2) */
    SET_KINK,     /* exp(-a |x - u|) */
    SET_POWER,    /* x^u */
    SET_LOG,      /* -log x */
    SET_TAIL,     /* (1 + x)^-a */
    SET_BOX,      /* 1 where a |x - u| < 1 */
    SET_CUT,      /* exp(a x) where x < u */
    SET_RIDGE,    /* exp(-(a (x - y))^2) */
    SET_CREASE,   /* |x - y|^-a */
    SET_WAVE,     /* cos(2 pi u + sum of a x) */
    SET_CORNER,   /* (1 + sum of a x)^-(dims + 1) */
    SET_LINEAR,   /* u + sum of a (x - 1/2) */
    SET_DIAGONAL, /* 1 where the sum of x is below u */
    SET_BALL,     /* 1 where the sum of x^2 is below u^2 */
    SET_CHECKER,  /* 1 where the sum of floor(a x) is odd; a is odd */
    SET_STEPPED,  /* the mean of x, and 1 more where x_0 < u */
    SET_CAUCHY,   /* (1 + sum of x^2)^-((dims + 1) / 2) */
    SET_PEAKS     /* two products of SET_GAUSS, one of them at `more` */
};

enum set_part { SET_TRAINING, SET_TEST };

struct set_row {
    const char *name, *class;
    enum set_part part;
    enum set_kind kind;
    size_t dims;
    double a, u, more;   /* of all axes; of SET_POWER `more` is the exponent of all but the first */
    double lower, upper; /* the box's sides, the same on all axes; may be infinite */
    double scale;        /* a factor; 0: 1 */
    size_t axes;         /* of a product, those on which it depends; 0: all */
    int rising;          /* from axis to axis a by 1, and u by 1/10 */
    int drawn;           /* u is drawn by the seed, and so is how a is divided among axes, of which it is the mean */
    int heavy;           /* its square has no integral, or none after the map of an infinite range */
    int far_peaks;       /* several peaks with nothing in between */
};

enum { SET_ROWS = 60 };
extern const struct set_row set_rows[SET_ROWS];

/* The integrand of a row and a seed. */
struct set_integrand {
    const struct set_row *row;
    double a[UH_INTEGRATE_MAX_DIMS], u[UH_INTEGRATE_MAX_DIMS];
};

/* NULL for an unknown name. */
const struct set_row *set_find(const char *name);

struct set_integrand set_draw(const struct set_row *row, uint64_t seed);

/* Whether the axes may be exchanged, as UH_INTEGRATE_MCUBES1D expects. */
int set_is_symmetric(const struct set_row *row);

/* The integral. */
double set_truth(const struct set_integrand *f);

/* Evaluates a batch: a uh_integrand_function, whose context is the integrand. */
void set_batch(size_t n, const double *const *x, double *const *value, const void *context);

/* For integrators over the unit cube: evaluates n points, rows of dims coordinates, of the integrand mapped to it, as
 * the library maps infinite ranges (uh_grid_create). */
void set_on_unit_cube(const struct set_integrand *f, size_t n, const double *rows, double *value);
