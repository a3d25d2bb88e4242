# SPDX-License-Identifier: Apache-2.0
"""functions.py [--quick]: how fast the package is beside NumPy, boost-histogram (where it is there) and the C call that
it makes, one thread. What is compared takes turns; a row tells the median of the rounds' ratios, with quartiles, and
ours in microseconds."""
import argparse
import statistics
import timeit

import numpy as np

import unihist
from unihist._arrays import argument
from unihist._native import ffi, lib
from unihist._queue import queue_of

try:
    import boost_histogram as bh
except ImportError:
    bh = None

ONE = {"device": "host", "threads": 1}
RANDOM = np.random.default_rng(1)


def times(call, number):
    return timeit.timeit(call, number=number) / number


def row(name, ours, other, rounds, number=1):
    ours(), other()  # plans, caches
    pairs = [(times(ours, number), times(other, number)) for _ in range(rounds)]
    ratios = sorted(b / a for a, b in pairs)
    low, middle, high = statistics.quantiles(ratios, n=4)
    print(f"{name:58} {middle:7.2f}  ({low:.2f} to {high:.2f})  {min(a for a, _ in pairs) * 1e6:12.2f} us", flush=True)


def large(n, rounds):
    """Histograms over 1000 random bins."""
    edges = np.sort(RANDOM.random(1001))
    counts = np.empty(1000, np.int64)
    for dtype in ("float32", "float64"):
        x, e = RANDOM.random(n).astype(dtype), edges.astype(dtype)
        ours = lambda: unihist.histogram(x, e, **ONE)
        queue, values, bins = queue_of("host", 1).handle, argument(x), argument(e)
        c_call = lambda: lib.uhpy_count_edges(queue, *values, bins[0], bins[1], e.size, ffi.from_buffer(counts))
        row(f"histogram, 1000 random bins, {dtype}: NumPy", ours, lambda: np.histogram(x, e), rounds)
        if bh:
            theirs = lambda: bh.numpy.histogram(x, e)
            row(f"histogram, 1000 random bins, {dtype}: boost-histogram", ours, theirs, max(rounds // 3, 2))
        row(f"histogram, 1000 random bins, {dtype}: the C call", ours, c_call, rounds * 3)
    x = RANDOM.random(n)
    row("histogram, 1000 equal bins, float64: NumPy", lambda: unihist.histogram(x, 1000, **ONE),
        lambda: np.histogram(x, 1000), rounds)


def small(rounds):
    """Calls on 100 values."""
    x, edges = RANDOM.random(100), np.linspace(0, 1, 11)
    x4, edges1000 = x.astype("f4"), np.sort(RANDOM.random(1001))
    counts = np.empty(10, np.int64)
    queue, values, bins = queue_of("host", 1).handle, argument(x), argument(edges)
    for name, arguments in [("10 given bins", (x, edges)), ("1000 given bins", (x, edges1000)), ("10 bins", (x,)),
                            ("10 bins, range", (x, 10, (0, 1))), ("float32, 10 bins", (x4,)),
                            ("float32, 10 bins, range", (x4, 10, (0, 1)))]:
        row(f"histogram, n = 100, {name}: NumPy", lambda: unihist.histogram(*arguments, **ONE),
            lambda: np.histogram(*arguments), rounds * 3, 300)
    row("histogram, n = 100, 10 given bins: the C call", lambda: unihist.histogram(x, edges, **ONE),
        lambda: lib.uhpy_count_edges(queue, *values, bins[0], bins[1], 11, ffi.from_buffer(counts)), rounds * 3, 300)


def others(n, rounds):
    x, y = RANDOM.random(n), RANDOM.random(n)
    limits = [[0, 1], [0, 1]]
    row("histogram2d, 100 x 100, float64: NumPy", lambda: unihist.histogram2d(x, y, 100, limits, **ONE),
        lambda: np.histogram2d(x, y, 100, limits), rounds)
    edges = [np.sort(RANDOM.random(101)) for _ in range(2)]
    row("histogram2d, 100 x 100 random bins, float64: NumPy", lambda: unihist.histogram2d(x, y, edges, **ONE),
        lambda: np.histogram2d(x, y, edges), rounds)
    p = RANDOM.random(1000)
    p /= p.sum()
    generator = np.random.default_rng(1)
    row("choice, 1000 probabilities: numpy.random.choice", lambda: unihist.choice(1000, n, p=p, seed=1, **ONE),
        lambda: np.random.choice(1000, n, p=p), rounds)
    row("choice, 1000 probabilities: Generator.choice", lambda: unihist.choice(1000, n, p=p, seed=1, **ONE),
        lambda: generator.choice(1000, n, p=p), rounds)
    integers = RANDOM.integers(0, 1000, n)
    row("bincount, 1000 integers, int64: NumPy", lambda: unihist.bincount(integers, **ONE),
        lambda: np.bincount(integers), rounds)
    row("digitize, 100 random bins, float64: NumPy", lambda: unihist.digitize(x, edges[0], **ONE),
        lambda: np.digitize(x, edges[0]), rounds)
    row("histogram with weights, 100 random bins: NumPy", lambda: unihist.histogram(x, edges[0], weights=y, **ONE),
        lambda: np.histogram(x, edges[0], weights=y), rounds)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few and small")
    quick = parser.parse_args().quick
    version = bh.__version__ if bh else "is not there"
    print(f"NumPy {np.__version__}, boost-histogram {version}; times as fast as the other")
    small(2 if quick else 9)
    large(10**5 if quick else 10**7, 2 if quick else 9)
    others(10**5 if quick else 10**6, 2 if quick else 9)


if __name__ == "__main__":
    main()
