# SPDX-License-Identifier: Apache-2.0
"""Quantiles and moments that are estimated from bins, compared with exact arithmetic."""
import math
from fractions import Fraction

import numpy as np

from unihist import Histogram


def exact_quantile(edges, masses, p):
    """The smallest x up to which there is a part p, of what lies evenly in each bin, as a fraction."""
    spans = [(Fraction(lo), Fraction(hi), Fraction(v)) for lo, hi, v in zip(edges, edges[1:], masses) if v]
    wanted, before = Fraction(p) * sum(v for _, _, v in spans), Fraction(0)
    for lo, hi, v in spans:
        if before + v >= wanted:
            return lo + (hi - lo) * (wanted - before) / v
        before += v
    raise AssertionError("more is wanted than there is")


def exact_moments(edges, masses):
    """Of masses in the middles of their bins: total, mean, variance, deviation, skewness and kurtosis, roots taken at the end."""
    points = [((Fraction(lo) + Fraction(hi)) / 2, Fraction(v)) for lo, hi, v in zip(edges, edges[1:], masses)]
    total = sum(v for _, v in points)
    mean = sum(x * v for x, v in points) / total
    two, three, four = (sum(v * (x - mean) ** k for x, v in points) / total for k in (2, 3, 4))
    return float(total), float(mean), float(two), math.sqrt(two), float(three) / float(two) ** 1.5, float(four / two ** 2) - 3


def filled(edges, x):
    return Histogram(edges, device="host").fill(x)


def test_quantiles_of_a_few_bins_are_those_worked_out_by_hand():
    edges = [0.0, 1, 3, 4, 8]
    some = filled(edges, [0.5, 1, 2, 2.5, 4, 5, 6, 8])  # 1, 3, 0 and 4 of 8
    np.testing.assert_array_equal(some.quantiles([0, 0.125, 0.25, 0.5, 0.75, 1]), [0, 1, 5 / 3, 3, 6, 8])
    late = filled(edges, [1, 2])  # nothing in the first bin, nor after the second one
    np.testing.assert_array_equal(late.quantiles([0, 0.5, 1]), [1, 2, 3])
    assert np.isnan(filled(edges, []).quantiles([0, 0.5, 1])).all()
    assert some.quantiles([]).size == 0


def test_what_lies_in_a_bin_without_an_end_lies_at_its_edge():
    inf = math.inf
    ends = filled([-inf, 0, 2, inf], [-5.0, -6, 1, 1, 1, 1, 3, 4])  # 2, 4 and 2
    np.testing.assert_array_equal(ends.quantiles([0, 0.25, 0.5, 0.75, 1]), [0, 0, 1, 2, 2])
    np.testing.assert_array_equal(ends.moments(), [8, 1, 0.5, math.sqrt(0.5), 0, -1])
    line = filled([-inf, inf], [1.0])
    assert np.isnan(line.quantiles([0.5])).all()
    np.testing.assert_array_equal(line.moments(), [1] + [math.nan] * 5)


def test_moments_that_there_are_not_are_nan():
    edges = [0.1, 0.3, 7]
    np.testing.assert_array_equal(filled(edges, [0.4] * 3).moments(),
                                  [3, float((Fraction(0.3) + 7) / 2), 0, 0, math.nan, math.nan])
    np.testing.assert_array_equal(filled(edges, [-1.0]).moments(), [0] + [math.nan] * 5)


def test_a_deviation_is_right_where_the_variance_is_no_double():
    for scale in (1e-300, 1e300):
        of = filled(np.array([0, 1, 2]) * scale, [0.5 * scale, 1.5 * scale]).moments()
        assert (of.mean, of.deviation) == (scale, 0.5 * scale)


def test_quantiles_and_moments_are_those_of_fractions():
    random = np.random.default_rng(8)
    for bins in (1, 2, 5, 60, 3000):
        edges = np.sort(np.concatenate([[-300, 300], random.normal(3, 100, bins - 1)]))
        x = random.normal(3, 80, 4 * bins + 7)
        weights = random.random(len(x)) * 10.0 ** random.integers(-3, 3, len(x))
        for storage, given in (("count", {}), ("sum", {"weight": weights}), ("mean", {"sample": weights}),
                               ("weighted", {"weight": weights})):
            histogram = Histogram(edges, storage=storage, device="host").fill(x, **given)
            masses = [Fraction(v) for v in histogram.contents()[0].tolist()]
            probabilities = np.concatenate([[0, 1], random.random(20)])
            for p, got in zip(probabilities, histogram.quantiles(probabilities)):
                expected = exact_quantile(edges, masses, p)
                assert abs(Fraction(got) - expected) <= abs(expected) / 10 ** 13 + Fraction(1, 10 ** 11)
            if bins > 2:
                np.testing.assert_allclose(histogram.moments(), exact_moments(edges, masses), rtol=1e-13, atol=1e-13)


def test_moments_of_several_axes_are_those_of_each_alone():
    random = np.random.default_rng(9)
    edges = [[-2, -1, 0.5, 1, 3], [-3.0, -0.25, 2], np.linspace(-3, 3, 8)]
    columns = random.normal(0, 1, (3, 3000))
    for storage, weights in (("count", None), ("sum", random.integers(-2, 9, 3000).astype("f8"))):
        histogram = Histogram(*edges, storage=storage, device="host").fill(*columns, weight=weights)
        for axis in range(3):
            marginal = histogram.contents()[0].sum(axis=tuple(a for a in range(3) if a != axis))
            np.testing.assert_allclose(histogram.moments(axis), exact_moments(edges[axis], marginal.tolist()), rtol=1e-13)
