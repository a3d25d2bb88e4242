#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Predict, by a model and without hardware, what binds the kernels on Intel's GPUs. Nothing is measured (README.md)."""
import argparse
import collections
import functools
import json
import math
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
DEVICES = json.loads((HERE / "devices.json").read_text(encoding="utf-8"))
DEVICES["tgllp"] = {**DEVICES["adl-p"], **DEVICES["tgllp"]}  # the code differs in few instructions of meshes
DEVICES["h200"] = {**DEVICES["h100"], **DEVICES["h200"]}
# Those that the simulation needs, in its order (struct model_device).
SIMULATED = ("cores", "engines", "lanes", "threads", "max_group_size", "group_local_bytes", "bank_lanes", "line_bytes",
             "memory", "fp64")
MESSAGE = 16  # bytes of a lane that one message reads of an array
BOUNDS = ("issue", "local", "cache", "atomics", "memory", "latency")
TYPES = {"histogram": "f32", "pair": "f32", "sum": "f32", "integers": "i32", "draw": "u32"}
WITH_BINS = ("histogram", "pair", "sum")
PAPER = ("worst", "random", "almost")

Case = collections.namedtuple("Case", "operation type bins data k h method")

# Floors and goals of kernels: 10^9 points per second by the least bound, or by issue alone; or issue slots a point, of
# which fewer are better.
Goal = collections.namedtuple("Goal", "what device operation type bins sizes h measure floor goal")
GOALS = [Goal(*row) for row in (
    ("1-D f32", "pvc", "histogram", "f32", PAPER, (100, 1000), 0.01, "rate", 450, 650),
    ("1-D f32", "adl-p", "histogram", "f32", PAPER, (100, 1000), 0.01, "rate", 15, 17),
    ("1-D f32: slots", "pvc", "histogram", "f32", PAPER, (100, 1000), 0.01, "slots", 2.4, 2),
    ("1-D f32: slots", "tgllp", "histogram", "f32", PAPER, (100, 1000), 0.01, "slots", 7, 5.5),
    ("1-D f64", "pvc", "histogram", "f64", PAPER, (100, 1000), 0.01, "rate", 350, 400),
    ("two axes f32", "pvc", "pair", "f32", PAPER, (100,), 0.01, "rate", 200, 300),
    ("two axes f32", "adl-p", "pair", "f32", PAPER, (100,), 0.01, "rate", 7, 8.5),
    ("exact f32 sums", "pvc", "sum", "f32", PAPER, (100, 1000), 0.01, "rate", 180, 250),
    ("integers i32", "pvc", "integers", "i32", ("equal",), (1000,), 0, "rate", 700, 819),
    ("integers i32", "adl-p", "integers", "i32", ("equal",), (1000,), 0, "rate", 17, 17),
    ("draw by guide", "pvc", "draw", "u32", ("equal",), (1000,), 0, "rate", 669, 800),
    ("draw by guide", "adl-p", "draw", "u32", ("equal",), (1000,), 0, "rate", 17, 17),
    ("draw by guide: issue alone", "adl-p", "draw", "u32", ("equal",), (1000,), 0, "issue", 26, 0),
    ("1-D f32", "pvc", "histogram", "f32", PAPER[1:], (16384, 65536), 0.0001, "rate", 150, 300))]


class Failure(RuntimeError):
    """A text for the user; the program that predicts has said its own."""


def ask(questions):
    done = subprocess.run([HERE / "unihist-model-predict"], input="".join(f"{line}\n" for line in questions), text=True,
                          stdout=subprocess.PIPE, check=False)
    if done.returncode:
        raise Failure("")
    return [json.loads(line) for line in done.stdout.splitlines()]


class Kernel:
    """A line of isa-NAME.txt: per point, issue slots with every branch counted, messages, and ways through the loop:
    [(messages that look something up, slots)], both ascending."""

    def __init__(self, line):
        self.name, *numbers, ways = line.split(" ")
        self.lanes, self.registers, _, self.slots, self.local_blocks, _, _, _, self.global_blocks, _, _, _ = map(
            float, numbers)
        self.ways = [tuple(map(float, way.split(":"))) for way in ways.split(",") if ways != "-"]
        if not (min(map(float, numbers)) >= 0 and all(len(way) == 2 for way in self.ways)):
            raise ValueError

    def slots_of(self, lookups):
        """Slots of a way with that many look-ups: between two ways by their line, beyond the longest one by the average
        cost of its look-ups, as its loops go round once more."""
        if not self.ways:
            return self.slots
        (least, slots), (most, last) = self.ways[0], self.ways[-1]
        if lookups <= least:
            return slots
        if lookups >= most:
            return last + (lookups - most) * (last / most if most else 0)
        (x0, y0), (x1, y1) = next(pair for pair in zip(self.ways, self.ways[1:]) if pair[1][0] >= lookups)
        return y0 + (y1 - y0) * (lookups - x0) / (x1 - x0)


@functools.cache
def figures_of(path):
    """The compiler and the kernels of a file that perf/isa.py --figures has written."""
    compiler, kernels = "", {}
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise Failure(f"{path}: cannot be opened: {error.strerror}") from error
    for number, line in enumerate(lines, 1):
        if line.startswith("#"):
            compiler = line.removeprefix("# compiler ") if line.startswith("# compiler ") else compiler
            continue
        try:
            kernel = Kernel(line)
        except ValueError as error:
            raise Failure(f"{path}:{number}: is no line of figures, expected those of perf/isa.py --figures") from error
        kernels[kernel.name] = kernel
    if not kernels:
        raise Failure(f"{path}: has no kernel")
    return compiler, kernels


def resident(device, kernel, launch):
    """Groups of a core that there is room for, and their threads."""
    group = -(-launch["group_size"] // int(kernel.lanes))
    kibibytes = next((size for size in device["local_sizes"] if 1024 * size >= launch["local_bytes"]), 0)
    local_bytes = 1024 * kibibytes or launch["local_bytes"]
    groups = device["engines"] * device["threads"] // (2 if kernel.registers > 128 else 1) // group
    if local_bytes:
        groups = min(groups, device["local_bytes"] // local_bytes)
    groups = min(groups, -(-launch["groups"] // device["cores"]))
    return groups, groups * group


def bounds(device, kernel, additions, of):
    """The prediction by the finished code and the simulation: each rate as if nothing else were in the way. If ways
    with many look-ups are not those that add, `additions` has the cost of additions with its reads, as many."""
    n, lanes, cores, clock = of["points"], kernel.lanes, device["cores"], device["clock"]
    reads, data = of["read"] / MESSAGE, of["read"] + of["written"]
    messages, atomics = of["messages"] * lanes / n, of["atomics"] * lanes / n
    local_messages = of["local_messages"] * lanes / n + kernel.local_blocks
    cycles = (of["local_cycles"] * lanes / n + kernel.local_blocks) / lanes
    slots = kernel.slots_of(reads + messages) if not additions else kernel.slots_of(reads + messages - atomics) + \
        additions.slots_of(reads + atomics) - additions.slots_of(reads)
    groups, threads = resident(device, kernel, of)
    # A thread waits, for a point of each of its lanes: a vector's messages are on their way together.
    vectors = kernel.global_blocks + (1 / of["width"] if of["read"] else 0)
    outside = messages + kernel.local_blocks - local_messages + vectors
    wait = local_messages * device["local_latency"] + outside * device["global_latency"] + slots * lanes
    rates = {"issue": cores * device["engines"] * clock / slots,
             "local": cores * clock / cycles if cycles else math.inf,
             "cache": cores * clock * device["lines"] / (of["lines"] / n + of["written"] / device["line_bytes"]),
             "atomics": device["atomic_lines"] * clock * n / of["atomic_cycles"] if of["atomic_cycles"] else math.inf,
             "memory": device["memory_rate"] / data, "latency": cores * threads * lanes * clock / wait}
    return {**of, "what": device["what"], "groups": groups, "threads": threads, "slots": slots,
            "messages": local_messages, "cycles": cycles, "rates": rates, "binds": min(rates, key=rates.get)}


def predict(folder, cases):
    """The predictions of (device, case) pairs."""
    paths = [pathlib.Path(folder) / f"isa-{DEVICES[device]['code']}.txt" for device, _ in cases]
    files = [figures_of(path) for path in paths]
    answers = ask(" ".join(map(str, (path, *(DEVICES[device][key] for key in SIMULATED), *case)))
                  for path, (device, case) in zip(paths, cases))
    return [{"compiler": compiler, **bounds(DEVICES[device], kernels[of["kernel"]], kernels.get(of["additions"]), of)}
            for (device, _), (compiler, kernels), of in zip(cases, files, answers)]


def print_table(head, rows):
    for cells in (head, ["---"] * len(head), *rows):
        print("|", " | ".join(map(str, cells)), "|")


def giga(rate):
    return "-" if rate == math.inf else f"{rate / 1e9:.{1 if rate < 1e10 else 0}f}"


def wanted(options):
    """The cases that the options ask for: by methods and meshes that are followed, and of data that differ."""
    def one(value, usual):
        return [value] if value else usual
    of, kind = options.operation, options.type or TYPES[options.operation]
    has_bins = of in WITH_BINS
    for bins in one(options.bins, PAPER) if has_bins else ["worst"]:
        for k in one(options.k, (100, 1000)):
            for method in one(options.method, ("auto", "mesh", "binary")):
                if method != "auto" and (of != "histogram" or (method == "mesh" and kind != "f32")):
                    continue
                for data in one(options.data, ("uniform", "narrow", "sorted", "onebin")):
                    if of != "draw" or data in ("uniform", "onebin"):
                        yield Case(of, kind, bins, data, k, options.h, method)


def show_cases(options):
    if options.type not in (None, TYPES[options.operation]) and options.operation != "histogram":
        raise Failure("--type is of histograms alone")
    cases = list(wanted(options))
    if not cases:
        raise Failure("there is no such case; see --help")
    for device in options.devices:
        found = predict(options.isa, [(device, case) for case in cases])
        print(f"PREDICTED, not measured: {device}, {found[0]['what']}; compiler {found[0]['compiler']}\n")
        print_table(["case", "kernel, tables", "copies", "groups, threads a core", "slots/pt", "messages/pt",
                     "cycles/16 pts", *BOUNDS, "binds"],
                    [[f"{case.bins if case.operation in WITH_BINS else 'all'} k {case.k} {case.data}",
                      f"{p['kernel']}, {p['where']}", p["copies"], f"{p['groups']}, {p['threads']}",
                      f"{p['slots']:.2f}", f"{p['messages']:.2f}", f"{16 * p['cycles']:.2f}",
                      *(giga(p["rates"][name]) for name in BOUNDS),
                      p["binds"]] for case, p in zip(cases, found)])
        print()


def figure_of(goal, p):
    return p["slots"] if goal.measure == "slots" else \
        p["rates"]["issue" if goal.measure == "issue" else p["binds"]] / 1e9


def show_goals(options):
    """With all data in one bin the rate is not to fall below a third of that of uniform data."""
    goals = [(goal, bins, k) for goal in GOALS if goal.device in options.devices
             for bins in goal.bins for k in goal.sizes]
    found = predict(options.isa, [(goal.device, Case(goal.operation, goal.type, bins, data, k, goal.h, "auto"))
                                  for goal, bins, k in goals for data in ("uniform", "onebin")])
    rows, missed = [], 0
    for (goal, bins, k), uniform, onebin in zip(goals, found[::2], found[1::2]):
        sign, figure = -1 if goal.measure == "slots" else 1, figure_of(goal, uniform)
        floor, met = (bound and sign * figure >= sign * bound for bound in (goal.floor, goal.goal))
        skew = goal.measure == "slots" or figure_of(goal, onebin) >= figure / 3
        missed += not (floor and skew)
        figures = [f"{value:.{2 if value < 10 else 1 if value < 100 else 0}f}" +
                   (f" {p['binds']}" if goal.measure == "rate" else "")
                   for p in (uniform, onebin) for value in [figure_of(goal, p)]]
        rows.append([f"{goal.what}{'' if goal.bins == ('equal',) else ', ' + bins}, k {k}", goal.device,
                     f"{uniform['kernel']}, {uniform['where']}", f"{goal.floor:g}",
                     f"{goal.goal:g}" if goal.goal else "-", *figures,
                     "FLOOR MISSED" if not floor else "ONE BIN MISSED" if not skew else
                     "goal met" if met else "floor met"])
    print("PREDICTED, not measured: 10^9 points per second and what binds, or issue slots a point (fewer are better)\n")
    print_table(["what", "device", "kernel, tables", "floor", "goal", "uniform", "one bin", "verdict"], rows)
    if missed:
        raise Failure(f"floors that are missed: {missed}")


def positive(text):
    if int(text) < 1:
        raise ValueError
    return int(text)


class Parser(argparse.ArgumentParser):
    def error(self, message):
        self.exit(2, f"unihist-model: {message}; see --help\n")


def main():
    parser = Parser(prog="unihist-model", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND", parser_class=Parser)
    for name, show, about in (
            ("cases", show_cases, "one operation by families of bins, shapes of data, and methods"),
            ("goals", show_goals, "floors and goals of kernels, and what is predicted; exit status 1 below a floor")):
        command = commands.add_parser(name, help=about, description=about)
        command.set_defaults(show=show)
        command.add_argument("--device", choices=DEVICES, help="default: all")
        command.add_argument("--isa", default=HERE, metavar="FOLDER", help="folder of isa-NAME.txt")
        if name == "cases":
            command.add_argument("--operation", choices=TYPES, default="histogram",
                                 help="pair: two axes; sum: exact sums; default: histogram")
            command.add_argument("--type", choices=("f32", "f64"), help="of a histogram's values; default: f32")
            command.add_argument("--k", type=positive, metavar="N", help="bins; default: 100, then 1000")
            command.add_argument("--h", type=float, default=0.01, help="h_min or h_v of the bins; default: 0.01")
            command.add_argument("--bins", metavar="NAME",
                                 help="worst, random, almost, equal, ...; default: the first three")
            command.add_argument("--data", metavar="NAME", help="default: uniform, narrow, sorted, onebin")
            command.add_argument("--method", choices=("auto", "mesh", "binary"), help="default: each")
    options = parser.parse_args()
    options.devices = [options.device] if options.device else DEVICES
    try:
        options.show(options)
    except Failure as failure:
        if str(failure):
            print("unihist-model:", failure, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
