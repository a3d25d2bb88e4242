#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""numpy.random.Generator.choice of k indices, by weights; the generator is NumPy's usual one."""
from peer_numpy import Peer, main, numpy, shared


class Choice(Peer):
    call, rule = "numpy.random.default_rng().choice(k, n, p=p)", "drawn"
    generator = numpy.random.default_rng(1)

    def take(self, dtype, n, k):
        self.n, p = int(n), shared(3, dtype, k).astype("float64")
        self.p = p / p.sum()

    def run(self):
        self.samples = self.generator.choice(self.p.size, self.n, p=self.p)

    def counts(self):
        return numpy.bincount(self.samples, minlength=self.p.size)


main(Choice())
