# SPDX-License-Identifier: Apache-2.0
"""functions.py [--quick]: the speed of the package relative to NumPy, boost-histogram (if installed), the C call that
it makes, and dask.array (if installed, with two workers of one thread each). Compared calls take turns; a row has the
median of the rounds' ratios, with quartiles, and the package's time."""
import argparse
import statistics
import timeit

import numpy as np

import unihist
from unihist import Axis, bins
from unihist._arrays import c_arrays
from unihist._counter import Counter
from unihist._native import ffi, lib
from unihist._queue import queue_of

try:
    import boost_histogram as bh
except ImportError:
    bh = None
try:
    from astropy import stats as astropy
except ImportError:
    astropy = None
try:
    import dask.array as da
    import distributed

    import unihist.dask
except ImportError:
    da = None

ONE = {"device": "host", "threads": 1}
RANDOM = np.random.default_rng(1)


def row(name, ours, other, rounds, number=1):
    ours(), other()  # plans, caches
    pairs = [[timeit.timeit(call, number=number) / number for call in (ours, other)] for _ in range(rounds)]
    low, middle, high = statistics.quantiles([b / a for a, b in pairs], n=4)
    print(f"{name:58} {middle:7.2f}  ({low:.2f} to {high:.2f})  {min(a for a, _ in pairs) * 1e6:12.2f} us", flush=True)


def c_call(x, edges):
    """The call of C that counts values between edges."""
    counter, arrays = Counter.over(queue_of("host", 1), [Axis(edges)._handle]), c_arrays([x])
    return lambda: lib.uh_histogram_fill(counter.handle, arrays, ffi.NULL)


def large(n, rounds):
    """Histograms over 1000 bins."""
    edges = np.sort(RANDOM.random(1001))
    for dtype in ("float32", "float64"):
        x, e = RANDOM.random(n).astype(dtype), edges.astype(dtype)
        ours = lambda: unihist.histogram(x, e, **ONE)
        row(f"histogram, 1000 random bins, {dtype}: NumPy", ours, lambda: np.histogram(x, e), rounds)
        if bh:
            row(f"histogram, 1000 random bins, {dtype}: boost-histogram", ours, lambda: bh.numpy.histogram(x, e),
                max(rounds // 3, 2))
        row(f"histogram, 1000 random bins, {dtype}: the C call", ours, c_call(x, e), rounds * 3)
    row("histogram, 1000 equal bins, float64: NumPy", lambda: unihist.histogram(x, 1000, **ONE),
        lambda: np.histogram(x, 1000), rounds)


def small(rounds):
    """Calls on 100 values."""
    x, edges, edges1000 = RANDOM.random(100), np.linspace(0, 1, 11), np.sort(RANDOM.random(1001))
    x4 = x.astype("f4")
    for name, title, arguments in [
            ("histogram", "10 given bins", (x, edges)), ("histogram", "1000 given bins", (x, edges1000)),
            ("histogram", "10 bins", (x,)), ("histogram", "10 bins, range", (x, 10, (0, 1))),
            ("histogram", "float32, 10 bins", (x4,)), ("histogram", "float32, 10 bins, range", (x4, 10, (0, 1))),
            ("histogram2d", "10 x 10 given bins", (x, x, [edges, edges])), ("digitize", "10 bins", (x, edges)),
            ("searchsorted", "11 numbers", (edges, x)), ("bincount", "int64", ((x * 20).astype(np.int64),))]:
        row(f"{name}, n = 100, {title}: NumPy", lambda: getattr(unihist, name)(*arguments, **ONE),
            lambda: getattr(np, name)(*arguments), rounds * 3, 300)
    h = unihist.Histogram(edges, **ONE)
    if bh:
        b = bh.Histogram(bh.axis.Variable(edges))
        row("Histogram.fill, n = 100, 10 bins: boost-histogram", lambda: h.fill(x), lambda: b.fill(x), rounds * 3, 300)
    row("histogram, n = 100, 10 given bins: the C call", lambda: unihist.histogram(x, edges, **ONE), c_call(x, edges),
        rounds * 3, 300)


def others(n, rounds):
    """The same call of both, by name."""
    x, y, p = RANDOM.random(n), RANDOM.random(n), RANDOM.random(1000)
    edges = [np.sort(RANDOM.random(101)) for _ in range(2)]
    for name, title, arguments in [
            ("histogram2d", "100 x 100, float64", (x, y, 100, [[0, 1], [0, 1]])),
            ("histogram2d", "100 x 100 random bins, float64", (x, y, edges)),
            ("digitize", "100 random bins, float64", (x, edges[0])),
            ("histogram", "100 random bins, with weights", (x, edges[0], None, None, y))]:
        row(f"{name}, {title}: NumPy", lambda: getattr(unihist, name)(*arguments, **ONE),
            lambda: getattr(np, name)(*arguments), rounds)
    p /= p.sum()
    for name, choice in [("numpy.random", np.random.choice), ("Generator", np.random.default_rng(1).choice)]:
        row(f"choice, 1000 probabilities: {name}.choice", lambda: unihist.choice(1000, n, p=p, seed=1, **ONE),
            lambda: choice(1000, n, p=p), rounds)


def rules(n, rounds):
    """Bins that the data choose, and exact quantiles. astropy has a hundredth of the events of Bayesian blocks."""
    x, y, q = RANDOM.normal(size=n), RANDOM.normal(size=10 * n).astype("f4"), np.linspace(0, 1, 102)[1:-1]
    for rule, part in (("fd", x), ("auto", x), ("stone", x[:n // 100])):
        row(f"{len(part)} values, edges by {rule}: NumPy", lambda: unihist.histogram_bin_edges(part, rule, **ONE),
            lambda: np.histogram_bin_edges(part, rule), max(rounds // 3, 2))
    row(f"{len(y)} float32, 100 quantiles: NumPy", lambda: bins.quantile(y, q), lambda: np.quantile(y, q), 2)
    row(f"{len(y)} float32, 100 quantiles: reading twice", lambda: bins.quantile(y, q), lambda: (y.max(), y.max()), 2)
    if astropy:
        x = x[:n // 10]
        row(f"{len(x)} values, knuth: astropy", lambda: bins.knuth_bin_width(x), lambda: astropy.knuth_bin_width(x), 2)
        row(f"{len(x)} events, blocks: astropy, a hundredth", lambda: bins.bayesian_blocks(x),
            lambda: astropy.bayesian_blocks(x[:len(x) // 100]), 2)


def blocks(n, rounds):
    """Histograms of 8 blocks that the workers hold."""
    with distributed.LocalCluster(2, threads_per_worker=1, dashboard_address=None, memory_limit=0) as cluster, \
            distributed.Client(cluster):
        x = da.random.default_rng(1).random(8 * n, chunks=n).persist()
        distributed.wait(x)
        for name, bins, limits in [("1000 random bins", np.sort(RANDOM.random(1001)), None),
                                   ("10 equal bins", 10, (0, 1)), ("1000 equal bins", 1000, (0, 1))]:
            row(f"dask, 8 blocks of {n}, {name}: dask.array",
                lambda: unihist.dask.histogram(x, bins, limits)[0].compute(),
                lambda: da.histogram(x, bins, limits)[0].compute(), rounds)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few and small")
    quick = parser.parse_args().quick
    print(f"NumPy {np.__version__}, boost-histogram {bh.__version__ if bh else 'missing'}")
    small(2 if quick else 9)
    large(10**5 if quick else 10**7, 2 if quick else 9)
    others(10**5 if quick else 10**6, 2 if quick else 9)
    rules(10**5 if quick else 10**7, 2 if quick else 9)
    if da:
        blocks(10**4 if quick else 10**7, 2 if quick else 7)


if __name__ == "__main__":
    main()
