# SPDX-License-Identifier: Apache-2.0
"""What the peers of NumPy share: the talk with unihist-perf and its shared memory. (Copied beside them.)"""
import mmap
import sys
import time

try:
    import numpy
except ImportError as missing:
    print(f"missing {missing}", flush=True)
    sys.exit(0)


# What may be asked for, and what those do that are asked for something else.
QUESTIONS = {"case": "it counts values", "draw": "it draws samples", "shift": "it finds clusters"}


def shared(descriptor, dtype, count):
    """A copy of what lies in shared memory."""
    dtype = numpy.dtype(dtype)
    with mmap.mmap(descriptor, count * dtype.itemsize, access=mmap.ACCESS_READ) as memory:
        return numpy.frombuffer(memory, dtype, count).copy()


def values_and_edges(dtype, n, k):
    return shared(3, dtype, n), shared(4, "float64", k + 1)


def answer(peer, command, words):
    """`peer` has the words `call`, `question` (one of QUESTIONS) and `rule`, and the functions `take`, which gives why
    it cannot do a case or None, `run`, and `counts`."""
    if command in QUESTIONS:
        why = QUESTIONS[peer.question]
        if command == peer.question:
            why = peer.take(words[0], int(words[1]), int(words[2]), *words[3:])
        return f"cannot {why}" if why else f"ok {peer.rule}"
    if command == "run":
        cpu, start = time.process_time(), time.perf_counter()
        peer.run()
        taken = f"seconds {time.perf_counter() - start:.9f} {time.process_time() - cpu:.9f}"
        counts = peer.counts()
        with mmap.mmap(5, counts.size * 8) as memory:
            memory[:] = counts.astype("uint64").tobytes()
        return taken
    return "failed not understood"


def main(peer, version=numpy.__version__):
    print("ready", version, peer.call, flush=True)
    for line in sys.stdin:
        command, *words = line.split()
        print(answer(peer, command, words), flush=True)
