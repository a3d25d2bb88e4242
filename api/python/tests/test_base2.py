# SPDX-License-Identifier: Apache-2.0
"""Exponential histograms against logarithms of 60 digits, and in the forms of OpenTelemetry and Prometheus."""
import decimal
import functools
import json
import math
from collections import Counter

import numpy as np
import pytest

import unihist
from unihist import Base2

DIGITS = decimal.Context(60)
LN2 = DIGITS.ln(decimal.Decimal(2))
LARGEST = np.finfo(float).max
RANDOM = np.random.default_rng(11)


@functools.lru_cache(maxsize=None)
def bucket(x):
    """The bucket of a magnitude at scale 20: the exponent of a power of two, otherwise by its logarithm."""
    mantissa, exponent = math.frexp(x)
    if mantissa == 0.5:
        return ((exponent - 1) << 20) - 1
    return math.floor(DIGITS.multiply(DIGITS.divide(DIGITS.ln(decimal.Decimal(x)), LN2), 1 << 20))


def oracle(values, max_bins):
    """The scale, and the counts of negative and positive buckets, of finite values other than 0."""
    sides = [[bucket(abs(x)) for x in values if x * sign > 0] for sign in (-1, 1)]
    for scale in range(20, -11, -1):
        if all(max(side, default=0) - min(side, default=0) < max_bins for side in sides):
            return scale, [Counter(side) for side in sides]
        sides = [[i >> 1 for i in side] for side in sides]
    return None


def counts_of(buckets):
    return Counter({buckets.offset + i: n for i, n in enumerate(buckets.counts.tolist()) if n})


def assert_is(h, values, max_bins):
    finite = [x for x in values.tolist() if math.isfinite(x)]
    assert (h.scale, [counts_of(h.negative), counts_of(h.positive)]) == oracle(finite, max_bins)
    assert h.zero == finite.count(0)
    assert h.flow == (sum(values == -math.inf), sum(values == math.inf), sum(values != values))


def boundaries(scale, n):
    """Numbers next to ends of buckets: those of the type below and above the real number, and their neighbours."""
    some = [0, 1, -1, (1024 << scale if scale > 0 else 1024 >> -scale) - 1,
            *RANDOM.integers(-1074 * 2.0 ** scale, 1024 * 2.0 ** scale, n).tolist()]
    with decimal.localcontext(DIGITS):
        near = [float(decimal.Decimal(2) ** (decimal.Decimal(i) * decimal.Decimal(2) ** -scale)) for i in some]
    near = np.minimum(near, LARGEST)
    return np.concatenate([np.nextafter(near, to) for to in (0, LARGEST)] + [near])


@pytest.mark.parametrize("scale", range(-10, 21))
def test_ends_of_buckets_are_exact(scale):
    for x in boundaries(scale, 6).tolist():
        for value in (x, -x) if x else ():
            h = Base2(4, scale).fill([value])
            assert h.scale == scale
            assert [h.negative, h.positive][value > 0].offset == bucket(x) >> (20 - scale)


SETS = {
    "powers": 2.0 ** np.arange(-1074, 1024),
    "subnormal": np.array([5e-324, 1e-323, 2.2e-308, 1e-310]),
    "extremes": np.array([-LARGEST, 5e-324, LARGEST, -5e-324]),
    "one": np.full(9, 1.3),
    "near one": 1 + RANDOM.random(300) * 1e-5,
    "lognormal": RANDOM.lognormal(size=500),
    "normal": RANDOM.normal(size=500),
    "float32": RANDOM.normal(size=300).astype(np.float32),
    "integers": RANDOM.integers(-99, 99, 300),
    "bytes": RANDOM.integers(0, 255, 300).astype(np.uint8),
    "some of all": np.array([0, -0.0, math.inf, -math.inf, -math.inf, math.nan, 3, -7, 1e9, 1e-9]),
    "none": np.array([]),
    "zeros": np.zeros(3),
}


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("max_bins", [4, 160, 5000])
def test_scale_and_counts_depend_on_the_values_alone(name, max_bins):
    x = SETS[name]
    for values in x, RANDOM.permutation(x):
        whole, parts, sums = Base2(max_bins), Base2(max_bins), Base2(max_bins)
        assert_is(whole.fill(values), x, max_bins)
        for part in np.array_split(values, 7):
            parts.fill(part)
            sums += Base2(max_bins).fill(part)
        for other in parts, sums, Base2(max_bins) + whole:
            assert other.to_otlp() == whole.to_otlp()


@pytest.mark.parametrize("max_bins", [4, 20, 160])
@pytest.mark.parametrize("name", [name for name in SETS if name != "none"])
def test_quantiles_keep_their_bound(name, max_bins):
    h, known = Base2(max_bins).fill(SETS[name]), np.sort(SETS[name][SETS[name] == SETS[name]]).astype(float)
    q = np.linspace(0, 1, 101)
    found, expected = h.quantile(q), known[np.floor(q * (known.size - 1)).astype(int)]
    bound = math.tanh(math.log(2) / 2 * 2.0 ** -h.scale)  # (base - 1) / (base + 1)
    for estimate, x in zip(found.tolist(), expected.tolist()):
        assert estimate == x or abs(estimate - x) <= abs(x) * (bound * (1 + 1e-9) + 1e-15) + 5e-324


def test_zeros_have_a_threshold():
    h = Base2(zero_threshold=0.75).fill([0.75, -0.75, 0.5, 0, 0.7500001, 1, -0.9])
    assert (h.zero, h.negative.counts.sum(), h.positive.counts.sum()) == (4, 1, 2)
    assert h.quantile(0.5) == 0
    with pytest.raises(ValueError, match="zero_threshold is 0, expected 0.75"):
        h += Base2()


def test_otlp_and_prometheus_in_and_out():
    h = Base2(20).fill([1, 1.5, 2, 2, 2, 100, -8, 0])
    point = json.loads(json.dumps(h.to_otlp()))
    assert point == {"count": "8", "scale": 1, "zeroCount": "1", "zeroThreshold": 0,
                     "positive": {"offset": -1, "bucketCounts": ["1", "0", "4", *["0"] * 11, "1"]},
                     "negative": {"offset": 5, "bucketCounts": ["1"]}}
    assert Base2.from_otlp(point).to_otlp() == point
    sample = json.loads(json.dumps(h.to_prometheus()))
    assert sample == {"sampleCount": "8", "schema": 1, "zeroThreshold": 0, "zeroCount": "1",
                      "positiveSpan": [{"offset": 0, "length": 1}, {"offset": 1, "length": 1},
                                       {"offset": 11, "length": 1}], "positiveDelta": ["1", "3", "-3"],
                      "negativeSpan": [{"offset": 6, "length": 1}], "negativeDelta": ["1"]}
    assert Base2.from_prometheus(sample).to_otlp() == point
    fine, wide = Base2().fill([1.0, 1.01]), Base2(4).fill([1e-300, 1e300])
    assert fine.scale > 8 and fine.to_prometheus()["schema"] == 8
    with pytest.raises(ValueError, match="the scale is -9, expected at least -4"):
        wide.to_prometheus()
    with pytest.raises(ValueError, match="schema is -53, expected -4 to 8"):
        Base2.from_prometheus({"schema": -53})
    with pytest.raises(ValueError, match="the spans have 2 buckets, expected 1"):
        Base2.from_prometheus({"positiveSpan": [{"offset": 0, "length": 2}], "positiveDelta": ["1"]})


def test_its_histogram_has_the_same_counts():
    h = Base2(20).fill([*SETS["lognormal"], -3, 0, math.inf])
    of = h.histogram()
    assert of.total() == (502, 1) and of.flow() == (0, 1, 0)
    assert of.values()[-h.positive.counts.size:].tolist() == h.positive.counts.tolist()
    positive = Base2(20).fill(SETS["lognormal"]).histogram()
    assert positive.axes[0].edges[0] > 0 and unihist.Histogram(positive.axes[0]).fill(SETS["lognormal"]) == positive
