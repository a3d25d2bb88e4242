#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Peers that are functions of NumPy and scikit-learn; the name of the program, without NumPy's 2, is that of one."""
import mmap
import os
import pathlib
import sys

import peer

try:
    import numpy
    if "sklearn" in sys.argv[0]:
        import sklearn.cluster
except ImportError as missing:
    print(f"missing {missing}", flush=True)
    sys.exit(0)


def shared(descriptor, dtype, count):
    """A copy of shared memory."""
    dtype = numpy.dtype(dtype)
    with mmap.mmap(descriptor, int(count) * dtype.itemsize, access=mmap.ACCESS_READ) as memory:
        return numpy.frombuffer(memory, dtype, int(count)).copy()


class Peer:
    """Of functions `take`, `run` and `counts`."""
    version = numpy.__version__

    def reset(self):
        pass

    def result(self):
        peer.write_counts(self.counts().astype("uint64").tobytes())
        return ""


class Histogram(Peer):
    call, rule = "numpy.histogram(values, edges)", "closed"

    def take(self, dtype, n, k):
        if dtype in ("int64", "uint64"):
            return "it compares 64-bit integers as float64"
        self.values, self.edges = shared(3, dtype, n), shared(4, "float64", int(k) + 1)
        return None

    def run(self):
        self.found, _ = numpy.histogram(self.values, self.edges)

    def counts(self):
        return self.found


class Integers(Peer):
    """Of the bins [0, 1), [1, 2), ..."""
    call, rule = "numpy.bincount(values)", "closed"

    def take(self, dtype, n, k):
        values, edges, self.k = shared(3, dtype, n), shared(4, "float64", int(k) + 1), int(k)
        self.values = values
        if values.dtype.kind not in "iu" or values.dtype == numpy.uint64:
            return f"it does not count {values.dtype}"
        if not numpy.array_equal(edges, numpy.arange(edges.size)):
            return "it has the bins [0, 1), [1, 2), ... alone"
        if values.size and not 0 <= values.min() <= values.max() < self.k:
            return "not all values lie in the bins"
        return None

    def run(self):
        self.found = numpy.bincount(self.values)

    def counts(self):
        return numpy.pad(self.found, (0, self.k - self.found.size))


class Choice(Peer):
    """Of k indices, by weights; the generator is NumPy's usual one."""
    call, rule = "numpy.random.default_rng().choice(k, n, p=p)", "drawn"
    generator = numpy.random.default_rng(1)

    def take(self, dtype, n, k):
        self.n, p = int(n), shared(3, dtype, k).astype("float64")
        self.p = p / p.sum()

    def run(self):
        self.samples = self.generator.choice(self.p.size, self.n, p=self.p)

    def counts(self):
        return numpy.bincount(self.samples, minlength=self.p.size)[:self.p.size]


class MeanShift(Peer):
    """From every point, with one job per CPU (Debian: python3-sklearn)."""
    call, rule = "sklearn.cluster.MeanShift(...).fit(points)", "shifted"

    def take(self, dtype, n, dims, radius, iterations, clusters, cpus):
        cpus, n, dims = [int(cpu) for cpu in cpus.split(",")], int(n), int(dims)
        os.sched_setaffinity(0, cpus)  # of which the caller has bound itself to one
        self.points, self.clusters = shared(3, dtype, n * dims).reshape(n, dims), int(clusters)
        self.shift = sklearn.cluster.MeanShift(bandwidth=float(radius), max_iter=int(iterations), n_jobs=len(cpus))

    def run(self):
        self.shift.fit(self.points)

    def counts(self):
        return -numpy.sort(-numpy.bincount(self.shift.labels_, minlength=self.clusters))[:self.clusters]


PEERS = {"numpy": Histogram, "numpy_bincount": Integers, "numpy_choice": Choice, "sklearn_mean_shift": MeanShift}
name = pathlib.Path(sys.argv[0]).name.replace("numpy2", "numpy")
if name.startswith("sklearn"):
    MeanShift.version = sklearn.__version__
peer.main(PEERS[name]())
