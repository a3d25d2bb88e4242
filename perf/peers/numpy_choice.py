#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# peer-of: sample
"""numpy.random.Generator.choice of k indices, by weights; the generator is NumPy's usual one."""
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
    generator = numpy.random.default_rng(1)
    n = p = samples = None
    print("ready", numpy.__version__, "numpy.random.default_rng().choice(k, n, p=p)", flush=True)
    for line in sys.stdin:
        command, *words = line.split()
        if command == "draw":
            n, p = int(words[1]), shared(3, words[0], int(words[2])).astype("float64")
            p /= p.sum()
            answer = "ok drawn"
        elif command == "case":
            answer = "cannot it draws samples"
        elif command == "run":
            cpu, start = time.process_time(), time.perf_counter()
            samples = generator.choice(p.size, n, p=p)
            answer = f"seconds {time.perf_counter() - start:.9f} {time.process_time() - cpu:.9f}"
        elif command == "counts":
            counts = numpy.bincount(samples, minlength=p.size)
            with mmap.mmap(5, counts.size * 8) as memory:
                memory[:] = counts.astype("uint64").tobytes()
            answer = "ok"
        else:
            answer = "failed not understood"
        print(answer, flush=True)


main()
