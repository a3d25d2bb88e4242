# SPDX-License-Identifier: Apache-2.0
"""Random numbers and samples: numbers of Philox4x64 are those of numpy.random.Philox; the realised probabilities of
samplers are compared with integers of hundreds of bits and with fractions (test_sample_table.c: by all methods alike).
Samples are predicted by cases_sample.c, test_sample.c and test_sample_distributions.c; here those of digits, which have
no table to compare."""
import math
from decimal import Decimal, getcontext
from fractions import Fraction as F

import numpy as np
import pytest
from strategies import NATIVE

from unihist import Sampler
from unihist._arrays import TYPES, out
from unihist._native import ffi, lib
from unihist._queue import queue_of
from unihist._status import check

WHOLE = 1 << 64
WITHIN = 4  # parts of 2^64: 2^-62
BITS = 400  # of the exact masses: the mode's is 2^BITS, and masses below 1 are left out

getcontext().prec = 90
getcontext().Emin, getcontext().Emax = -10**12, 10**12


# ---- words ----

KEYS = [(0, 0), (1, 2), (0x0123456789abcdef, 0xfedcba9876543210), (2**64 - 1, 2**64 - 1)]


def are_numpys(draw, dtype, seed, stream, block=0, n=10001):
    """NumPy counts on before it makes a block: its first one is number block + 1 of the stream."""
    numpy, found = np.random.Philox(key=np.array([seed, stream], np.uint64), counter=block), np.empty(n, dtype)
    offset = (block + 1) * 32 // found.itemsize
    of = ffi.new("uh_random_stream *", (lib.UH_PHILOX4X64_10, seed, stream, offset))
    queue_of("host", None).call(lib.uh_random, of, 0, TYPES[found.dtype], ffi.from_buffer(found), n)
    np.testing.assert_array_equal(found, draw(numpy, n))


def test_numbers_of_philox4x64_are_numpys():
    for seed, stream in KEYS:
        are_numpys(np.random.Philox.random_raw, "u8", seed, stream)
        for dtype in ("f8", "f4"):
            are_numpys(lambda of, n, dtype=dtype: np.random.Generator(of).random(n, dtype), dtype, seed, stream)
    for block in (2**32 - 2, 2**40 + 7, 2**61):  # far on in the stream
        are_numpys(np.random.Philox.random_raw, "u8", 5, 6, block, 1001)


# ---- samplers of weights ----

def whole_numbers(weights):
    """Integers in the proportions of the weights, exactly."""
    ratios = [x.as_integer_ratio() for x in weights.tolist()]
    common = max(low for _, low in ratios) # powers of two
    return [high * (common // low) for high, low in ratios]


def cumulative(sampler, alone=0):
    """C[0] .. C[size], as integers: after the last outcome that has a mass, or the one that has all, 2^64 is stored as
    0."""
    values = np.empty(sampler._properties().size, "u8")
    check(lib.uh_sampler_cumulative(sampler._handle, out("uint64_t", values), ffi.new("size_t *")))
    last = max(np.flatnonzero(values), default=alone)
    return values[:last + 1].tolist() + [WHOLE] * (len(values) - last)


def masses_of(sampler, weights):
    """How many of 2^64 parts each outcome has."""
    bounds = cumulative(sampler, np.argmax(weights))
    return [high - low for low, high in zip(bounds, bounds[1:])]


def hostile_weights():
    random = np.random.default_rng(1)
    yield "one", np.array([3.5], "f4")
    yield "two", np.array([1, 3], "f4")
    yield "thirds", np.array([1, 1, 1], "u1")
    for dtype in map(np.dtype, NATIVE):
        kind = np.iinfo(dtype) if dtype.kind in "iu" else None
        weights = (random.integers(0, kind.max, 1000, dtype, endpoint=True) if kind
                   else random.random(1000).astype(dtype))
        yield f"random {dtype}", weights
        holes = weights.copy()
        holes[:200] = holes[-200:] = holes[300:900:3] = 0
        yield f"zeros {dtype}", holes
        alone = np.zeros(50, dtype)
        alone[20] = 7
        yield f"one that is not 0, {dtype}", alone
    yield "a million", random.random(1000000).astype("f4")
    yield "a million of 60 decades", 10.0 ** random.uniform(-30, 30, 1000000)
    yield "60 decades", 10.0 ** random.uniform(-30, 30, 1000)
    yield "600 decades", 10.0 ** random.uniform(-300, 300, 1000)
    yield "all decades of float32", (10.0 ** random.uniform(-44, 38, 1000)).astype("f4")
    yield "equal", np.full(1025, 0.1)
    yield "steep", np.arange(1.0, 1025) ** -3
    yield "nearly all last", np.append(random.random(1023) * 2.0 ** -40, 1)
    yield "one denormal alone", np.append(np.zeros(999), 2.0 ** -1074)
    yield "halves", 2.0 ** -np.arange(1074)
    yield "halves backwards", 2.0 ** -np.arange(1073, -1, -1)
    for dtype in ("f4", "f8"):
        tiny, huge = np.finfo(dtype).smallest_subnormal, np.finfo(dtype).max
        yield f"one huge among small ones, {dtype}", np.array([1] * 500 + [huge] + [1] * 500, dtype)
        yield f"one huge first, {dtype}", np.array([huge] + [tiny] * 500, dtype)
        yield f"denormals, {dtype}", (np.arange(1000) * tiny).astype(dtype)
        yield f"denormals and one normal, {dtype}", np.array([tiny] * 999 + [np.finfo(dtype).tiny * 1e5], dtype)
        yield f"a sum that overflows, {dtype}", np.full(1000, huge, dtype)
        yield f"smallest, largest, {dtype}", np.array([tiny, huge], dtype)
    yield "near 2^64", np.uint64(2**64 - 1) - random.integers(0, 5, 1000).astype("u8")
    yield "near 2^64 and few", np.array([j % 5 if j % 3 else 2**64 - 1 - j for j in range(1000)], "u8")
    yield "2^64 - 1 and 1", np.array([1, 2**64 - 1, 0, 1], "u8")
    yield "a sum of 2^64", np.array([1, 2**63, 2**63 - 2, 1], "u8")


@pytest.mark.parametrize("weights", [pytest.param(weights, id=name) for name, weights in hostile_weights()])
def test_each_probability_is_within_2_to_the_minus_62_of_the_exact_fraction(weights):
    exact = whole_numbers(weights)
    total = sum(exact)
    masses = masses_of(Sampler(weights, device="host"), weights)
    assert sum(masses) == 2**64
    for mass, weight in zip(masses, exact):
        # |mass / 2^64 - weight / total| <= 2^-62
        assert abs(mass * total - (weight << 64)) <= 4 * total and mass >= 0 and (weight or not mass)


def test_a_sum_that_is_a_power_of_two_gives_the_very_weights():
    random = np.random.default_rng(2)
    parts = np.sort(random.integers(0, 2**64, 999, "u8"))
    weights = np.diff(np.concatenate([[np.uint64(0)], parts, [np.uint64(2**64 - 1)]])).astype("u8")
    weights[-1] += np.uint64(1)
    assert masses_of(Sampler(weights, device="host"), weights) == weights.tolist()


# ---- samplers of distributions: exact masses ----

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


def binomial(n, p):
    p = F(p)
    if p == 1:
        return n, [1]
    odds = p / (1 - p)
    n1, d1 = odds.numerator, odds.denominator
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
    # small ones
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


def test_each_probability_and_sum_is_within_two_to_the_minus_62_and_less_than_two_to_the_minus_64_is_left_out():
    for name, *parameters in CASES:
        first, mass = EXACT[name](*parameters)
        sampler = getattr(Sampler, name)(*parameters, device="host")
        size, said = sampler.last - sampler.first + 1, (name, parameters)
        total, skip = sum(mass), sampler.first - first
        assert skip >= 0 and sampler.last <= first + len(mass) - 1, said
        got = cumulative(sampler)
        assert got[0] == 0, said
        running = sum(mass[:skip])
        one = worst = 0  # the most of |C[j + 1] - C[j] - p 2^64| and of |C[j] - F 2^64|, times total
        for j in range(size):
            one = max(one, abs((got[j + 1] - got[j]) * total - (mass[skip + j] << 64)))
            worst = max(worst, abs(got[j] * total - (running << 64)))
            running += mass[skip + j]
        assert worst <= WITHIN * total, said
        # what is rounded down, and what is left out, 2^-63, where something is
        whole = size == len(mass)
        assert one * 64 <= (WITHIN * 64 if name == "zipf" else 66 if whole else 194) * total, said
        for left, edge in ((mass[:skip], mass[skip]), (mass[skip + size:], mass[skip + size - 1])):
            assert sum(left) << 64 < total, said
            if size > 1 and name != "zipf":  # and no more can be left out
                assert (sum(left) + edge) << 64 > total * (1 - 1e-4), said


def test_a_mass_function_of_the_caller_keeps_its_proportions():
    for f, first, last in ((lambda x: x * x, -3, 5), (lambda x: 10.0 ** -x, -300, 300),
                           (lambda x: SMALL if x % 3 else 0, -50, 50), (lambda x: 1e308, -5, 10**4),
                           (lambda x: math.exp(-abs(x + 2**62) / 7), -2**62, -2**62 + 10)):
        mass = ffi.callback("double(int64_t, void *)", lambda x, context, f=f: f(x))
        sampler = Sampler._of(lib.UH_DISCRETE_MASS, {"device": "host"}, mass=mass, first=first, last=last)
        assert (sampler.first, sampler.last) == (first, last)
        masses = [int(F(f(x)) * F(2) ** 1100) for x in range(first, last + 1)]
        total, got = sum(masses), cumulative(sampler)
        for j, m in enumerate(masses):
            assert abs((got[j + 1] - got[j]) * total - (m << 64)) <= WITHIN * total


@pytest.mark.parametrize("p", [6e-4, 1e-5, 1.5258e-5, 1e-7, 1e-9, 1e-12, 1e-15, 2.0 ** -56])
def test_what_is_drawn_in_digits_has_the_mean_the_variance_and_the_cumulative_function_of_the_distribution(p):
    n, sampler = 200000, Sampler.geometric(p, device="host")
    mean, variance = 1 / F(p), (1 - F(p)) / F(p) ** 2
    fourth = variance * variance * (9 + F(p) ** 2 / (1 - F(p)))
    assert sampler.last > 44 / p
    x = np.sort(sampler.draw(n, seed=0))
    assert sampler.first <= x[0] and x[-1] <= sampler.last
    # within 6 standard deviations
    about = round(mean)
    d = (x - about).astype(float)  # differences are exact or within 2^-53
    assert abs(d.mean() - float(mean - about)) <= 6 * math.sqrt(variance / n)
    got = ((d - float(mean - about)) ** 2).mean()
    assert abs(got - float(variance)) <= 6 * math.sqrt((fourth - variance * variance) / n)
    # the cumulative function is followed within what Kolmogorov's test allows at 10^-9
    at = -np.expm1(x.astype(float) * math.log1p(-p))
    assert np.abs(at - np.arange(1, n + 1) / n).max() < 3.3 / math.sqrt(n) + p
