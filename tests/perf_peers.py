# SPDX-License-Identifier: Apache-2.0
"""Peers of unihist-perf that its tests make: one that is right, changes of it that are faults, and one of fixed answers."""
import os
import signal
import sys
import tempfile

from perf_command import measure

ROW = "histogram/random/k:10/h:0.25/uniform/f32/fake/threads:1"

# A peer that is right, of which the tests change one answer at a time. It writes its process id to a file next to its own.
HONEST = """#!%s
import array, bisect, itertools, mmap, os, signal, sys, time
TYPES = {"float32": "f", "float64": "d"}
with open(__file__ + ".pid", "w") as file:
    file.write(str(os.getpid()))
def shared(descriptor, code, count):
    values = array.array(code)
    values.frombytes(os.pread(descriptor, count * values.itemsize, 0))
    return values
def answer_case(kind, n, k):
    global x, edges
    x, edges = shared(3, TYPES[kind], int(n)), shared(4, "d", int(k) + 1)
    return "ok closed"
def answer_run():
    global counts
    counts = [0] * (len(edges) - 1)
    start = time.perf_counter()
    for value in x:
        slot = bisect.bisect_right(edges, value)
        if value == edges[-1]:
            counts[-1] += 1
        elif 0 < slot < len(edges):
            counts[slot - 1] += 1
    taken = time.perf_counter() - start
    write_counts()
    return "seconds %%.9f 0" %% taken
def write_counts():
    os.pwrite(5, array.array("Q", counts).tobytes(), 0)
def begin():
    return "ready 1.0 honest"
#CHANGE
def say(text):
    print(text, flush=True)
say(begin())
for line in sys.stdin:
    command, *words = line.split()
    say({"case": answer_case, "run": answer_run}[command](*words))
""" % sys.executable


# Faults of a fake peer, and the messages about them.
WHEN = ("begin", "answer_case", "answer_run")
MISCOUNTING = "right = write_counts\ndef write_counts():\n    %s\n    right()\n"
EARLIER_CASE = """
cases, right = [], answer_case
def answer_case(*words):
    cases.append(words)
    return right(*words) if len(cases) == 1 else "ok closed"
"""
FAULTS = (
    ("one more", MISCOUNTING % "counts[3] += 1", ROW + ": wrong: bin "),
    ("a value dropped", MISCOUNTING % "counts[5] -= 1", ROW + ": wrong: bin "),
    ("two bins exchanged", MISCOUNTING % "counts[0], counts[9] = counts[9], counts[0]", ROW + ": wrong: bin "),
    ("counts not written", "def write_counts(): pass", "wrong: bin 0 "),
    ("counts of an earlier case", EARLIER_CASE, "/onebin/f32/fake/threads:1: wrong: bin "),
    *((f"dies in {when}", f'def {when}(*words): sys.exit("first line\\nthe axle is broken")',
       "peer fake has ended with exit status 1: the axle is broken") for when in WHEN),
    ("is killed", "def answer_run(): os.kill(os.getpid(), signal.SIGSEGV)",
     f"peer fake has been ended by signal {int(signal.SIGSEGV)}"),
    *((answer, f"def {when}(*words): return {answer}", text) for when, answer, text in (
        ("begin", '"hello"', "begins with 'hello', expected 'ready"),
        ("answer_case", '"ok maybe"', "answers 'ok maybe' to 'case float32 20011 10', expected 'ok closed'"),
        ("answer_run", '"seconds fast 0"', "answers 'seconds fast 0' to 'run'"),
        ("answer_run", '"seconds -1 0"', "answers 'seconds -1 0' to 'run'"),
        ("answer_run", '"seconds nan 0"', "answers 'seconds nan 0' to 'run'"),
        ("answer_run", '"seconds 1000 0"', "says that a run took 1000 seconds"),
        ("answer_run", '"no"', "answers 'no' to 'run', expected 'seconds WALL CPU'"),
        ("answer_run", '600 * "x"', "a line of more than 511 bytes"))))

# A peer that always gives the same answers to a task and to "run", and the same counts, if any.
FIXED = """#!%s
import os, struct, sys
print("ready 1.0 fake", flush=True)
for line in sys.stdin:
    counts, answers = %%r, %%r
    if counts:
        os.pwrite(5, struct.pack("=%%%%dQ" %%%% len(counts), *counts), 0)
    print(answers[line.split()[0] == "run"], flush=True)
""" % sys.executable


def make_peer(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, 0o755)
    return path


def measure_with(name, counts, answers, *arguments):
    """A run of an operation whose peer of that name gives these answers."""
    with tempfile.TemporaryDirectory() as folder:
        make_peer(folder, name, FIXED % (counts, answers))
        return measure(*arguments, env={**os.environ, "UNIHIST_PERF_PEERS": folder})
