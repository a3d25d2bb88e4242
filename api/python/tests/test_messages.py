# SPDX-License-Identifier: Apache-2.0
"""Errors name Python's argument, its value and what was expected, and no function or argument of C."""
import re

import numpy as np
import pytest

import unihist
from unihist import Axis, Histogram, Sampler, rebin

X = [0.0, 1.0, 2.0]


def integrate(function=np.sum, lower=(0,), upper=(1,), **options):
    return unihist.integrate(function, lower, upper, **{"variant": "vegas_plus", **options})


INTEGERS = [  # an argument's name, and calls with it
    ("threads", lambda v: unihist.histogram(X, 3, threads=v), lambda v: Sampler([1], threads=v)),
    ("seed", lambda v: unihist.choice(3, 2, seed=v), lambda v: integrate(seed=v)),
    ("offset", lambda v: unihist.choice(3, 2, offset=v), lambda v: Sampler([1]).count(2, offset=v)),
    ("n", lambda v: Sampler([1]).count(v), lambda v: Sampler.zipf(1.5, v)),
    ("factor", lambda v: Histogram([0, 1])[::rebin(v)]), ("minlength", lambda v: unihist.bincount([1], None, v)),
    ("bins", lambda v: Axis.equal(v, 0, 1), lambda v: unihist.histogram(X, v),
     lambda v: unihist.histogram2d(X, X, v)),
    ("axis", lambda v: Histogram([0, 1]).flow(v)), ("axes", lambda v: Histogram([0, 1]).project(v)),
    ("iterations", lambda v: integrate(iterations=v)), ("values", lambda v: integrate(values=v)),
    ("size", lambda v: unihist.choice(3, v), lambda v: Sampler([1]).draw(v)), ("a", lambda v: unihist.choice(v)),
]


@pytest.mark.parametrize("row", INTEGERS, ids=lambda row: row[0])
@pytest.mark.parametrize("value", [-1, 2**70, 1.5, "two"])
def test_a_number_that_does_not_fit_is_named(row, value):
    name, *calls = row
    for call in calls:
        with pytest.raises((ValueError, TypeError)) as found:
            call(value)
        assert re.search(rf"\b{name}\b", str(found.value)) and "uh" not in str(found.value).replace("unihist", "")


H, MEAN = Histogram([0, 1], [0, 1]), Histogram([0, 1], storage="mean")
EDGES, TEXTS = np.array([0, 2, 1]), np.array(["a", "c"], object)
ROWS = [  # a call and what its ValueError, or another error, says
    (lambda: unihist.bincount([3, -1, 2]), "x[1] is -1, expected no negative value"),
    (lambda: unihist.bincount(np.append(np.zeros(1 << 19), -7).astype(">i4")), f"x[{1 << 19}] is -7, expected no"),
    (lambda: Histogram(Axis.growing()).fill([2, -1]), "coordinates[0][1] is -1, expected no negative value"),
    (lambda: unihist.searchsorted([2, 1], X), "decreases"),
    (lambda: unihist.searchsorted(X, X, "middle"), "side is 'middle', expected"),
    (lambda: unihist.searchsorted(X, X, sorter=np.zeros(3, bool)), "sorter is of bool", TypeError),
    (lambda: unihist.histogram(X, nan="zero"), "nan is 'zero', expected"),
    (lambda: unihist.histogram(np.ma.array(X, mask=[0, 1, 0]), 3), "nan='omit'"),
    (lambda: unihist.capture_log("loud"), "'loud', expected one of logging's"),
    (lambda: unihist.histogram([2.0**53] * 3), "Too many bins for data range"),
    (lambda: unihist.histogram(X, EDGES), "`bins` must increase monotonically"),
    (lambda: unihist.histogram(X, 3, weights=[1, 2]), "weights have shape (2,), expected the same shape as a, (3,)"),
    (lambda: unihist.histogramdd([X, X], 3, weights=[1, 2]), "weights have shape (2,), expected the same shape"),
    (lambda: unihist.histogram2d(X, X, 3, weights=1.0), "weights have shape (), expected the same shape as a, (3,)"),
    (lambda: unihist.histogramdd([X, X[:2]]), "as many in each"),
    (lambda: unihist.histogramdd(np.zeros((1, 1, 3))), "dimensions"),
    (lambda: unihist.histogramdd([X, X], 3, [None]), "one entry per dimension"),
    (lambda: unihist.histogram(X, ["a", "b"]), "bins has elements of type <U1, expected float16", TypeError),
    (lambda: unihist.histogram(X, 3, weights=["a"] * 3), "weights has elements of type <U1", TypeError),
    (lambda: unihist.histogram(X, 3, weights=[2**53 + 1, 2**63, -1]), "9007199254740993 is among numbers", OverflowError),
    (lambda: unihist.histogram([2**53 + 1, 0.5], 3), "9007199254740993 is among numbers", OverflowError),
    (lambda: unihist.histogram(X, range=5), "range is 5, expected two ends", TypeError),
    (lambda: unihist.histogram(X, range=(0, 1, 2)), "range is (0, 1, 2), expected two ends", TypeError),
    (lambda: unihist.histogram(X, "auto", ("a", "b")), "range is ('a', 'b'), expected two ends", TypeError),
    (lambda: unihist.histogramdd([X, X], 2, range=[(0, 1), 2]), "range[1] is 2, expected two ends", TypeError),
    (lambda: unihist.histogram2d(X, X, range=5), "range is 5, expected a pair of ends"),
    (lambda: unihist.histogram(X, device=["host"]), "device is ['host'], expected a selector", TypeError),
    (lambda: unihist.histogramdd([X, X], [0, 3]), "bins[0]` must be positive"),
    (lambda: unihist.histogramdd([X, X], [3.5, 2]), "bins[0]` must be an integer", TypeError),
    (lambda: unihist.histogramdd([X, X], [3, EDGES]), "bins[1]` must increase monotonically"),
    (lambda: unihist.histogramdd([X, X], [3, [[1]]]), "bins[1]` must be a scalar or 1d"),
    (lambda: unihist.histogramdd([X] * 9, 2), "the number of axes is 9, expected 1 to 8"),
    (lambda: unihist.histogramdd([X] * 8, 100), "cells together, expected at most 2147483648"),
    (lambda: unihist.histogram(X, threads=0), "threads is 0, expected at least 1"),
    (lambda: unihist.histogram(X, threads=5000), "threads is 5000, expected 1 to 4096"),
    (lambda: unihist.histogram(X, device=0), "device is 0, expected a selector", TypeError),
    (lambda: unihist.histogram(X, device="no->such uh_x"), 'device is "no->such uh_x", which matches no device'),
    (lambda: unihist.histogram(X, X, device="no->such"), 'device is "no->such", which matches no device'),
    (lambda: unihist.digitize(X, X, device="no->such"), 'device is "no->such", which matches no device'),
    (lambda: unihist.digitize(X, X, threads=5000), "threads is 5000, expected 1 to 4096"),
    (lambda: Histogram.load("/no->such/naxes.data"), "'/no->such/naxes.data'", OSError),
    (lambda: Histogram._of_kept(b"nonsense", None, None, None, {}), ""),
    (lambda: Axis([0, 1])[1], "", IndexError),
    (lambda: Axis([0, 1], closed="middle"), "closed is 'middle', expected one of"),
    (lambda: Axis([0, 1]).with_flow_bins("left"), "which is 'left', expected one of"),
    (lambda: Axis.equal(2, 3, 1), "low is 3 and high is 1, expected low < high"),
    (lambda: Axis.equal(2, "a", 1), "low is 'a', expected a number", TypeError),
    (lambda: Axis.integers(0, 2**63), "last is 9223372036854775808, expected -2**63 to 2**63 - 1"),
    (lambda: Axis.categories([3, 3]), "values[1] is 3, as values[0], expected each value once"),
    (lambda: Histogram([0, 1], sum="fast"), "sum is fast and storage is count, expected sum, weighted or mean"),
    (lambda: Histogram([0, 1], sum="quick"), "sum is 'quick', expected one of"),
    (lambda: Histogram([0, 1], method="MESH"), "method is 'MESH', expected one of"),
    (lambda: Histogram([0, 1], method="cdf"), "goes by the distribution that the axis carries"),
    (lambda: H + Histogram([0, 1], [0, 2]), "the histogram and the other differ on axis 1"),
    (lambda: H.fill(X), "1 arrays are given, expected 2"),
    (lambda: H.fill(X, X[:2]), "shapes [(2,), (3,)], expected one"),
    (lambda: H.fill(X, X, weight=X), "weight: the storage is 'count'"),
    (lambda: H.fill(X, X, sample=X), "sample: the storage is 'count'"),
    (lambda: MEAN.fill(X), "sample: the storage is 'mean'"),
    (lambda: MEAN.fill(X, weight=X, sample=X), "weight and sample are both given, expected one"),
    (lambda: H.flow(2), "axis is 2, expected 0 to 1"),
    (lambda: H.project(2), "axes has 2, expected 0 to 1 or names"),
    (lambda: H[{2: 0}], "axis is 2, expected one of 2, or a name", IndexError),
    (lambda: Histogram(Axis.categories(["a", "b"])) + Histogram(Axis.categories(TEXTS)), "and texts"),
    (lambda: Axis.categories(np.array(["a", 1], object)), "elements of type object, expected float16", TypeError),
    (lambda: H.__array__(copy=False), "nothing to share"),
    (lambda: Histogram([0, 1]).quantiles([2]), "probabilities[0] is 2, expected 0 to 1"),
    (lambda: Sampler([]), "weights has 0 elements, expected 1 to"),
    (lambda: Sampler([1, -1]), "weights[1] is -1, expected 0 or more"),
    (lambda: Sampler([0, 0]), "weights: all 2 are 0, expected one above 0"),
    (lambda: Sampler.poisson(-1), "mean is -1, expected"),
    (lambda: Sampler([1]).draw(2, dtype="f2"), "dtype is 'float16', expected one of"),
    (lambda: Sampler([1]).draw(2, dtype="f8"), "dtype is float64, expected uint32, uint64, int32 or int64"),
    (lambda: unihist.choice(["a", "b"], 1, [0.1, 0.9]), "replace is", TypeError),
    (lambda: unihist.choice(2, 1, p=[np.nan, 1]), "p[0] is NaN"),
    (lambda: unihist.choice(2, 1, p=[0.5, 0.5 + 1e-7]), "sum to 1"),
    (lambda: unihist.histogramdd([X], "day"), "bins[0]` is 'day', expected a number", TypeError),
    (lambda: unihist.choice(3, 1, False), "replace is False", NotImplementedError),
    (lambda: integrate(upper=[1, 1]), "lower is (0,) and upper [1, 1], expected a number per dimension in each"),
    (lambda: integrate(lower=0, upper=1), "lower is 0 and upper 1, expected a number per dimension in each"),
    (lambda: integrate(lower=[], upper=[]), "the length of lower is 0, expected 1 to 20"),
    (lambda: integrate(lower=[0, "b"], upper=[1, 2]), "lower[1] is 'b', expected a number", TypeError),
    (lambda: integrate(lower=[2]), "lower[0] is 2 and upper[0] is 1, expected less"),
    (lambda: integrate(values=1001), "values is 1001, expected 1 to 1000"),
    (lambda: integrate(iterations=0), "iterations is 0, expected more"),
    (lambda: integrate(relative_error=0), "relative_error, as absolute_error, is 0"),
    (lambda: integrate(lambda x: [x[0], x[0]]), "function returned shape (2, 256) for 256 points and values=1, "
     "expected (1, 256) or (256,) or ()"),
    (lambda: integrate(lambda x: np.ma.array(x[0], mask=True)), "function returns a masked array"),
    (lambda: integrate(lambda x: x[0].astype("g")), "function returns elements of type float128", TypeError),
    (lambda: integrate(lambda x: x[0], values=2), "shape (256,) for 256 points and values=2"),
    (lambda: integrate(lambda x: x[0] * np.nan), "function is nan at ("),
    (lambda: integrate(lambda x: 1j * x[0]), "elements of type complex128, expected real numbers", TypeError),
    *((lambda scale=scale: integrate(lambda x: np.array([scale * x[0], x[0]]), values=2, max_calls=1000),
       "scale the function", OverflowError) for scale in (1e160, 1e300, 1e-300)),
]


@pytest.mark.parametrize("row", range(len(ROWS)))
def test_an_error_is_in_words_of_python(row):
    call, message, kind = (*ROWS[row], ValueError)[:3]
    with pytest.raises(kind) as found:
        call()
    said = str(found.value)
    assert message in said and not re.search(r"\buh_(?!x)|UH_|->(?!such)|NULL|arrays\[", said)
