# SPDX-License-Identifier: Apache-2.0
"""What the peers of NumPy share."""
import mmap
import sys

import peer

try:
    import numpy
except ImportError as missing:
    print(f"missing {missing}", flush=True)
    sys.exit(0)

main = peer.main


def shared(descriptor, dtype, count):
    """A copy of what lies in shared memory."""
    dtype = numpy.dtype(dtype)
    with mmap.mmap(descriptor, int(count) * dtype.itemsize, access=mmap.ACCESS_READ) as memory:
        return numpy.frombuffer(memory, dtype, int(count)).copy()


def values_and_edges(dtype, n, k):
    return shared(3, dtype, n), shared(4, "float64", int(k) + 1)


class Peer:
    """Of functions `take`, `run` and `counts`."""
    version = numpy.__version__

    def reset(self):
        pass

    def result(self):
        peer.write_counts(self.counts().astype("uint64").tobytes())
        return ""
