# SPDX-License-Identifier: Apache-2.0
"""Histograms over random axes of every kind, of every storage, their projections and other bins of them, compared with
NumPy's arithmetic of indices; and edges compared with NumPy's. Weights are small multiples of a power of two, so that
every order of additions gives the exact sums."""
from decimal import Decimal

import numpy as np
from strategies import NATIVE

from unihist import Axis, Histogram
from unihist._native import lib

SEED, CASES = 12, 300
FLOW = ["none", "below", "above", "both"]
BELOW, ABOVE = 1, 2
CLOSED = ["left", "right", "half-open left", "half-open right"]
STORAGES = ["count", "sum", "weighted", "mean", "u8", "u16"]
MAX = {"u8": 255, "u16": 65535}


def edges_of(axis):
    """With infinity beyond flow bins; of categories their values, then NaN for a flow bin and NaN at the end."""
    return np.array([*axis, *[np.nan] * (1 + (axis.flow_bins != "none"))]) if axis.traits.discrete else axis._all_edges()


class RandomAxis:
    """An axis of the library, and its edges as edges_of has them."""

    def __init__(self, random, closed, most):
        bins, low = int(random.integers(1, most + 1)), float(random.integers(-12, 12)) / 2
        high, self.closed = low + bins / 2, closed
        self.kind = random.choice(["edges", "equal", "log", "integer", "categories"])
        if self.kind == "edges":
            edges = np.sort(random.choice(np.arange(-20, 20), bins + 1, replace=True)) / 2
            edges[0], edges[-1] = random.choice([edges[0], -np.inf]), random.choice([edges[-1], np.inf])
            axis = Axis(edges.astype(random.choice(["f4", "f8"])), closed=closed)
        elif self.kind == "equal":
            axis, edges = Axis.equal(bins, low, high, closed=closed), np.linspace(low, high, bins + 1)
        elif self.kind == "log":
            axis = Axis.log(bins, 0.25, 8.0, closed=closed)
            edges = axis.edges
            np.testing.assert_allclose(edges, np.geomspace(0.25, 8, bins + 1), rtol=1e-13)
        elif self.kind == "categories":
            dtype = np.dtype(random.choice(["f4", "f8", "i1", "i8"]))
            edges = (random.choice(np.arange(-20, 20), bins, replace=False) / (1 + (dtype.kind == "f"))).astype(dtype)
            axis = Axis.categories(edges)
        else:
            first, self.closed = int(low), "half-open left"
            axis, edges = Axis.integers(first, first + bins - 1), np.arange(first, first + bins + 1.0)
        self.flow = int(random.integers(4)) if random.random() < 0.5 else 0
        self.flow &= ABOVE if self.kind == "categories" else ~0
        self.plain, self.bins = edges.astype("f8"), bins
        if self.kind == "categories":
            self.edges = np.concatenate([edges, [np.nan] * (1 + self.flow // ABOVE)])
        else:
            self.edges = np.concatenate([[-np.inf] * (self.flow & BELOW), edges, [np.inf] * (self.flow // ABOVE)])
        self.axis = axis.with_flow_bins(FLOW[self.flow]) if self.flow else axis

    def find(self, x):
        """The bin of each value, below 0 or past the last one for values in no bin."""
        if self.kind == "categories":
            return np.argmax(np.pad(x[:, None] == self.plain, ((0, 0), (0, 1)), constant_values=True), axis=1)
        right = self.closed.endswith("right")
        bins = np.digitize(x, self.plain, right) - 1
        bins[(x == self.plain[-1]) & (self.closed == "left")] = self.bins - 1
        bins[(x == self.plain[0]) & (self.closed == "right")] = 0
        return bins + (self.flow & BELOW)


class Made:
    """What a histogram must hold: how many points, the sum of weights and of their squares in each cell; and the edges
    and the flow bins of its axes."""

    def __init__(self, cells, edges, flows):
        self.cells, self.edges, self.flows = cells, edges, flows

    def project(self, axes):
        others = tuple(set(range(len(self.edges))) - set(axes))
        order = np.argsort(np.argsort(axes))
        self.cells = [np.transpose(cell.sum(axis=others), order) for cell in self.cells]
        self.edges, self.flows = [self.edges[a] for a in axes], [self.flows[a] for a in axes]

    def rebin(self, axis, edges, to):
        shape = list(self.cells[0].shape)
        shape[axis] = len(edges) - 1
        made = [np.zeros(shape) for _ in self.cells]
        for new, old in zip(made, self.cells):
            np.add.at(np.moveaxis(new, axis, 0), to[to >= 0], np.moveaxis(old, axis, 0)[to >= 0])
        self.cells, self.edges[axis], self.flows[axis] = made, edges, 0

    def random_change(self, random):
        """The name and the arguments of one of these that there can be."""
        if random.random() < 0.5:
            axis, edges = int(random.integers(len(self.edges))), np.arange(random.integers(2, 9), dtype=float)
            return "rebin", [axis, edges, random.integers(-1, len(edges) - 1, len(self.edges[axis]) - 1)]
        return "project", [random.permutation(len(self.edges))[:random.integers(1, len(self.edges) + 1)].tolist()]

    def kept_by(self, storage):
        """As Histogram.contents."""
        count, total, squares = self.cells
        if storage in ("sum", "weighted"):
            return (total, squares)[:1 + (storage == "weighted")]
        if storage != "mean":
            return (np.minimum(count, MAX.get(storage, np.inf)),)
        with np.errstate(invalid="ignore"):
            return count, total / count, np.where(count > 0, (squares * count - total * total) / count, 0)


class Case:
    def __init__(self, number):
        self.random = random = np.random.default_rng([SEED, number])
        self.storage = str(random.choice(STORAGES))
        naxes = int(random.choice([1, 2, 3, 5, 8]))
        self.axes = [RandomAxis(random, CLOSED[random.integers(4)], 12 if naxes < 4 else 3) for _ in range(naxes)]
        n = int(random.choice([0, 1, 10, 300, 3000]))
        self.points = [self.coordinates(n) for _ in self.axes]
        self.weights = None
        if self.storage in ("sum", "weighted", "mean") and (self.storage == "mean" or random.random() < 0.9):
            self.weights = random.integers(-16, 64, n).astype(random.choice(["f4", "f8", "i4", "i8"]))
            self.weights = self.weights / 8 if self.weights.dtype.kind == "f" else self.weights
        self.histogram = Histogram(*(axis.axis for axis in self.axes), storage=self.storage, device="host")
        self.histogram.fill(*self.points, **{"sample" if self.storage == "mean" else "weight": self.weights})
        self.made = Made(self.expected_cells(), [axis.edges for axis in self.axes], [axis.flow for axis in self.axes])

    def coordinates(self, n):
        """Values of any type and stride, many of them on edges, some of them infinite or NaN."""
        step = int(self.random.choice([1, 1, 3, -1]))
        x = self.random.integers(-48, 48, n * abs(step)) / 4
        dtype = np.dtype(str(self.random.choice(NATIVE)))
        if dtype.kind == "f":
            special = self.random.random(x.size) < 0.05
            x[special] = self.random.choice([np.inf, -np.inf, np.nan, 1e-40, -0.0, 3e38], special.sum())
        return (np.abs(x) if dtype.kind == "u" else x).astype(dtype)[::step]

    def expected_cells(self):
        columns = [x.astype("f8") for x in self.points]
        shape = [len(axis.edges) - 1 for axis in self.axes]
        bins = [axis.find(x) for axis, x in zip(self.axes, columns)]
        inside = np.all([(j >= 0) & (j < k) & ~np.isnan(x) for j, k, x in zip(bins, shape, columns)], axis=0)
        weights = np.ones(len(inside)) if self.weights is None else self.weights.astype("f8")
        cells = np.ravel_multi_index([j[inside] for j in bins], shape)
        return [np.bincount(cells, w[inside], np.prod(shape)).reshape(shape) for w in
                (np.ones(len(inside)), weights, weights ** 2)]


def assert_holds(histogram, made, storage, said):
    for got, expected in zip(histogram.contents(True), made.kept_by(storage)):
        np.testing.assert_array_equal(got, expected, said)


def test_cells_and_what_is_made_of_them_again_and_again_are_numpys():
    for number in range(CASES):
        case = Case(number)
        assert_holds(case.histogram, case.made, case.storage, f"case {number}")
        check_changes(case, [number])


def check_changes(case, changes):
    made, histogram = case.made, case.histogram
    for _ in range(case.random.integers(1, 4)):
        what, arguments = made.random_change(case.random)
        changes.append((what, *arguments))
        getattr(made, what)(*arguments)
        if what == "project":
            histogram = histogram.project(*arguments[0])
        else:
            axis, edges, to = arguments
            bins = Axis(edges)
            histogram = histogram._derived(histogram._counter.derived(
                lib.uh_histogram_rebin, axis, bins._handle, to.astype("u8").tolist()))
        assert_holds(histogram, made, case.storage, str(changes))
        for axis, edges, flow in zip(histogram.axes, made.edges, made.flows):
            np.testing.assert_array_equal(edges_of(axis), edges, err_msg=str(changes))
            assert axis.flow_bins == FLOW[flow]


# Of ranges that are hard for float64, and of any size.
HARD = [(0.1, 0.7, 7), (-1e300, 1e300, 3), (0, 1e-323, 4), (0, 5e-324, 4), (1 / 3, 142857.142857, 6),
        (-5, -4.9, 9), (1e16, 1e16 + 20, 9), (-0.3, 0.9, 1000000), (1, 1000, 3), (1e-300, 1e300, 6),
        (5e-324, 1.7e308, 5), (1e6, 1e6 + 2**-30, 4)]


def ranges():
    random = np.random.default_rng(SEED)
    sizes = 10.0 ** random.uniform(-300, 300, (200, 2)) * random.choice([-1, 1], (200, 2))
    return HARD + [(lo, hi, int(random.integers(1, 40))) for lo, hi in np.sort(sizes).tolist()]


def test_equal_bins_have_linspaces_edges_to_the_bit():
    for lo, hi, bins in ranges():
        np.testing.assert_array_equal(Axis.equal(bins, lo, hi).edges, np.linspace(lo, hi, bins + 1), f"{lo} {hi}")


def test_log_bins_have_geomspaces_edges_but_for_rounding():
    """numpy.geomspace computes 10^y: a rounding of y near 308 by 2^-45 changes the edge by 6.5e-14 of it."""
    for lo, hi, bins in ((abs(lo), abs(hi), bins) for lo, hi, bins in ranges() if 0 < abs(lo) < abs(hi)):
        found = Axis.log(bins, lo, hi).edges
        np.testing.assert_allclose(found, np.geomspace(lo, hi, bins + 1), rtol=4e-13, atol=0)
        low, high = Decimal(lo), Decimal(hi)
        for j in range(0, bins + 1, 1 + bins // 100):
            exact = low * (high / low) ** (Decimal(j) / bins)
            assert abs(Decimal(found[j]) - exact) <= exact * Decimal(4e-13)
        assert (found[0], found[-1]) == (lo, hi)
        assert (np.diff(found) >= 0).all()
