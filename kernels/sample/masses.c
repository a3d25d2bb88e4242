/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/sample/masses.h"

#include <math.h>
#include <stdlib.h>

#include "runtime/status.h"

/* v * a / b */
static struct uhi_wide scale(struct uhi_wide v, uhi_mass a, uhi_mass b) {
    return uhi_wide_over(uhi_wide_times(v, uhi_wide_of(a, 0)), uhi_wide_of(b, 0));
}

/* Distributions with normal tails keep about 18 standard deviations if these are large; counting the exact number of
 * outcomes in excess is not worth the time. */
static int is_too_wide(double deviation) {
    return 16 * deviation > (double)UH_SAMPLER_MAX_ITEMS;
}

static void get_all(const void *context, size_t from, size_t n, uhi_mass *mass) {
    const struct uhi_mass_list *list = context;
    for (size_t i = 0; i < n; i++)
        mass[i] = list->up.mass[from + i];
}

/* ---- Bernoulli ---- */

static void get_bernoulli(const void *context, size_t from, size_t n, uhi_mass *mass) {
    const struct uhi_mass_list *list = context;
    const uhi_mass one = uhi_wide_integer(uhi_wide_of_double(list->parameter), -126);
    for (size_t i = 0; i < n; i++)
        mass[i] = (from + i) ? one : ((uhi_mass)1 << 126) - one;
}

void uhi_masses_bernoulli(double p, struct uhi_mass_list *list) {
    *list = (struct uhi_mass_list){.masses = {get_bernoulli, list, 2}, .parameter = p};
}

/* ---- binomial ---- */

static struct uhi_wide binomial_up(const struct uhi_law *law, struct uhi_wide v, uint64_t x) {
    return uhi_wide_times(scale(v, law->n - x, x + 1), law->factor);
}

static struct uhi_wide binomial_down(const struct uhi_law *law, struct uhi_wide v, uint64_t x) {
    return uhi_wide_times(scale(v, x, law->n - x + 1), law->inverse);
}

uh_status uhi_masses_binomial(const char *call, uint64_t n, double p, struct uhi_mass_list *list) {
    struct uhi_law law = {.up = binomial_up, .down = binomial_down, .n = n};
    const struct uhi_wide wide_p = uhi_wide_of_double(p), q = uhi_wide_one_less(p);
    const double deviation = sqrt((double)n * p * (1 - p));
    if (is_too_wide(deviation))
        return uhi_masses_fail_too_many(call, 18 * deviation);
    if (p == 1) { /* infinite odds */
        law.mode = n;
    } else {
        law.mode = (uint64_t)uhi_wide_integer(uhi_wide_times(uhi_wide_of(n + 1, 0), wide_p), 0);
        law.factor = uhi_wide_over(wide_p, q);
        if (p > 0)
            law.inverse = uhi_wide_over(q, wide_p);
    }
    return uhi_masses_walk(call, &law, list);
}

/* ---- Poisson ---- */

static struct uhi_wide poisson_up(const struct uhi_law *law, struct uhi_wide v, uint64_t x) {
    return uhi_wide_over(uhi_wide_times(v, law->factor), uhi_wide_of(x + 1, 0));
}

static struct uhi_wide poisson_down(const struct uhi_law *law, struct uhi_wide v, uint64_t x) {
    return uhi_wide_times(uhi_wide_times(v, uhi_wide_of(x, 0)), law->inverse);
}

uh_status uhi_masses_poisson(const char *call, double mean, struct uhi_mass_list *list) {
    struct uhi_law law = {.up = poisson_up, .down = poisson_down, .mode = (uint64_t)mean};
    law.factor = uhi_wide_of_double(mean);
    if (mean > 0)
        law.inverse = uhi_wide_over(uhi_wide_of(1, 0), law.factor);
    return uhi_masses_walk(call, &law, list);
}

/* ---- negative binomial ---- */

static struct uhi_wide negative_up(const struct uhi_law *law, struct uhi_wide v, uint64_t x) {
    const struct uhi_wide ahead = uhi_wide_times(uhi_wide_plus(law->r, uhi_wide_of(x, 0)), law->factor);
    return uhi_wide_over(uhi_wide_times(v, ahead), uhi_wide_of(x + 1, 0));
}

static struct uhi_wide negative_down(const struct uhi_law *law, struct uhi_wide v, uint64_t x) {
    const struct uhi_wide successor = uhi_wide_times(uhi_wide_plus(law->r, uhi_wide_of(x - 1, 0)), law->factor);
    return x ? uhi_wide_over(uhi_wide_times(v, uhi_wide_of(x, 0)), successor) : uhi_wide_of(0, 0);
}

/* Returns a lower bound of the total mass of outcomes above UH_SAMPLER_MAX_ITEMS for r < 1. By W. Gautschi, "Some
 * elementary inequalities relating to the gamma and incomplete gamma function", J. Math. Phys. 38, 1959, p(x) is above
 * p^r / Gamma(r) * (x + 1)^(r - 1) * q^x, which falls as x grows, and 1 / Gamma(r) >= r. */
static double negative_tail(double r, double p) {
    const double start = r * log(p) + log(r), slope = log1p(-p);
    double sum = 0;
    for (double from = (double)UH_SAMPLER_MAX_ITEMS, to; from * p < 100 && from < 0x1p1023; from = to) {
        to = from * (1 + 0x1p-6);
        sum += exp(start + (r - 1) * log1p(to) + to * slope + log(to - from));
    }
    return sum;
}

uh_status uhi_masses_negative_binomial(const char *call, double r, double p, struct uhi_mass_list *list) {
    struct uhi_law law = {.up = negative_up, .down = negative_down, .factor = uhi_wide_one_less(p)};
    const double deviation = sqrt(r * (1 - p)) / p;
    law.r = uhi_wide_of_double(r);
    if (p < 1 && r >= 1) {
        if (is_too_wide(deviation))
            return uhi_masses_fail_too_many(call, 18 * deviation);
        const struct uhi_wide odds = uhi_wide_over(law.factor, uhi_wide_of_double(p));
        law.mode = (uint64_t)uhi_wide_integer(uhi_wide_times(uhi_wide_of_double(r - 1), odds), 0);
    } else if (p < 1) {
        const long double above = expm1l(-(long double)r * logl((long double)p));
        law.above = above < 0x1p-10L ? above : 0;
        law.series = 1 / p;
        if (negative_tail(r, p) > 0x1p-64)
            return uhi_masses_fail_too_many(call, 44 / p);
    }
    return uhi_masses_walk(call, &law, list);
}

/* ---- hypergeometric ---- */

static struct uhi_wide hypergeometric_up(const struct uhi_law *law, struct uhi_wide v, uint64_t x) {
    return scale(v, (uhi_mass)(law->good - x) * (law->n - x), (uhi_mass)(x + 1) * (law->bad + x + 1 - law->n));
}

static struct uhi_wide hypergeometric_down(const struct uhi_law *law, struct uhi_wide v, uint64_t x) {
    return scale(v, (uhi_mass)x * (law->bad + x - law->n), (uhi_mass)(law->good - x + 1) * (law->n - x + 1));
}

uh_status uhi_masses_hypergeometric(const char *call, uint64_t good, uint64_t bad, uint64_t draws,
                                    struct uhi_mass_list *list) {
    struct uhi_law law = {.up = hypergeometric_up, .down = hypergeometric_down, .n = draws, .good = good, .bad = bad};
    const uint64_t all = good + bad;
    if (all > 1) {
        const double part = (double)good / (double)all, other = (double)bad / (double)all;
        const double left = (double)(all - draws) / (double)(all - 1);
        const double deviation = sqrt((double)draws * part * other * left);
        if (is_too_wide(deviation))
            return uhi_masses_fail_too_many(call, 18 * deviation);
    }
    law.mode = (uint64_t)((uhi_mass)(draws + 1) * (good + 1) / (all + 2));
    return uhi_masses_walk(call, &law, list);
}

/* ---- geometric ---- */

static struct uhi_wide geometric_up(const struct uhi_law *law, struct uhi_wide v, uint64_t x) {
    (void)x;
    return uhi_wide_times(v, law->factor);
}

static struct uhi_wide geometric_down(const struct uhi_law *law, struct uhi_wide v, uint64_t x) {
    (void)law;
    (void)v;
    (void)x;
    return uhi_wide_of(0, 0);
}

/* q^(2^squarings) */
static struct uhi_wide power_of(struct uhi_wide q, unsigned squarings) {
    for (unsigned i = 0; i < squarings; i++)
        q = uhi_wide_times(q, q);
    return q;
}

unsigned uhi_masses_geometric_digits(double p) {
    unsigned digits = 1;
    /* the values of the last digit from x on have ratio^x of the total mass */
    while (digits < UHI_SAMPLE_PARTS &&
           uhi_wide_integer(power_of(uhi_wide_one_less(p), digits * UHI_GEOMETRIC_BITS), -64))
        digits++;
    return digits;
}

uh_status uhi_masses_geometric(const char *call, double p, unsigned digit, int last, struct uhi_mass_list *list) {
    const size_t n = (size_t)1 << UHI_GEOMETRIC_BITS;
    struct uhi_law law = {.up = geometric_up, .down = geometric_down};
    struct uhi_wide v = uhi_wide_of(1, 0);
    law.factor = power_of(uhi_wide_one_less(p), digit * UHI_GEOMETRIC_BITS);
    if (last)
        return uhi_masses_walk(call, &law, list);
    uhi_mass *mass = malloc(n * sizeof *mass);
    if (!mass)
        return uhi_fail_memory(call, "no memory for %zu masses", n);
    for (size_t x = 0; x < n; x++) {
        mass[x] = uhi_wide_integer(v, -UHI_MASS_BITS);
        v = uhi_wide_times(v, law.factor);
    }
    *list = (struct uhi_mass_list){.masses = {get_all, list, n}, .up = {mass, n, n, 0}};
    return UH_SUCCESS;
}

/* ---- Zipf ---- */

/* A mass is power * 2^(place - PLACE); place 0: not computed yet. */
enum { PLACE = 128 };

/* powl has 64 bits, so the mass is a 64-bit integer and a place. */
static void raise_zipf(const struct uhi_mass_list *list, size_t i) {
    int exponent;
    const long double power = frexpl(powl((long double)(i + 1), -(long double)list->parameter), &exponent);
    const int place = exponent - 64 + UHI_MASS_BITS; /* at most 1 - 64 + 99 */
    list->powers[i] = place > -64 ? (uint64_t)ldexpl(power, 64) : 0;
    list->places[i] = (uint8_t)(PLACE + (place > -64 ? place : 0));
}

static void get_zipf(const void *context, size_t from, size_t n, uhi_mass *mass) {
    const struct uhi_mass_list *list = context;
    for (size_t i = 0; i < n; i++) {
        if (!list->places[from + i])
            raise_zipf(list, from + i);
        const int place = list->places[from + i] - PLACE;
        const uhi_mass power = list->powers[from + i];
        mass[i] = place > 0 ? power << place : power >> -place;
    }
}

uh_status uhi_masses_zipf(const char *call, double s, uint64_t n, struct uhi_mass_list *list) {
    *list = (struct uhi_mass_list){.masses = {get_zipf, list, (size_t)n}, .first = 1, .parameter = s};
    list->powers = malloc((size_t)n * sizeof *list->powers);
    list->places = calloc((size_t)n, sizeof *list->places);
    if (list->powers && list->places)
        return UH_SUCCESS;
    uhi_masses_free(list);
    return uhi_fail_memory(call, "no memory for %llu masses", (unsigned long long)n);
}
