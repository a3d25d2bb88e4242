/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of cubature, made of their nodes in extended precision.
 *
 * One dimension: Kronrod's 15 nodes (QUADPACK's qk15). Two to four: degree 9, the family of A. C. Genz and
 * A. A. Malik, "An imbedded family of fully symmetric numerical integration rules" (SIAM J. Numer. Anal. 20, 1983) with
 * the free parameter of J. Berntsen, T. O. Espelid and A. Genz, "An adaptive algorithm for the approximate calculation
 * of multiple integrals" (ACM TOMS 17, 1991). More: degree 7, A. C. Genz and A. A. Malik, "Remarks on algorithm 006"
 * (J. Comput. Appl. Math. 6, 1980).
 *
 * Null rules are the polynomials that are orthogonal to those of lower degree on the nodes (J. Berntsen and
 * T. O. Espelid, "Error estimation in automatic quadrature routines", ACM TOMS 17, 1991). The last orbit, of weight 0
 * in the rule, is close to a region's faces: without it a step parallel to a face could hide in the 2 to 5 % of the
 * width that lie outside all other nodes. */
#include "kernels/integrate/cubature.h"

#include <math.h>
#include <string.h>

typedef long double precise;

enum { DISTANCES = (UHI_PLACES - 1) / 2, MONOMIALS = 9, NULLS = UHI_CUBATURE_RULES - 1, FACE = 0, FACES = 8 };

/* Rules for at most `dims` dimensions. An orbit has all nodes with `nonzero` coordinates, of distance a or, of a pair,
 * one of distance b. */
enum { ALL = UHI_CUBATURE_DIMS };
static const struct family {
    size_t dims, orbits;
    struct orbit {
        size_t nonzero, a, b;
    } orbit[UHI_ORBITS];
    int powers[MONOMIALS][3]; /* half the powers of monomials by ascending degree */
    int null[NULLS];          /* which of their orthogonal polynomials are null rules; -1: none */
} families[] = {
    {1,
     9,
     {{0, 0, 0}, {1, 1, 0}, {1, 2, 0}, {1, 3, 0}, {1, 4, 0}, {1, 5, 0}, {1, 6, 0}, {1, 7, 0}, {1, FACE, 0}},
     {{0}, {1}, {2}, {3}, {4}, {5}, {6}, {7}, {8}},
     {8, 7, 6, 5, 4, 3}},
    {4,
     9,
     {{0, 0, 0}, {1, 2, 0}, {1, 1, 0}, {1, 3, 0}, {2, 1, 1}, {2, 1, 2}, {3, 1, 0}, {ALL, 4, 0}, {ALL, FACE, 0}},
     {{0}, {1}, {2}, {1, 1}, {3}, {2, 1}, {1, 1, 1}, {4}, {3, 1}},
     {7, 8, 4, 5, 2, 3}},
    {UHI_CUBATURE_DIMS,
     6,
     {{0, 0, 0}, {1, 1, 0}, {1, 2, 0}, {2, 2, 2}, {ALL, 3, 0}, {1, FACE, 0}},
     {{0}, {1}, {2}, {1, 1}, {3}, {2, 1}, {1, 1, 1}, {4}, {3, 1}},
     {4, 5, 2, 3, 1, -1}}};

/* ---- nodes ---- */

/* Stores the squares of distances; returns their number. */
static size_t make_squares(size_t dims, precise *square) {
    static const precise kronrod[] = {0.207784955007898467600689403773245L, 0.405845151377397166906606412076961L,
                                      0.586087235467691130294144691693013L, 0.741531185599394439863864773280788L,
                                      0.864864423359769072789712788640926L, 0.949107912342758524526189684047851L,
                                      0.991455371120812639206854697526329L};
    const precise g = 0.4707L, a = 4 / (15 - 5 / g), p = (1 - a / g) / 27,
                  b = (5 - 7 * a - 35 * p) / (7 - 35 * a / 3 - 35 * p / g), q = p * (1 - b / g) / 3,
                  c = (7 - 9 * (b + a) + 63 * b * a / 5 - 63 * q) / (9 - 63 * (b + a) / 5 + 21 * b * a - 63 * q / g);
    const precise nine[] = {a, b, c, g}, seven[] = {9 / 70.0L, 9 / 10.0L, 9 / 19.0L};
    const size_t n = dims == 1 ? 7 : dims <= 4 ? 4 : 3;
    for (size_t i = 0; i < n; i++)
        square[i + 1] = dims == 1 ? kronrod[i] * kronrod[i] : dims <= 4 ? nine[i] : seven[i];
    square[FACE] = 0.9998L;
    return n + 1;
}

/* Adds the nodes of an orbit, both signs of an axis one after the other: base 3 counts 0, plus and minus. */
static void add_orbit(struct uhi_rule *rule, size_t dims, size_t o, struct orbit orbit) {
    const size_t nonzero = orbit.nonzero == ALL ? dims : orbit.nonzero,
                 orders = orbit.nonzero == 2 && orbit.a != orbit.b;
    size_t all = 1;
    for (size_t d = 0; d < dims; d++)
        all *= 3;
    rule->first[o + 1] = rule->first[o];
    for (size_t i = 0; i < all * (1 + orders); i++) {
        unsigned char *at = rule->at[rule->first[o + 1]];
        size_t rest = i % all, n = 0;
        memset(at, 0, sizeof *rule->at);
        for (size_t d = 0; d < dims; rest /= 3, d++) {
            const size_t distance = orbit.nonzero == 2 && n % 2 == i / all ? orbit.b : orbit.a;
            at[d] = (unsigned char)(rest % 3 ? 2 * distance + rest % 3 : 0);
            n += rest % 3 > 0;
        }
        rule->first[o + 1] += n == nonzero;
    }
}

/* ---- weights ---- */

static precise size_of(const struct uhi_rule *rule, size_t o) { return (precise)(rule->first[o + 1] - rule->first[o]); }

static precise product(const struct uhi_rule *rule, size_t orbits, const precise *u, const precise *v) {
    precise sum = 0;
    for (size_t o = 0; o < orbits; o++)
        sum += size_of(rule, o) * u[o] * v[o];
    return sum;
}

/* The mean over an orbit of the product of powers 2 e of coordinates. */
static precise mean(const struct uhi_rule *rule, const precise *square, size_t dims, size_t o, const int *e) {
    precise sum = 0;
    for (size_t j = rule->first[o]; j < rule->first[o + 1]; j++) {
        precise term = 1;
        for (size_t d = 0; d < dims && d < 3; d++)
            for (int i = 0; i < e[d]; i++)
                term *= rule->at[j][d] ? square[(rule->at[j][d] - 1) / 2] : 0;
        sum += term;
    }
    return sum / fmaxl(size_of(rule, o), 1);
}

/* Makes the monomials' orthonormal polynomials on the first orbits; number `orbits` of each is its mean over the
 * region. One that depends on those before it becomes 0. */
static void orthogonalise(const struct uhi_rule *rule, const struct family *family, const precise *square, size_t dims,
                          size_t orbits, precise made[][UHI_ORBITS + 1]) {
    for (size_t j = 0; j < MONOMIALS; j++) {
        const int *e = family->powers[j];
        made[j][orbits] = 1;
        for (size_t d = 0; d < dims && d < 3; d++)
            made[j][orbits] /= 2 * e[d] + 1;
        for (size_t o = 0; o < orbits; o++)
            made[j][o] = mean(rule, square, dims, o, e);
        const precise before = product(rule, orbits, made[j], made[j]);
        for (size_t i = 0; i < 2 * j; i++) { /* twice: the second pass removes what rounding left */
            const precise part = product(rule, orbits, made[j], made[i % j]);
            for (size_t o = 0; o <= orbits; o++)
                made[j][o] -= part * made[i % j][o];
        }
        const precise size = product(rule, orbits, made[j], made[j]);
        for (size_t o = 0; o <= orbits; o++)
            made[j][o] = size > 1e-20L * before ? made[j][o] / sqrtl(size) : 0;
    }
}

/* The rule is the only one on all orbits but the last that integrates all monomials. Null rules are scaled so that the
 * sum of their weights' squares is the rule's. */
static void make_weights(struct uhi_rule *rule, const struct family *family, const precise *square, size_t dims) {
    const size_t last = family->orbits - 1;
    precise made[MONOMIALS][UHI_ORBITS + 1], weight[UHI_ORBITS] = {0};
    orthogonalise(rule, family, square, dims, last, made);
    for (size_t j = 0; j < MONOMIALS; j++)
        for (size_t o = 0; o < last; o++)
            weight[o] += made[j][last] * made[j][o];
    const precise size = sqrtl(product(rule, last, weight, weight));
    orthogonalise(rule, family, square, dims, last + 1, made);
    for (size_t o = 0; o <= last; o++) {
        rule->weight[o][0] = (double)weight[o];
        for (size_t i = 0; i < NULLS; i++)
            rule->weight[o][i + 1] = family->null[i] < 0 ? 0 : (double)(size * made[family->null[i]][o]);
    }
}

void uhi_rule_make(size_t dims, struct uhi_rule *rule) {
    const struct family *family = families;
    precise square[DISTANCES];
    while (family->dims < dims)
        family++;
    const size_t distances = make_squares(dims, square);
    *rule = (struct uhi_rule){.orbits = (unsigned)family->orbits, .places = (unsigned)(2 * distances + 1)};
    for (size_t g = 0; g < distances; g++) {
        rule->place[2 * g + 1] = (double)sqrtl(square[g]);
        rule->place[2 * g + 2] = -rule->place[2 * g + 1];
    }
    for (size_t o = 0; o < family->orbits; o++)
        add_orbit(rule, dims, o, dims == 4 && o == FACES ? (struct orbit){1, FACE, 0} : family->orbit[o]);
    rule->ratio = (double)(square[family->orbit[1].a] / square[family->orbit[2].a]);
    make_weights(rule, family, square, dims);
}
