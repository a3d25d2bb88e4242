# SPDX-License-Identifier: Apache-2.0
"""unihist.bins: quantiles against NumPy's, and its functions against published results."""
import pickle

import numpy as np
import pytest

from unihist import bins
from unihist.bins import Bins

RANDOM = np.random.default_rng(5)
Q = np.array([[0.9, 0.1], [0, 1], [0.25, 0.5]])


@pytest.mark.parametrize("method", bins.METHODS)
def test_quantiles_are_numpys(method):
    for size in (1, 2, 7, 100, 1001):
        values = RANDOM.normal(size=size)
        if method == "closest_observation":  # NumPy before 2.2 rounds half-way places in another direction
            continue
        expected = np.quantile(values, Q, method=method)
        np.testing.assert_allclose(Bins().add(values[:3]).add(values[3:]).quantile(Q, method), expected, rtol=1e-14)


def test_weighted_quantiles_are_those_of_repeated_values():
    values, weights = RANDOM.normal(size=200), RANDOM.integers(0, 5, 200)
    expected = Bins().add(np.repeat(values, weights))
    for method in bins.METHODS:
        assert Bins().add(values, weights).quantile(Q, method).tolist() == expected.quantile(Q, method).tolist()
    assert Bins().add([1, 2, 3], [0.2, 0.7, 0.1]).quantile(0.5, "inverted_cdf") == 2


def test_a_second_pass_makes_quantiles_exact():
    values, few = RANDOM.normal(size=50_000), Bins(max_values=1024)
    few.add(values)
    assert few.values.joined > 0
    while few.refine(Q):
        few.add(values)
    assert few.quantile(Q).tolist() == np.quantile(values, Q).tolist()
    many = RANDOM.exponential(size=400_000)
    assert bins.quantile(many, Q).tolist() == np.quantile(many, Q).tolist()
    assert bins.quantile(many, 0.5, RANDOM.uniform(size=many.size)) == pytest.approx(np.median(many), rel=0.02)


def test_values_are_merged_and_pickled():
    values, weights = RANDOM.normal(size=999), RANDOM.uniform(size=999)
    whole = Bins((-2, 2)).add(values, weights)
    parts = [Bins((-2, 2)).add(values[at::3], weights[at::3]) for at in range(3)]
    joined = pickle.loads(pickle.dumps(parts[0])).merge(parts[1]).merge(parts[2])
    assert joined.values == whole.values
    assert joined.edges("knuth").tolist() == whole.edges("knuth").tolist()
    assert whole.values.n == np.count_nonzero(np.abs(values) <= 2) and whole.values.beyond == 999 - whole.values.n


def test_functions_have_astropys_results():
    """Edges that astropy's documentation and tests of bayesian_blocks give: its test_single_change_point and others."""
    times = np.concatenate([np.linspace(0, 10, 100), np.linspace(10.01, 12, 200)])
    found = bins.bayesian_blocks(times)
    assert len(found) == 3 and found[1] == pytest.approx(10, abs=0.1)
    counts = np.array([1, 1, 2, 1, 20, 22, 19, 1, 2])
    assert bins.bayesian_blocks(np.arange(9.0), counts).tolist() == [0, 3.5, 6.5, 8]
    assert bins.bayesian_blocks(np.repeat(np.arange(9.0), counts)).tolist() == [0, 3.5, 6.5, 8]
    steps = np.where(np.arange(60) < 25, 1.0, 3.0)
    assert bins.bayesian_blocks(np.arange(60), steps, 0.1).tolist() == [0, 24.5, 59]
    values = RANDOM.normal(size=2000)
    width, edges = bins.knuth_bin_width(values, return_bins=True)
    assert width == pytest.approx(edges[1] - edges[0]) and edges.tolist() == bins.calculate_bin_edges(values, "knuth").tolist()
    for name, rule in (("scott_bin_width", "scott"), ("freedman_bin_width", "fd")):
        assert getattr(bins, name)(values) == pytest.approx(np.diff(np.histogram_bin_edges(values, rule))[0])
    assert bins.calculate_bin_edges(values, 7, (0, 1)).tolist() == np.linspace(0, 1, 8).tolist()


def test_fits_and_their_test():
    values = RANDOM.normal(3, 2, 10_000)
    object_ = Bins().add(values)
    fit = object_.fit("normal")
    np.testing.assert_allclose(fit[1:], (values.mean(), values.std()), rtol=1e-12)
    edges = object_.edges("equal_probability", 20, distribution=fit)
    result = bins.chi_square(np.histogram(values, edges)[0], edges, fit, fitted=2)
    assert result.cells == 20 and result.freedom == 17 and 1e-4 < result.p < 1
    assert object_.bandwidth() == pytest.approx(2 * 10_000**-0.2, rel=0.4)


def test_an_outlier_makes_no_more_bins_than_values():
    values = np.append(np.arange(100.0), 1e300)
    with pytest.warns(RuntimeWarning, match="asks for 4.6.*298 bins and is limited to 101"):
        assert Bins().add(values).edges("fd").size == 102


@pytest.mark.parametrize("call,message", [
    (lambda: Bins((2, 1)), "range is 2 to 1, expected finite numbers that ascend"),
    (lambda: Bins().add([1, 2], [1]), "weights have shape"),
    (lambda: Bins().add([1, 2], [1, -1]), r"weights\[1\] is -1"),
    (lambda: Bins().quantile(0.5), "has no values"),
    (lambda: Bins().add([1]).quantile(1.5), "expected 0 to 1"),
    (lambda: Bins().add([1]).quantile(0.5, "middle"), "method is 'middle'"),
    (lambda: Bins().add([1]).edges("mean"), "rule is 'mean'"),
    (lambda: Bins().add([1]).edges("equal_probability", distribution=("gamma", 0, 1)), "distribution is 'gamma'"),
    (lambda: Bins().add([1]).fit("gamma"), "kind is 'gamma'"),
    (lambda: bins.mdlp([1, 2], [1]), "one class per value"),
    (lambda: bins.chi_square([1, 2], [0, 1], ("uniform", 0, 1)), "edges have shape"),
])
def test_wrong_arguments_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
