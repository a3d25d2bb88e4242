# SPDX-License-Identifier: Apache-2.0
"""The generating vector in kernels/common/sequence.c: how it is made, against its definition, and that the library has it.

The first 2^m points of the sequence are a lattice rule for each m. Each component minimises the product, for m from FIRST
to LAST, of the ratios of P_2, with weights 1/j^2, to the smallest one of any component for this m (R. Cools, F. Y. Kuo, D. Nuyens,
"Constructing embedded lattice rules for multivariate integration", SIAM J. Sci. Comput. 28, 2006). Odd numbers modulo 2^m
are +-5^e, so sums over points k / 2^m with odd k are correlations, by FFT (D. Nuyens, R. Cools, "Fast component-by-
component construction of rank-1 lattice rules with a non-prime number of points", J. Complexity 22, 2006)."""
import pathlib
import re
import unittest

import numpy as np

SOURCE = pathlib.Path(__file__).resolve().parent.parent / "kernels/common/sequence.c"
LAST, AXES, FIRST = 24, 20, 10


def kernel(x):
    """2 pi^2 B2(x)"""
    return 2 * np.pi**2 * (x * x - x + 1 / 6)


def powers(last):
    """5^e modulo 2^last, for all e below 2^(last - 2)"""
    found = np.ones(1, np.uint64)
    while len(found) < 1 << max(last - 2, 0):
        found = np.concatenate([found, found * np.uint64(pow(5, len(found), 1 << last)) % np.uint64(1 << last)])
    return found


def components(last, axes, first):
    """Yields the components: odd numbers below 2^(last - 1)."""
    generator = powers(last)
    # For each level m the points k / 2^m with odd k, k up to a sign: their kernel, and products so far.
    values = [kernel((generator[: 1 << max(m - 2, 0)] % (1 << m)) / 2.0**m) for m in range(last + 1)]
    products = [np.ones_like(v) for v in values]
    for axis in range(axes):
        weight = 1 / (axis + 1) ** 2
        total, ratios = np.zeros(1), np.zeros(1)
        for m in range(last + 1):
            n = len(values[m])
            both = np.fft.irfft(np.conj(np.fft.rfft(products[m])) * np.fft.rfft(values[m]), n) if n > 1 else (
                products[m] * values[m])
            points = (2 if m > 1 else 1) * (products[m].sum() + weight * both)
            total, ratios = np.resize(total, n) + points, np.resize(ratios, n)
            error = total / 2**m - 1
            if m >= first and axis > 0:
                ratios = ratios + np.log(error / error.min())
        best = int(ratios.argmin())
        for m in range(last + 1):
            products[m] *= 1 + weight * np.roll(values[m], -(best % len(values[m])))
        component = int(generator[best])
        yield min(component, (1 << last) - component)


def squared_error(vector, m):
    """P_2, the squared worst-case error, by its definition"""
    points = np.outer(np.arange(2**m), vector) % 2**m / 2**m
    return np.prod(1 + kernel(points) / np.arange(1, len(vector) + 1)**2, axis=1).mean() - 1


class Vector(unittest.TestCase):
    def test_each_component_has_the_smallest_ratios(self):
        made = []
        for component in components(8, 4, 4):
            errors = np.array([[squared_error([*made, z], m) for m in range(4, 9)] for z in range(1, 128, 2)])
            ratios = np.log(errors / errors.min(axis=0)).sum(axis=1)
            self.assertLessEqual(ratios[component // 2], ratios.min() + 1e-9)
            made.append(component)

    def test_the_library_has_it(self):
        text = re.search(r"component\[\] = \{([^}]*)", SOURCE.read_text(encoding="utf-8"))[1]
        self.assertEqual(list(components(LAST, AXES, FIRST)), [int(z) for z in text.split(",")])
