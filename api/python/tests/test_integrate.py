# SPDX-License-Identifier: Apache-2.0
"""Integrals of Python functions against their exact values."""
import math

import numpy as np
import pytest

import unihist
from unihist import integrate

PEAK = 2 * math.pi * 0.01**2


def peak(x):
    return np.exp(-((x[0] - 0.5) ** 2 + (x[1] - 0.5) ** 2) / (2 * 0.01**2))


@pytest.mark.parametrize("variant", ["auto", "mcubes", "mcubes1d", "vegas_plus"])
def test_a_peak_is_found(variant):
    found = integrate(peak, [0, 0], [1, 1], variant=variant, seed=1, max_calls=100_000)
    assert found.converged and found.error <= 1e-3 * PEAK and abs(found.value - PEAK) < 5 * found.error
    assert found.chi2_dof < 1.5 and found.calls <= found.iterations * 100_000 + 2048


def test_several_values_have_a_covariance():
    found = integrate(lambda x: [x[0], x[0] ** 2], [0, 0], [1, 3], values=2, seed=2, max_calls=50_000)
    assert found.value == pytest.approx([1.5, 1.0], rel=0.01) and found.covariance.shape == (2, 2)
    assert np.all(np.abs(found.value - [1.5, 1.0]) < 5 * found.error)
    assert found.error == pytest.approx(np.sqrt(found.covariance.diagonal()))
    assert integrate(lambda x: 2.0, [0], [1], max_calls=1000).value == pytest.approx(2)


def test_the_same_seed_gives_the_same_bits_with_any_threads():
    results = [integrate(peak, [0, 0], [1, 1], seed=3, threads=threads, iterations=4, max_calls=20_000)
               for threads in (1, 2, 4)]
    assert len({(r.value, r.error) for r in results}) == 1
    other = integrate(peak, [0, 0], [1, 1], seed=4, iterations=4, max_calls=20_000)
    assert other.value != results[0].value and other.iterations <= 4


@pytest.mark.parametrize("threads", [1, 2])
def test_the_function_may_call_the_package(threads):
    def share(x):
        assert unihist.histogram(x[0], [0, 1], threads=threads)[0].sum() == x.shape[1]
        return unihist.digitize(x[0], [0.5], threads=threads)

    assert integrate(share, [0], [1], threads=threads, max_calls=20_000).value == pytest.approx(0.5, rel=0.01)


def test_errors_end_it_early():
    strict = integrate(peak, [0, 0], [1, 1], relative_error=1e-9, iterations=3, max_calls=20_000)
    assert not strict.converged and strict.iterations == 3
    loose = integrate(peak, [0, 0], [1, 1], relative_error=0, absolute_error=1, max_calls=20_000)
    assert loose.converged and loose.error <= 1


def test_exceptions_of_the_function_are_raised():
    calls = []

    def function(x):
        calls.append(x.shape)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        integrate(function, [0] * 3, [1] * 3, threads=2)
    assert calls == [calls[0]] and calls[0][0] == 3 and 1 <= calls[0][1] <= 256
    with pytest.raises(ValueError, match="broadcast"):
        integrate(lambda x: np.zeros(3), [0], [1])


def test_invalid_arguments_are_named():
    for wrong, message in [
        (lambda: integrate(peak, [0], [1, 1]), "as many"), (lambda: integrate(peak, [1, 0], [0, 1]), "lower"),
        (lambda: integrate(peak, [0, 0], [1, 1], values=9), "values"), (lambda: integrate(peak, [], []), "dims"),
        (lambda: integrate(peak, [0, 0], [1, 1], variant="best"), "best"),
        (lambda: integrate(lambda x: x[0] / 0 * 0, [0], [1]), "not finite|NaN|nan"),
    ]:
        with np.errstate(all="ignore"), pytest.raises(ValueError, match=message):
            wrong()


def test_no_error_is_0_but_of_zeros_which_do_not_converge():
    found = unihist.integrate(lambda x: 0 * x[0], [0], [1], max_calls=10000)
    assert (found.value, found.error, found.converged) == (0, 0, False)
    found = unihist.integrate(lambda x: 1e-305 * (x[0] < 1 / 3), [0], [1], max_calls=10000)
    assert found.converged and 0 < found.error and abs(found.value - 1e-305 / 3) < 5 * found.error


def test_iterations_are_reported():
    reports = []
    found = integrate(lambda x: x[0], [0], [1], relative_error=1e-12, iterations=4, max_calls=1000,
                              progress=lambda *at: reports.append(at))
    assert reports == [(1, 4), (2, 4), (3, 4), (4, 4)] and found.iterations == 4

    def refuse(done, total):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        integrate(lambda x: x[0], [0], [1], progress=refuse)
