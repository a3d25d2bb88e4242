#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""sklearn.cluster.MeanShift from every point, with a job a CPU (Debian: python3-sklearn)."""
import os
import sys

from peer_numpy import Peer, main, numpy, shared

try:
    import sklearn
    from sklearn.cluster import MeanShift
except ImportError as missing:
    print(f"missing {missing}", flush=True)
    sys.exit(0)


class Shift(Peer):
    call, rule = "sklearn.cluster.MeanShift(...).fit(points)", "shifted"
    version = sklearn.__version__

    def take(self, dtype, n, dims, radius, iterations, clusters, cpus):
        cpus = [int(cpu) for cpu in cpus.split(",")]
        os.sched_setaffinity(0, cpus)  # of which the caller has bound itself to one
        n, dims = int(n), int(dims)
        self.points, self.clusters = shared(3, dtype, n * dims).reshape(n, dims), int(clusters)
        self.shift = MeanShift(bandwidth=float(radius), max_iter=int(iterations), n_jobs=len(cpus))

    def run(self):
        self.shift.fit(self.points)

    def counts(self):
        counts = -numpy.sort(-numpy.bincount(self.shift.labels_))[:self.clusters]
        return numpy.pad(counts, (0, self.clusters - counts.size))


main(Shift())
