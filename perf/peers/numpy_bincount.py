#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""numpy.bincount, for integers and the bins [0, 1), [1, 2), ..."""
from peer_numpy import Peer, main, numpy, values_and_edges


class Bincount(Peer):
    call, rule = "numpy.bincount(values)", "closed"

    def take(self, dtype, n, k):
        values, edges = self.values, self.edges = values_and_edges(dtype, n, k)
        if values.dtype.kind not in "iu" or values.dtype == numpy.uint64:
            return f"it does not count {values.dtype}"
        if not numpy.array_equal(edges, numpy.arange(edges.size)):
            return "it has the bins [0, 1), [1, 2), ... alone"
        if values.size and not 0 <= values.min() <= values.max() < edges.size - 1:
            return "not all values lie in the bins"
        return None

    def run(self):
        self.found = numpy.bincount(self.values)

    def counts(self):
        return numpy.pad(self.found, (0, self.edges.size - 1 - self.found.size))


main(Bincount())
