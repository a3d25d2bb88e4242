/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/sample/masses.h"

#include <stdlib.h>

#include "runtime/grow.h"
#include "runtime/status.h"

/* ---- the walk from a mode outwards ---- */

/* A mass function defined by the ratios of neighbours. */
struct law {
    /* Return the mass of x + 1, or x - 1, given x's mass v; 0 at the end of the support. */
    struct uhi_f128 (*up)(const struct law *law, struct uhi_f128 v, uint64_t x);
    struct uhi_f128 (*down)(const struct law *law, struct uhi_f128 v, uint64_t x);
    uint64_t mode, n, good, bad; /* outcomes are below 2^63 */
    struct uhi_f128 factor;      /* common factor of all ratios of `up`; */
    struct uhi_f128 inverse;     /* of `down` */
    struct uhi_f128 r;
    /* If ratios rise on the way up: 1 / (1 - their limit). Otherwise 0. */
    double series;
    /* If the total mass above the mode is known: that mass relative to the mode's, relative error below 2^-60.
     * Otherwise 0. */
    long double above;
};

/* A walk may find a few more than are finally kept. */
static const size_t max_found = UH_SAMPLER_MAX_ITEMS + UH_SAMPLER_MAX_ITEMS / 16;

/* Returns the error for about `kept` outcomes to keep. */
static uh_status fail_too_many(const char *call, double kept) {
    return uhi_fail(
        UH_ERROR_UNSUPPORTED, call, "distribution",
        "has about %.3g outcomes of a mass that matters (all others of less than 2^-64), expected at most %zu", kept,
        UH_SAMPLER_MAX_ITEMS);
}

static uh_status append(const char *call, struct uhi_mass_side *side, uhi_mass mass) {
    if (!uhi_grow(&side->mass, &side->room, side->n + 1, sizeof *side->mass))
        return uhi_fail_memory(call, "no memory for more than %zu masses", side->n);
    side->mass[side->n++] = mass;
    return UH_SUCCESS;
}

/* Returns an upper bound, in units, of the mass of v's outer neighbour `next` and everything beyond it. */
static double beyond(struct uhi_f128 v, struct uhi_f128 next, double series) {
    const double last = uhi_f128_double(v), mass = uhi_f128_double(next);
    const double sum = series > 0 ? mass * series : mass * (last / (last - mass)); /* infinite if both are equal */
    return ldexp(sum * (1 + 0x1p-20), UHI_MASS_BITS) + 1;
}

/* Returns the mass left above the mode, in units, when `found` of `law->above` has been found; errors make it too
 * large. */
static double rest(const struct law *law, uhi_mass found) {
    const long double all = ldexpl(law->above, UHI_MASS_BITS);
    const long double left = all * (1 + 0x1p-59L) - (long double)found;
    return (double)(left * (1 + 0x1p-20L)) + 1;
}

/* Walks up, or down, as long as masses matter relative to *sum, to which they are added. */
static uh_status walk(const char *call, const struct law *law, int up, uhi_mass *sum, struct uhi_mass_side *side) {
    const size_t room = max_found + side->n;
    struct uhi_f128 v = uhi_f128_of(1, 0);
    uhi_mass found = 0;
    for (uint64_t x = law->mode;; x = up ? x + 1 : x - 1) {
        const struct uhi_f128 next = up ? law->up(law, v, x) : law->down(law, v, x);
        const uhi_mass mass = uhi_f128_integer(next, -UHI_MASS_BITS);
        double left = 0;
        if (!next.m)
            break;
        if (up && law->above > 0 && (left = rest(law, found)) < ldexp((double)*sum, -64) * (1 - 0x1p-4)) {
            side->left_out = (uhi_mass)left + 1;
            break;
        }
        if (mass < *sum >> 72 && (left = beyond(v, next, up ? law->series : 0)) < ldexp((double)*sum, -72)) {
            side->left_out = (uhi_mass)left + 1;
            break;
        }
        if (side->n == room)
            return uhi_fail(UH_ERROR_UNSUPPORTED, call, "distribution",
                            "has more than %zu outcomes of a mass that matters (all others of less than 2^-64), "
                            "expected at most that many",
                            UH_SAMPLER_MAX_ITEMS);
        UHI_TRY(append(call, side, mass));
        *sum += mass;
        found += mass;
        v = next;
    }
    return UH_SUCCESS;
}

/* Drops as many outcomes as possible, but not the first `keep`. A mass exceeds its integer by up to 1. */
static void trim(struct uhi_mass_side *side, size_t keep, uhi_mass limit) {
    while (side->n > keep && side->left_out + side->mass[side->n - 1] + 1 < limit)
        side->left_out += side->mass[--side->n] + 1;
}

static void get(const void *context, size_t from, size_t n, uhi_mass *mass) {
    const struct uhi_mass_list *list = context;
    const size_t below = list->down.n;
    for (size_t i = 0; i < n; i++) {
        const size_t at = from + i;
        mass[i] = at < below ? list->down.mass[below - 1 - at] : list->up.mass[at - below];
    }
}

/* Walks up and down, and stores the outcomes that are kept. */
static uh_status walk_from_mode(const char *call, const struct law *law, struct uhi_mass_list *list) {
    struct uhi_mass_list made = {.up = {0}};
    uhi_mass sum = (uhi_mass)1 << UHI_MASS_BITS;
    uh_status status = append(call, &made.up, sum); /* the walk up begins with the mode itself */
    status = status ? status : walk(call, law, 1, &sum, &made.up);
    status = status ? status : walk(call, law, 0, &sum, &made.down);
    if (!status) {
        trim(&made.up, 1, sum >> 64);
        trim(&made.down, 0, sum >> 64);
        if (made.up.n + made.down.n > UH_SAMPLER_MAX_ITEMS)
            status = fail_too_many(call, (double)(made.up.n + made.down.n));
    }
    if (status) {
        uhi_masses_free(&made);
        return status;
    }
    *list = made;
    list->first = (int64_t)(law->mode - made.down.n);
    list->masses = (struct uhi_masses){get, list, made.up.n + made.down.n};
    return UH_SUCCESS;
}

void uhi_masses_free(struct uhi_mass_list *list) {
    free(list->up.mass);
    free(list->down.mass);
    free(list->powers);
    free(list->places);
    *list = (struct uhi_mass_list){.up = {0}};
}

/* v * a / b */
static struct uhi_f128 scale(struct uhi_f128 v, uhi_mass a, uhi_mass b) {
    return uhi_f128_over(uhi_f128_times(v, uhi_f128_of(a, 0)), uhi_f128_of(b, 0));
}

/* Distributions with normal tails keep about 18 standard deviations if these are large; counting the exact number of
 * outcomes in excess is not worth the time. */
static int is_too_wide(double deviation) { return 16 * deviation > (double)UH_SAMPLER_MAX_ITEMS; }

/* ---- one function per distribution ---- */

static void get_bernoulli(const void *context, size_t from, size_t n, uhi_mass *mass) {
    const struct uhi_mass_list *list = context;
    const uhi_mass one = uhi_f128_integer(uhi_f128_of_double(list->parameter), -126);
    for (size_t i = 0; i < n; i++)
        mass[i] = (from + i) ? one : ((uhi_mass)1 << 126) - one;
}

void uhi_masses_bernoulli(double p, struct uhi_mass_list *list) {
    *list = (struct uhi_mass_list){.masses = {get_bernoulli, list, 2}, .parameter = p};
}

static struct uhi_f128 binomial_up(const struct law *law, struct uhi_f128 v, uint64_t x) {
    return uhi_f128_times(scale(v, law->n - x, x + 1), law->factor);
}

static struct uhi_f128 binomial_down(const struct law *law, struct uhi_f128 v, uint64_t x) {
    return uhi_f128_times(scale(v, x, law->n - x + 1), law->inverse);
}

uh_status uhi_masses_binomial(const char *call, uint64_t n, double p, struct uhi_mass_list *list) {
    struct law law = {.up = binomial_up, .down = binomial_down, .n = n};
    const struct uhi_f128 wide_p = uhi_f128_of_double(p), q = uhi_f128_one_less(p);
    const double deviation = sqrt((double)n * p * (1 - p));
    if (is_too_wide(deviation))
        return fail_too_many(call, 18 * deviation);
    if (p == 1) { /* infinite odds */
        law.mode = n;
    } else {
        law.mode = (uint64_t)uhi_f128_integer(uhi_f128_times(uhi_f128_of(n + 1, 0), wide_p), 0);
        law.factor = uhi_f128_over(wide_p, q);
        if (p > 0)
            law.inverse = uhi_f128_over(q, wide_p);
    }
    return walk_from_mode(call, &law, list);
}

static struct uhi_f128 poisson_up(const struct law *law, struct uhi_f128 v, uint64_t x) {
    return uhi_f128_over(uhi_f128_times(v, law->factor), uhi_f128_of(x + 1, 0));
}

static struct uhi_f128 poisson_down(const struct law *law, struct uhi_f128 v, uint64_t x) {
    return uhi_f128_times(uhi_f128_times(v, uhi_f128_of(x, 0)), law->inverse);
}

uh_status uhi_masses_poisson(const char *call, double mean, struct uhi_mass_list *list) {
    struct law law = {.up = poisson_up, .down = poisson_down, .mode = (uint64_t)mean};
    law.factor = uhi_f128_of_double(mean);
    if (mean > 0)
        law.inverse = uhi_f128_over(uhi_f128_of(1, 0), law.factor);
    return walk_from_mode(call, &law, list);
}

static struct uhi_f128 negative_up(const struct law *law, struct uhi_f128 v, uint64_t x) {
    const struct uhi_f128 ahead = uhi_f128_times(uhi_f128_plus(law->r, uhi_f128_of(x, 0)), law->factor);
    return uhi_f128_over(uhi_f128_times(v, ahead), uhi_f128_of(x + 1, 0));
}

static struct uhi_f128 negative_down(const struct law *law, struct uhi_f128 v, uint64_t x) {
    const struct uhi_f128 successor = uhi_f128_times(uhi_f128_plus(law->r, uhi_f128_of(x - 1, 0)), law->factor);
    return x ? uhi_f128_over(uhi_f128_times(v, uhi_f128_of(x, 0)), successor) : uhi_f128_of(0, 0);
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
    struct law law = {.up = negative_up, .down = negative_down, .factor = uhi_f128_one_less(p)};
    const double deviation = sqrt(r * (1 - p)) / p;
    law.r = uhi_f128_of_double(r);
    if (p < 1 && r >= 1) {
        if (is_too_wide(deviation))
            return fail_too_many(call, 18 * deviation);
        const struct uhi_f128 odds = uhi_f128_over(law.factor, uhi_f128_of_double(p));
        law.mode = (uint64_t)uhi_f128_integer(uhi_f128_times(uhi_f128_of_double(r - 1), odds), 0);
    } else if (p < 1) {
        const long double above = expm1l(-(long double)r * logl((long double)p));
        law.above = above < 0x1p-10L ? above : 0;
        law.series = 1 / p;
        if (negative_tail(r, p) > 0x1p-64)
            return fail_too_many(call, 44 / p);
    }
    return walk_from_mode(call, &law, list);
}

static struct uhi_f128 hypergeometric_up(const struct law *law, struct uhi_f128 v, uint64_t x) {
    return scale(v, (uhi_mass)(law->good - x) * (law->n - x), (uhi_mass)(x + 1) * (law->bad + x + 1 - law->n));
}

static struct uhi_f128 hypergeometric_down(const struct law *law, struct uhi_f128 v, uint64_t x) {
    return scale(v, (uhi_mass)x * (law->bad + x - law->n), (uhi_mass)(law->good - x + 1) * (law->n - x + 1));
}

uh_status uhi_masses_hypergeometric(const char *call, uint64_t good, uint64_t bad, uint64_t draws,
                                    struct uhi_mass_list *list) {
    struct law law = {.up = hypergeometric_up, .down = hypergeometric_down, .n = draws, .good = good, .bad = bad};
    const uint64_t all = good + bad;
    if (all > 1) {
        const double part = (double)good / (double)all, other = (double)bad / (double)all;
        const double left = (double)(all - draws) / (double)(all - 1);
        const double deviation = sqrt((double)draws * part * other * left);
        if (is_too_wide(deviation))
            return fail_too_many(call, 18 * deviation);
    }
    law.mode = (uint64_t)((uhi_mass)(draws + 1) * (good + 1) / (all + 2));
    return walk_from_mode(call, &law, list);
}

static struct uhi_f128 geometric_up(const struct law *law, struct uhi_f128 v, __attribute__((unused)) uint64_t x) {
    return uhi_f128_times(v, law->factor);
}

/* q^(2^squarings) */
static struct uhi_f128 power_of(struct uhi_f128 q, unsigned squarings) {
    for (unsigned i = 0; i < squarings; i++)
        q = uhi_f128_times(q, q);
    return q;
}

unsigned uhi_masses_geometric_digits(double p) {
    unsigned digits = 1;
    /* the values of the last digit from x on have ratio^x of the total mass */
    while (digits < UHI_SAMPLE_PARTS &&
           uhi_f128_integer(power_of(uhi_f128_one_less(p), digits * UHI_GEOMETRIC_BITS), -64))
        digits++;
    return digits;
}

uh_status uhi_masses_geometric(const char *call, double p, unsigned digit, int last, struct uhi_mass_list *list) {
    const size_t n = (size_t)1 << UHI_GEOMETRIC_BITS;
    struct law law = {.up = geometric_up, .down = poisson_down}; /* from 0, the mode, there is no way down */
    struct uhi_f128 v = uhi_f128_of(1, 0);
    law.factor = power_of(uhi_f128_one_less(p), digit * UHI_GEOMETRIC_BITS);
    if (last)
        return walk_from_mode(call, &law, list);
    uhi_mass *mass = malloc(n * sizeof *mass);
    if (!mass)
        return uhi_fail_memory(call, "no memory for %zu masses", n);
    for (size_t x = 0; x < n; x++) {
        mass[x] = uhi_f128_integer(v, -UHI_MASS_BITS);
        v = uhi_f128_times(v, law.factor);
    }
    *list = (struct uhi_mass_list){.masses = {get, list, n}, .up = {mass, n, n, 0}};
    return UH_SUCCESS;
}

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
