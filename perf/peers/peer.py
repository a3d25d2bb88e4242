#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The talk of peers with unihist-perf, and its shared memory; and peers that are libraries in C or C++ (peer.h)."""
import ctypes
import mmap
import os
import sys
import time

# Questions, and what a peer of another question does instead.
QUESTIONS = {"case": "it counts values", "draw": "it draws samples", "shift": "it finds clusters",
             "integral": "it finds integrals"}
OF_RULES = {"closed": "case", "open": "case", "drawn": "draw", "shifted": "shift", "integrated": "integral"}


def write_counts(counts):
    with mmap.mmap(5, len(counts)) as memory:
        memory[:] = counts


def answer(peer, command, words):
    """`peer` has the words `version`, `call` and `rule` (of OF_RULES), and the functions `take`, which gives None or
    why it cannot do a case, `reset`, `run`, which is timed, and `result`, the end of the answer."""
    if command == "run":
        peer.reset()
        cpu, start = time.process_time(), time.perf_counter()
        peer.run()
        wall, cpu = time.perf_counter() - start, time.process_time() - cpu
        return f"seconds {wall:.9f} {cpu:.9f}{peer.result()}"
    question = OF_RULES[peer.rule]
    why = peer.take(*words) if command == question else QUESTIONS[question]
    return f"cannot {why}" if why else f"ok {peer.rule}"


def main(peer):
    print("ready", peer.version, peer.call, flush=True)
    for line in sys.stdin:
        command, *words = line.split()
        print(answer(peer, command, words), flush=True)


# enum peer_type, and the bytes of a value.
TYPES = {"float32": 4, "float64": 8, "uint8": 1, "int32": 4}


class Case(ctypes.Structure):
    """struct peer_case"""
    _fields_ = [("type", ctypes.c_int), ("n", ctypes.c_size_t), ("k", ctypes.c_size_t), ("x", ctypes.c_void_p),
                ("edges", ctypes.c_void_p)]


def private(descriptor, size):
    """A copy of shared memory, on huge pages if the system has them, as unihist-perf's array."""
    copy = mmap.mmap(-1, size)
    copy.madvise(mmap.MADV_HUGEPAGE)
    with mmap.mmap(descriptor, size, access=mmap.ACCESS_READ) as memory:
        copy[:] = memory[:]
    return (ctypes.c_char * size).from_buffer(copy)


class Library:
    def __init__(self, name):
        self.code = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(sys.argv[0])), name))
        for function in ("peer_about", "peer_take", "peer_take_task"):
            if hasattr(self.code, function):
                getattr(self.code, function).restype = ctypes.c_char_p
        self.rule, self.version, self.call = self.code.peer_about().decode().split(" ", 2)
        self.case, self.memory = Case(), []

    def take(self, *words):
        if self.rule == "integrated":
            why = self.code.peer_take_task(words[0].encode(), (ctypes.c_double * 7)(*map(float, words[1:])))
            return why.decode() if why else None
        kind, n, k = words[0], int(words[1]), int(words[2])
        if kind not in TYPES:
            return "it counts numbers that float64 holds exactly"
        sizes = [TYPES[kind] * k] if self.rule == "drawn" else [TYPES[kind] * n, 8 * (k + 1)]
        self.memory = [private(3 + i, size) for i, size in enumerate(sizes)]
        addresses = [ctypes.addressof(memory) for memory in self.memory] + [None]
        self.case = Case(list(TYPES).index(kind), n, k, *addresses[:2])
        why = self.code.peer_take(ctypes.byref(self.case))
        return why.decode() if why else None

    def reset(self):
        self.code.peer_reset()

    def run(self):
        self.code.peer_run(ctypes.byref(self.case))

    def result(self):
        if self.rule == "integrated":
            found = (ctypes.c_double * 5)()
            self.code.peer_found(found)
            return "".join(f" {number!r}" for number in found)
        counts = (ctypes.c_uint64 * self.case.k)()
        self.code.peer_counts(ctypes.byref(self.case), counts)
        write_counts(bytes(counts))
        return ""


if __name__ == "__main__":
    main(Library(os.path.basename(sys.argv[0]) + ".so"))
