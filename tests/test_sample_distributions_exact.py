# SPDX-License-Identifier: Apache-2.0
"""Realised probabilities of samplers of distributions, through the shared library, compared with exact arithmetic:
integers of hundreds of bits, and 60 decimal digits. What is drawn is compared by test_sample_distributions; here that
of digits, of which there is no table to compare."""
import math
import random
import unittest
from decimal import Decimal, getcontext
from fractions import Fraction as F

from library import MASS, Sampler, np

WHOLE = 1 << 64
WITHIN = 4  # parts of 2^64: 2^-62
BITS = 400  # of the exact masses: the mode's is 2^BITS, and masses below 1 are left out

getcontext().prec = 90
getcontext().Emin, getcontext().Emax = -10**12, 10**12


def cumulative(sampler):
    """C[0] .. C[size], as integers."""
    values = sampler.cumulative().tolist() + [WHOLE]
    for j in range(1, sampler.size):  # where nothing is left C is 2^64, which is stored as 0
        if values[j] < values[j - 1]:
            values[j] = WHOLE
    return values


# ---- exact masses ----

def walk(mode, up, down, last=None):
    """The first outcome and the masses of it and those that follow, in proportion to the probabilities: up(x) and
    down(x) are the fractions p(x + 1) / p(x) and p(x - 1) / p(x), as numerator and denominator."""
    above, below = [1 << BITS], []
    x = mode
    while above[-1] and x != last:
        n, d = up(x)
        above.append(above[-1] * n // d)
        x += 1
    x, mass = mode, 1 << BITS
    while mass:
        n, d = down(x)
        mass = mass * n // d
        below.append(mass)
        x -= 1
    return mode - len(below), below[::-1] + above


def ratio(numerator, denominator):
    f = F(numerator) / F(denominator) if denominator else F(0)
    return f.numerator, f.denominator


def binomial(n, p):
    p = F(p)
    if p == 1:
        return n, [1]
    n1, d1 = ratio(p, 1 - p)
    return walk(math.floor((n + 1) * p), lambda x: ((n - x) * n1, (x + 1) * d1),
                lambda x: (x * d1, (n - x + 1) * n1 or 1), n)


def poisson(mean):
    mean = F(mean)
    n1, d1 = mean.numerator, mean.denominator
    return walk(math.floor(mean), lambda x: (n1, (x + 1) * d1), lambda x: (x * d1, n1 or 1))


def geometric(p):
    q = 1 - F(p)
    return walk(1, lambda x: (q.numerator, q.denominator), lambda x: (0, 1))


def negative_binomial(r, p):
    r, p = F(r), F(p)
    q = 1 - p
    rn, rd = r.numerator, r.denominator
    n1, d1 = q.numerator, q.denominator
    mode = max(0, math.floor((r - 1) * q / p))
    return walk(mode, lambda x: ((rn + x * rd) * n1, (x + 1) * rd * d1),
                lambda x: (x * rd * d1, (rn + (x - 1) * rd) * n1 or 1))


def hypergeometric(good, bad, draws):
    mode = (draws + 1) * (good + 1) // (good + bad + 2)
    return walk(mode, lambda x: ((good - x) * (draws - x), (x + 1) * (bad - draws + x + 1)),
                lambda x: (x * (bad - draws + x), (good - x + 1) * (draws - x + 1)), min(good, draws))


def zipf(s, n):
    s = Decimal(s)
    return 1, [int(Decimal(2) ** 200 * (-s * Decimal(i).ln()).exp()) for i in range(1, n + 1)]


EXACT = {"binomial": binomial, "poisson": poisson, "geometric": geometric, "zipf": zipf,
         "negative_binomial": negative_binomial, "hypergeometric": hypergeometric}


# ---- exact probabilities, one at a time, another way ----

def bernoulli_numbers(n):
    b = [F(0)] * (n + 1)
    for m in range(n + 1):
        a = [F(1, j + 1) for j in range(m + 1)]
        for j in range(m, 0, -1):
            for k in range(j):
                a[k] = (k + 1) * (a[k] - a[k + 1])
        b[m] = a[0]
    return b


STIRLING = [(lambda f: Decimal(f.numerator) / Decimal(f.denominator))(b / (2 * k * (2 * k - 1)))
            for k, b in enumerate(bernoulli_numbers(60)[0::2]) if k]
PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803482534211706798")


def log_gamma(x):
    """Stirling's series, from 200 on, where its terms fall below 10^-80."""
    x, product = Decimal(x), Decimal(1)
    while x < 200:
        product *= x
        x += 1
    total = (x - Decimal("0.5")) * x.ln() - x + (2 * PI).ln() / 2
    power = x
    for term in STIRLING:
        total += term / power
        power *= x * x
    return total - product.ln()


def log_choose(n, k):
    return log_gamma(n + 1) - log_gamma(k + 1) - log_gamma(n - k + 1)


def decimal(x):
    f = F(x)
    return Decimal(f.numerator) / Decimal(f.denominator)


PROBABILITY = {
    "binomial": lambda x, n, p: (log_choose(n, x) + x * decimal(p).ln() + (n - x) * decimal(1 - F(p)).ln()).exp(),
    "poisson": lambda x, mean: (x * decimal(mean).ln() - decimal(mean) - log_gamma(x + 1)).exp(),
    "negative_binomial": lambda x, r, p: (log_gamma(decimal(r) + x) - log_gamma(x + 1) - log_gamma(decimal(r))
                                          + decimal(r) * decimal(p).ln() + x * decimal(1 - F(p)).ln()).exp(),
    "hypergeometric": lambda x, good, bad, draws: (log_choose(good, x) + log_choose(bad, draws - x)
                                                   - log_choose(good + bad, draws)).exp(),
    "geometric": lambda x, p: decimal(p) * ((x - 1) * decimal(1 - F(p)).ln()).exp(),
}


SMALL = 2.0 ** -1074
NEAR = 1 - 2.0 ** -53
CASES = [
    ("binomial", 0, 0.5), ("binomial", 1, 0.3), ("binomial", 10, 0.5), ("binomial", 10, SMALL), ("binomial", 10, NEAR),
    ("binomial", 10, 0.0), ("binomial", 10, 1.0), ("binomial", 10, 1e-10), ("binomial", 40, 0.1),
    ("binomial", 1000, 0.999), ("binomial", 12345, 1 / 3), ("binomial", 10**6, 0.5), ("binomial", 10**9, 1e-9),
    ("binomial", 10**9, 0.7), ("binomial", 2**62, 2.0 ** -50), ("binomial", 2**62, NEAR),
    ("poisson", 0.0), ("poisson", SMALL), ("poisson", 1e-20), ("poisson", 1e-9), ("poisson", 0.5), ("poisson", 1.0),
    ("poisson", math.nextafter(1, 0)), ("poisson", 9.75), ("poisson", 1234.5678), ("poisson", 1e6),
    ("geometric", 1.0), ("geometric", NEAR), ("geometric", 0.9), ("geometric", 0.5), ("geometric", 0.01),
    ("geometric", 0.0007),
    ("negative_binomial", 1.0, 0.5), ("negative_binomial", 1.0, 1.0), ("negative_binomial", 3.7, 0.01),
    ("negative_binomial", 0.1, 0.05), ("negative_binomial", 0.001, 0.001), ("negative_binomial", 1e-15, 0.3),
    ("negative_binomial", SMALL, SMALL), ("negative_binomial", 1e6, 0.9),
    ("negative_binomial", 1e18, NEAR), ("negative_binomial", 1.5, NEAR), ("negative_binomial", 0.999999, 0.02),
    ("hypergeometric", 0, 5, 3), ("hypergeometric", 5, 0, 3), ("hypergeometric", 5, 6, 0), ("hypergeometric", 5, 6, 11),
    ("hypergeometric", 20, 10, 15), ("hypergeometric", 10**6, 10**6, 10**6), ("hypergeometric", 10, 10**9, 10**8),
    ("hypergeometric", 2**61, 2**61, 10000), ("hypergeometric", 123456, 7890, 100000),
    ("hypergeometric", 1, 2**62 - 1, 2**61),
    ("zipf", 0.0, 10), ("zipf", 1.0, 1000), ("zipf", 1.5, 777), ("zipf", 0.01, 100), ("zipf", 30.0, 50),
    ("zipf", 2.0, 1),
]


SMALL_CASES = [
    *[("binomial", n, p) for n in (0, 1, 2, 3, 4, 5, 7, 9, 11, 14, 17, 21, 26, 32)
      for p in (0.5, 0.25, 0.1, 0.9, 0.3, 1 - 2.0 ** -20, 2.0 ** -12)],
    *[("hypergeometric", good, bad, draws) for good in (0, 1, 3, 7, 15, 31, 63) for bad in (0, 1, 3, 7, 15, 31, 63)
      for draws in (0, 1, 2, 4, 7, 11, 17, 26, 40, 61, 92) if draws <= good + bad],
    *[("poisson", mean) for mean in (0.0, SMALL, 2.0 ** -70, 2.0 ** -33, 0.1, 1.0, 2.5, 7.25)],
    *[("negative_binomial", r, p) for r in (1.0, 2.0, 3.5, 0.5, 0.0078125, 2.0 ** -60, 2.0 ** -70)
      for p in (1.0, 0.875, 0.75)],
    *[("geometric", p) for p in (1.0, 0.875, 0.5, 0.375)],
    *[("zipf", float(s), 10) for s in range(8)],
]


class Distributions(unittest.TestCase):
    def each(self, check, cases=tuple(CASES)):
        for name, *parameters in cases:
            with self.subTest(name, parameters=parameters):
                check(name, parameters, Sampler(name, *parameters))

    def test_every_probability_and_every_sum_of_them_is_within_two_to_the_minus_62(self):
        def check(name, parameters, sampler):
            first, mass = EXACT[name](*parameters)
            total, skip = sum(mass), sampler.first - first
            self.assertGreaterEqual(skip, 0)
            self.assertLessEqual(sampler.last, first + len(mass) - 1)
            got = cumulative(sampler)
            self.assertEqual(got[0], 0)
            running = sum(mass[:skip])
            one = worst = 0  # the most of |C[j + 1] - C[j] - p 2^64| and of |C[j] - F 2^64|, times total
            for j in range(sampler.size):
                one = max(one, abs((got[j + 1] - got[j]) * total - (mass[skip + j] << 64)))
                worst = max(worst, abs(got[j] * total - (running << 64)))
                running += mass[skip + j]
            self.assertLessEqual(worst, WITHIN * total)
            # what is rounded down, and what is left out, 2^-63, where something is
            whole = sampler.size == len(mass)
            self.assertLessEqual(one * 64, (WITHIN * 64 if name == "zipf" else 66 if whole else 194) * total)

        self.each(check, CASES + SMALL_CASES)

    def test_what_is_left_out_at_either_end_weighs_less_than_two_to_the_minus_64(self):
        def check(name, parameters, sampler):
            first, mass = EXACT[name](*parameters)
            total, skip = sum(mass), sampler.first - first
            for out, edge in ((mass[:skip], mass[skip]),
                              (mass[skip + sampler.size:], mass[skip + sampler.size - 1])):
                self.assertLess(sum(out) << 64, total)
                if sampler.size > 1 and name != "zipf":  # and no more can be left out
                    self.assertGreater((sum(out) + edge) << 64, total * (1 - 1e-4))

        self.each(check, CASES + SMALL_CASES)

    def test_probabilities_are_those_of_the_mass_function_by_logarithms_of_gamma(self):
        state = random.Random(6)
        def check(name, parameters, sampler):
            if name not in PROBABILITY or sampler.size < 3:
                return
            got = cumulative(sampler)
            for j in {0, 1, sampler.size - 1} | {state.randrange(sampler.size) for _ in range(20)}:
                p = PROBABILITY[name](sampler.first + j, *parameters)
                self.assertLessEqual(abs(got[j + 1] - got[j] - p * WHOLE), WITHIN, (j, p))

        self.each(check)

    def test_a_mass_function_of_the_caller_keeps_its_proportions(self):
        for f, first, last in ((lambda x: x * x, -3, 5), (lambda x: 10.0 ** -x, -300, 300),
                               (lambda x: SMALL if x % 3 else 0, -50, 50), (lambda x: 1e308, -5, 10**4),
                               (lambda x: math.exp(-abs(x + 2**62) / 7), -2**62, -2**62 + 10)):
            sampler = Sampler("mass", MASS(lambda x, context: f(x)), first, last)
            self.assertEqual((sampler.first, sampler.last), (first, last))
            mass = [F(f(x)) for x in range(first, last + 1)]
            scale = F(2) ** 1100
            mass = [int(m * scale) for m in mass]
            total, got = sum(mass), cumulative(sampler)
            for j, m in enumerate(mass):
                self.assertLessEqual(abs((got[j + 1] - got[j]) * total - (m << 64)), WITHIN * total)

    def test_what_is_drawn_in_digits_has_the_mean_the_variance_and_the_cumulative_function_of_the_distribution(self):
        n = 200000
        for seed, p in enumerate((6e-4, 1e-5, 1.5258e-5, 1e-7, 1e-9, 1e-12, 1e-15, 2.0 ** -56)):
            with self.subTest(p=p):
                sampler = Sampler("geometric", p)
                mean, variance = 1 / F(p), (1 - F(p)) / F(p) ** 2
                fourth = variance * variance * (9 + F(p) ** 2 / (1 - F(p)))
                self.assertGreater(sampler.last, 44 / p)
                x = np.sort(sampler.draw(n, seed))
                self.assertTrue(sampler.first <= x[0] and x[-1] <= sampler.last)
                # within 6 standard deviations
                about = round(mean)
                d = (x - about).astype(float)  # differences are exact or within 2^-53
                self.assertLessEqual(abs(d.mean() - float(mean - about)), 6 * math.sqrt(variance / n))
                got = ((d - float(mean - about)) ** 2).mean()
                self.assertLessEqual(abs(got - float(variance)), 6 * math.sqrt((fourth - variance * variance) / n))
                # the cumulative function is followed within what Kolmogorov's test allows at 10^-9
                at = -np.expm1(x.astype(float) * math.log1p(-p))
                self.assertLess(np.abs(at - np.arange(1, n + 1) / n).max(), 3.3 / math.sqrt(n) + p)
