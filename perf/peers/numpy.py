#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""numpy.histogram. (Copied to a name without .py, as it is a module's name.)"""
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


def main():
    values = edges = counts = None
    print("ready", numpy.__version__, "numpy.histogram(values, edges)", flush=True)
    for line in sys.stdin:
        command, *words = line.split()
        if command == "case" and words[0] in ("int64", "uint64"):
            answer = "cannot it compares 64-bit integers as float64"
        elif command == "case":
            values, edges = shared(3, words[0], int(words[1])), shared(4, "float64", int(words[2]) + 1)
            answer = "ok closed"
        elif command == "run":
            cpu, start = time.process_time(), time.perf_counter()
            counts, _ = numpy.histogram(values, edges)
            answer = f"seconds {time.perf_counter() - start:.9f} {time.process_time() - cpu:.9f}"
        elif command == "counts":
            with mmap.mmap(5, counts.size * 8) as memory:
                memory[:] = counts.astype("uint64").tobytes()
            answer = "ok"
        else:
            answer = "failed not understood"
        print(answer, flush=True)


main()
