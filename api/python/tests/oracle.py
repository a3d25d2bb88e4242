# SPDX-License-Identifier: Apache-2.0
"""Right results by Python's numbers, which compares ints and floats as real numbers and adds fractions exactly."""
import bisect
import fractions
import math

import numpy as np


def numbers(a):
    """The elements as Python's numbers, dates as integers."""
    a = np.asarray(a)
    return (a.astype(np.int64) if a.dtype.kind in "mM" else a).ravel().tolist()


def bin_of(value, edges):
    """The bin between edges, closed at the left, the last one at both ends; None if the value is in no bin."""
    if value != value or not edges[0] <= value <= edges[-1]:
        return None
    if value == edges[-1]:
        return len(edges) - 2
    return bisect.bisect_right(edges, value) - 1


def places(columns, edges):
    """The cell of each point, in which None stands for no bin."""
    edges = [numbers(e) for e in edges]
    return [tuple(map(bin_of, point, edges)) for point in zip(*map(numbers, columns))]


def counts(values, edges):
    return [int(n) for n in sums(values, edges, np.ones(np.size(values), int))]


def sums(values, edges, weights):
    """Of finite weights, as fractions."""
    found = [fractions.Fraction(0)] * (len(edges) - 1)
    for (at,), weight in zip(places([values], [edges]), numbers(weights)):
        if at is not None:
            found[at] += fractions.Fraction(weight)
    return found


def rounded(sum_, dtype):
    """The nearest number of a floating-point type, ties to the even one; infinity beyond the largest."""
    if dtype == np.float64:
        try:
            return float(sum_)
        except OverflowError:
            return math.inf if sum_ > 0 else -math.inf
    low = np.dtype(dtype).type(float(sum_))  # perhaps rounded twice: right, or adjacent to the right one
    near = [low, np.nextafter(low, dtype(-np.inf)), np.nextafter(low, dtype(np.inf))]
    near = [x for x in near if np.isfinite(x)]
    bits = {4: np.uint32, 2: np.uint16}[low.itemsize]
    return min(near, key=lambda x: (abs(fractions.Fraction(float(x)) - sum_), int(x.view(bits)) & 1))
