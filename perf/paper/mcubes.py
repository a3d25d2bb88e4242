# SPDX-License-Identifier: Apache-2.0
"""The m-CUBES paper: tables 1 and 2, integrals to a relative error. Of its figures it prints no numbers.

If samples do not reach the error, four times as many an iteration do, as long as time lasts."""
import time

from harness import Experiments, digits

SEED = 20261123
FIRST_CALLS, MORE_CALLS = 1000000, 4  # samples of the first iterations, and how many times as many with each try
SKIPPED = 3  # iterations that do not count
INTEGRATORS = ("mcubes", "vegas_plus", "gsl")
ABOUT = ("mcubes and vegas_plus are the library's variants, gsl is GSL's VEGAS. An integral has reached its relative "
         "error if its standard deviation says so and chi-square is at most 1.5 per degree of freedom.")


def add_options(parser):
    parser.add_argument("--seconds", type=float, default=10, help="how long an integral may take; default: 10")
    parser.add_argument("--threads", default="1", help="threads of the host; default: 1")
    parser.add_argument("--peer-timeout", default="600", metavar="S", help="seconds that GSL may take for an integral")


# ---- measuring -------------------------------------------------------------------------------------------------------

NAMES = ("estimate", "error", "true", "evaluations", "reached", "kernel", "seconds")


def climb(experiments, f, by, tau, seconds, iterations):
    """With ever more samples until the error is reached: not if two iterations that count would take longer than is
    left. Gives the integral, or a reason for none."""
    start, calls, left = time.monotonic(), FIRST_CALLS, seconds
    while True:
        answer = experiments.ask("integral", f, by, calls, iterations, SKIPPED, tau, left, SEED)
        if isinstance(answer, str):
            return answer
        found = dict(zip(NAMES, answer))
        left = seconds - (time.monotonic() - start)
        following = (SKIPPED + 2) * MORE_CALLS * calls * found["seconds"] / max(found["evaluations"], 1)
        if found["reached"] or not following < left:
            return found
        calls *= MORE_CALLS


def measure(options, printed):
    tabled = []
    with Experiments(options.perf, "--device", "cpu", "--threads", options.threads, "--peer-timeout",
                     options.peer_timeout) as experiments:
        for by in INTEGRATORS:
            for f, of in printed["tabled"].items():
                found = climb(experiments, f, by, printed["tau"], options.seconds, of["iterations"])
                if not isinstance(found, str):
                    tabled.append({"integrand": f, "by": by, **found})
        context = experiments.end()
    return {"context": context, "tabled": tabled,
            "conditions": f"{context['threads']}; GSL: {context.get('peers') or context.get('peers_left_out')}; "
                          f"{options.seconds:g} s"}


# ---- tables ----------------------------------------------------------------------------------------------------------

def yes(reached):
    return "yes" if reached else "no"


def table1(printed, measured):
    rows = []
    for f, of in printed["tabled"].items():
        rows += [[f, f"paper: {by}", of["true"], *rest, None, None]
                 for g, by, *rest in printed["table 1"] if g == f]
        rows += [[f, row["by"], digits(row["true"], 8), digits(row["estimate"], 7), digits(row["error"], 3),
                  digits(1e3 * row["seconds"], 4), digits(row["evaluations"], 4), yes(row["reached"])]
                 for row in measured["tabled"] if row["integrand"] == f]
    return {"title": "Table 1. ZMCintegral and m-CUBES", "rows": rows,
            "columns": ["integrand", "by", "true value", "estimate", "error", "ms", "evaluations", "reached"],
            "notes": [ABOUT, f"To a relative error of {printed['tau']:g}, by at most 10 and 15 iterations. The paper's "
                      "own, of a V100, does not reach it for fA either."]}


def table2(printed, measured):
    rows = []
    for f in printed["tabled"]:
        rows += [[f, f"paper: {by}", *times, None] for g, by, *times in printed["table 2"] if g == f]
        rows += [[f, row["by"], round(1e3 * row["kernel"], 3), round(1e3 * row["seconds"], 3), yes(row["reached"])]
                 for row in measured["tabled"] if (row["integrand"], row["by"]) == (f, "mcubes")]
    return {"title": "Table 2. Times in kernels and in all", "rows": rows,
            "columns": ["integrand", "by", "kernel ms", "total ms", "reached"],
            "notes": ["The paper's are of a V100; ours is the integral of table 1 by mcubes, sampling and all of it."]}


def tables(printed, measured):
    yield table1(printed, measured)
    yield table2(printed, measured)
