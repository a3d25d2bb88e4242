# SPDX-License-Identifier: Apache-2.0
"""The mean shift paper: figures 1 to 5, times and speed-ups over its sequential program, and their extremes.

The experiments of a set of points take turns in each run; each finds the clusters of the sequential program."""
import math
import os
import statistics

from harness import Experiments, Failure, digits

ABOUT = ("Points of three Gaussian clusters move by blurring with the Gaussian kernel. sequential is the paper's "
         "program in C (one thread, -O3, the C library's exp), tiles and cells are the library's methods, tiles with T "
         "threads in place of the paper's OpenMP, device naive and device tiles those of a device for its CUDA.")


def add_options(parser):
    parser.add_argument("--runs", type=int, default=10, help="runs of an experiment; default: 10, as in the paper")
    parser.add_argument("--iterations", type=int, default=50, help="iterations of a run; default: 50, as in the paper")
    parser.add_argument("--n", type=int, help="points of the only size; default: 500 to 10000, as in the paper")
    parser.add_argument("--threads", type=int,
                        help="the most threads of the host: 1, 2, 4, ... of them; default: the CPUs")
    parser.add_argument("--device", help="a device as unihist devices lists it; default: the first GPU")


# ---- measuring -------------------------------------------------------------------------------------------------------

def thread_numbers(most):
    return [2 ** i for i in range(most.bit_length()) if 2 ** i < most] + [most]


def experiments_of(dims, n, threads):
    """Of one set of points: who, and by how many threads; those of a device have 0."""
    bys = [("sequential", 1), *(("tiles", t) for t in threads), ("cells", threads[-1]), ("device naive", 0),
           ("device tiles", 0)]
    return [{"by": by, "dims": dims, "n": n, "threads": t, "seconds": []} for by, t in bys]


def run_one(laboratory, options, points, experiment):
    """Does an experiment once. Gives the seconds, or None without such a device."""
    answer = laboratory.ask("shift", experiment["n"], points["dims"], experiment["by"].split()[-1],
                            experiment["threads"], options.iterations, points["sigma"], points["radius_squared"],
                            points["delta_squared"])
    if isinstance(answer, str):
        return None
    experiment["iterations"], experiment["clusters"] = map(int, answer[1:])
    return answer[0]


def measure_set(laboratory, options, points, experiments):
    """All runs of a set of points; each experiment is done once before, which does not count."""
    there = [experiment for experiment in experiments if run_one(laboratory, options, points, experiment) is not None]
    for _ in range(options.runs):
        for experiment in there:
            experiment["seconds"].append(run_one(laboratory, options, points, experiment))
    return there


def measure(options, printed):
    for name in ("runs", "iterations", "n", "threads"):
        if getattr(options, name) is not None and getattr(options, name) < 1:
            raise Failure(f"--{name} is {getattr(options, name)}, expected at least 1", 2)
    threads = thread_numbers(options.threads or len(os.sched_getaffinity(0)))
    found = []
    device = ["--device", options.device] if options.device else []
    with Experiments(options.perf, "--threads", threads[-1], *device) as laboratory:
        for points in printed["sets"]:
            for n in [options.n] if options.n else printed["sizes"]:
                found += measure_set(laboratory, options, points, experiments_of(points["dims"], n, threads))
        context = laboratory.end()
    return {"context": context, "experiments": found,
            "conditions": f"{context['threads']}; device: {context.get('device', 'none but the host')}; "
                          f"{options.iterations} iterations at most, without eps; {options.runs} runs"}


# ---- tables ----------------------------------------------------------------------------------------------------------

def of_iteration(experiment):
    """Mean and variance of the seconds of an iteration."""
    times = [seconds / experiment["iterations"] for seconds in experiment["seconds"]]
    return statistics.mean(times), statistics.variance(times) if len(times) > 1 else 0


def speedup(above, below):
    """The paper's equations 5 and 6: how much faster the second one is, and the variance of that."""
    (a, a_variance), (b, b_variance) = of_iteration(above), of_iteration(below)
    return a / b, (a / b) ** 2 * (a_variance / a ** 2 + b_variance / b ** 2)


def speedups(figure, experiments):
    """[(experiment, speed-up, variance)] of a figure."""
    found = []
    for one in experiments:
        over = next((other for other in experiments if other["by"] == figure["over"] and other["threads"] == 1
                     and (other["dims"], other["n"]) == (one["dims"], one["n"])), None)
        if one["by"] in figure["by"] and over:
            found.append((one, *speedup(over, one)))
    return found


def named(experiment):
    """"N = 1000, D = 2, T = 8", of a device without T."""
    threads = ", T = {threads}" if experiment["threads"] else ""
    return ("N = {n}, D = {dims}" + threads).format(**experiment)


def extremes(figure, found):
    """Rows of the largest and the smallest speed-up, the paper's and ours; cells, which do less, are no part of it."""
    mine = sorted(((s, named(one)) for one, s, _ in found if one["by"] != "cells"), key=lambda pair: pair[0])
    for word, at in (("largest", -1), ("smallest", 0)):
        yield [word, *figure[word], *((digits(mine[at][0], 4), mine[at][1]) if mine else (None, None))]


def where(experiment):
    return [experiment["by"], experiment["dims"], experiment["n"], experiment["threads"] or None]


def tables(printed, measured):
    rows = []
    for one in measured["experiments"]:
        mean, variance = of_iteration(one)
        rows.append([*where(one), digits(1e3 * mean, 4), digits(1e3 * math.sqrt(variance), 2), one["iterations"],
                     digits(1e3 * mean * one["iterations"], 4), one["clusters"]])
    yield {"title": "Figure 1. Times", "rows": rows,
           "columns": ["by", "D", "N", "T", "ms an iteration", "deviation", "iterations", "ms in all", "clusters"],
           "notes": [ABOUT, "The paper does all iterations; the library ends where nothing moves any more, so that all "
                     "speed-ups are those of one iteration. The paper prints no numbers of this figure."]}
    for number, figure in printed["figures"].items():
        found = speedups(figure, measured["experiments"])
        yield {"title": f"Figure {number}. {figure['title']}: extremes", "rows": list(extremes(figure, found)),
               "columns": ["extreme", "paper", "of", "here", "of"],
               "notes": [f"The paper's are of its own machine: {printed['machine']}."]}
        if found:
            yield {"title": f"Figure {number}. {figure['title']}",
                   "columns": ["by", "D", "N", "T", "speed-up", "deviation"],
                   "rows": [[*where(one), digits(s, 4), digits(math.sqrt(v), 2)] for one, s, v in found],
                   "notes": ["Quotients of mean times of an iteration; the deviation is by the paper's equation 6."]}
