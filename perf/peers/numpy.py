#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""numpy.histogram. (Copied to a name without .py, as it is a module's name.)"""
from peer_numpy import Peer, main, numpy, values_and_edges


class Histogram(Peer):
    call, rule = "numpy.histogram(values, edges)", "closed"

    def take(self, dtype, n, k):
        if dtype in ("int64", "uint64"):
            return "it compares 64-bit integers as float64"
        self.values, self.edges = values_and_edges(dtype, n, k)
        return None

    def run(self):
        self.found, _ = numpy.histogram(self.values, self.edges)

    def counts(self):
        return self.found


main(Histogram())
