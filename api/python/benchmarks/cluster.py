# SPDX-License-Identifier: Apache-2.0
"""cluster.py [--quick]: how fast unihist.dask is beside dask.array, on two workers of one thread each that hold the
data, 8 pieces of float64. What is compared takes turns; a row tells the median of the rounds' ratios, with quartiles,
and ours in milliseconds."""
import argparse
import statistics
import time

import dask.array as da
import distributed
import numpy as np

import unihist.dask

RANDOM = np.random.default_rng(1)


def seconds(lazy):
    start = time.perf_counter()
    lazy.compute()
    return time.perf_counter() - start


def row(name, ours, other, rounds):
    """Of two functions that make what is computed."""
    assert np.array_equal(ours().compute(), other().compute())
    pairs = [(seconds(ours()), seconds(other())) for _ in range(rounds)]
    low, middle, high = statistics.quantiles([b / a for a, b in pairs], n=4)
    print(f"{name:58} {middle:7.2f}  ({low:.2f} to {high:.2f})  {min(a for a, _ in pairs) * 1e3:12.2f} ms", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few and small")
    quick = parser.parse_args().quick
    n, rounds = (10_000, 2) if quick else (10_000_000, 7)
    with distributed.LocalCluster(2, threads_per_worker=1, dashboard_address=None, memory_limit=0) as cluster, \
            distributed.Client(cluster):
        x = da.random.default_rng(1).random(8 * n, chunks=n).persist()
        distributed.wait(x)
        print(f"8 pieces of {n}; times as fast as dask.array.histogram")
        for name, bins, limits in [("1000 random bins", np.sort(RANDOM.random(1001)), None),
                                   ("10 equal bins", 10, (0, 1)), ("1000 equal bins", 1000, (0, 1))]:
            row(name, lambda: unihist.dask.histogram(x, bins, limits)[0], lambda: da.histogram(x, bins, limits)[0],
                rounds)


if __name__ == "__main__":
    main()
