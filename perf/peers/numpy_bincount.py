#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# peer-of: bincount
"""numpy.bincount, for integers and the bins [0, 1), [1, 2), ..."""
import mmap
import sys
import time

try:
    import numpy
except ImportError as error:
    print(f"missing {error}", flush=True)
    sys.exit(0)


def shared(descriptor, dtype, count):
    """A copy of what lies in shared memory."""
    dtype = numpy.dtype(dtype)
    with mmap.mmap(descriptor, count * dtype.itemsize, access=mmap.ACCESS_READ) as memory:
        return numpy.frombuffer(memory, dtype, count).copy()


def objection(values, edges):
    """Why it is no case for numpy.bincount, or None."""
    if values.dtype.kind not in "iu" or values.dtype == numpy.uint64:
        return f"it does not count {values.dtype}"
    if not numpy.array_equal(edges, numpy.arange(edges.size)):
        return "it has the bins [0, 1), [1, 2), ... alone"
    if values.size and not 0 <= values.min() <= values.max() < edges.size - 1:
        return "not all values lie in the bins"
    return None


def main():
    values = edges = counts = None
    print("ready", numpy.__version__, "numpy.bincount(values)", flush=True)
    for line in sys.stdin:
        command, *words = line.split()
        if command == "case":
            values, edges = shared(3, words[0], int(words[1])), shared(4, "float64", int(words[2]) + 1)
            why = objection(values, edges)
            answer = f"cannot {why}" if why else "ok closed"
        elif command == "run":
            cpu, start = time.process_time(), time.perf_counter()
            counts = numpy.bincount(values)
            answer = f"seconds {time.perf_counter() - start:.9f} {time.process_time() - cpu:.9f}"
        elif command == "counts":
            padded = numpy.zeros(edges.size - 1, "uint64")
            padded[:counts.size] = counts
            with mmap.mmap(5, padded.size * 8) as memory:
                memory[:] = padded.tobytes()
            answer = "ok"
        else:
            answer = "failed not understood"
        print(answer, flush=True)


main()
