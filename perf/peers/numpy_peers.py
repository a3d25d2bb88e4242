#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Peers that are functions of NumPy, of scikit-learn, and of CuPy and PyTorch on a card; the program's name is that of one."""
import mmap
import os
import pathlib
import sys

import peer

NAME = pathlib.Path(sys.argv[0]).name
try:
    import numpy
    library = numpy
    if NAME.startswith("sklearn"):
        import sklearn.cluster
    elif NAME.startswith("cupy"):
        import cupy as library
    elif NAME.startswith("torch"):
        import torch as library
        library.cuda.init()
except ImportError as missing:
    print(f"missing {missing}", flush=True)
    sys.exit(0)


def shared(descriptor, dtype, count):
    """A copy of shared memory, on the card if the library works there."""
    dtype = numpy.dtype(dtype)
    with mmap.mmap(descriptor, int(count) * dtype.itemsize, access=mmap.ACCESS_READ) as memory:
        copy = numpy.frombuffer(memory, dtype, int(count)).copy()
    if NAME.startswith("torch"):
        return library.asarray(copy).cuda()
    return copy if library is numpy else library.asarray(copy)


def finish():
    """Waits for the card."""
    if library is not numpy:
        (library.cuda if NAME.startswith("torch") else library.cuda.get_current_stream()).synchronize()


class Peer:
    """Of functions `take`, `work` and `counts`."""
    version = library.__version__

    def reset(self):
        finish()

    def run(self):
        self.work()
        finish()

    def result(self):
        counts = self.counts()
        peer.write_counts((counts.get() if hasattr(counts, "get") else counts).astype("uint64").tobytes())
        return ""


class Histogram(Peer):
    call, rule = f"{library.__name__}.histogram(values, edges)", "closed"

    def take(self, dtype, n, k):
        if dtype in ("int64", "uint64"):
            return "it compares 64-bit integers as float64"
        self.values, self.edges = shared(3, dtype, n), shared(4, "float64", int(k) + 1)
        return None

    def work(self):
        self.found, _ = library.histogram(self.values, self.edges)

    def counts(self):
        return self.found


class Integers(Peer):
    """Of the bins [0, 1), [1, 2), ..."""
    call, rule = f"{library.__name__}.bincount(values)", "closed"

    def take(self, dtype, n, k):
        values, edges, self.k = shared(3, dtype, n), shared(4, "float64", int(k) + 1), int(k)
        self.values = values
        if values.dtype.kind not in "iu" or values.dtype == numpy.uint64:
            return f"it does not count {values.dtype}"
        if not library.array_equal(edges, library.arange(edges.size)):
            return "it has the bins [0, 1), [1, 2), ... alone"
        if values.size and not 0 <= values.min() <= values.max() < self.k:
            return "not all values lie in the bins"
        return None

    def work(self):
        self.found = library.bincount(self.values)

    def counts(self):
        return library.pad(self.found, (0, self.k - self.found.size))


class Choice(Peer):
    """Of k indices, by weights."""
    call, rule = "random.default_rng().choice(k, n, p=p)", "drawn"
    generator = numpy.random.default_rng(1) if library is numpy else library.random  # CuPy's default_rng() has none

    def take(self, dtype, n, k):
        self.n, p = int(n), shared(3, dtype, k).astype("float64")
        self.p = p / p.sum()

    def work(self):
        self.samples = self.generator.choice(self.p.size, self.n, p=self.p)

    def counts(self):
        return library.bincount(self.samples, minlength=self.p.size)[:self.p.size]


class MeanShift(Peer):
    """From every point, with one job per CPU (Debian: python3-sklearn)."""
    call, rule = "sklearn.cluster.MeanShift(...).fit(points)", "shifted"

    def take(self, dtype, n, dims, radius, iterations, clusters, cpus):
        cpus, n, dims = [int(cpu) for cpu in cpus.split(",")], int(n), int(dims)
        os.sched_setaffinity(0, cpus)  # of which the caller has bound itself to one
        self.points, self.clusters = shared(3, dtype, n * dims).reshape(n, dims), int(clusters)
        self.shift = sklearn.cluster.MeanShift(bandwidth=float(radius), max_iter=int(iterations), n_jobs=len(cpus))

    def work(self):
        self.shift.fit(self.points)

    def counts(self):
        return -numpy.sort(-numpy.bincount(self.shift.labels_, minlength=self.clusters))[:self.clusters]


class Digitize(Histogram):
    """The bins' numbers alone; they are counted outside the timing."""
    call, rule = "cupy.digitize(values, edges)", "open"

    def work(self):
        self.numbers = library.digitize(self.values, self.edges)

    def counts(self):
        return library.bincount(self.numbers, minlength=self.edges.size + 1)[1:self.edges.size]


class Weights(Histogram):
    """Of weights that are all 1, so that the sums are counts."""
    call = "cupy.histogram(values, edges, weights=weights)"

    def take(self, dtype, n, k):
        self.ones = library.ones(int(n), "float32")
        return super().take(dtype, n, k)

    def work(self):
        self.found, _ = library.histogram(self.values, self.edges, weights=self.ones)


class Histc(Peer):
    """Of equal bins, which it finds by multiplication."""
    call, rule = "torch.histc(values, bins, low, high)", "closed"

    def take(self, dtype, n, k):
        self.k = int(k)
        if dtype != "float32" or not library.equal(shared(4, "float64", self.k + 1).cpu().float(),
                                                     library.arange(self.k + 1.0)):
            return "it is exact for float32 in the bins [0, 1), [1, 2), ... alone"
        self.values = shared(3, dtype, n)
        return None

    def work(self):
        self.found = library.histc(self.values, self.k, 0, self.k)

    def counts(self):
        return self.found.cpu().numpy()


PEERS = {"numpy": Histogram, "numpy_bincount": Integers, "numpy_choice": Choice, "sklearn_mean_shift": MeanShift,
         "cupy_histogram": Histogram, "cupy_bincount": Integers, "cupy_choice": Choice, "cupy_digitize": Digitize,
         "cupy_weights": Weights, "torch_histc": Histc}
if NAME.startswith("sklearn"):
    MeanShift.version = sklearn.__version__
peer.main(PEERS[NAME]())
