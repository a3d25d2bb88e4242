# SPDX-License-Identifier: Apache-2.0
"""The m-CUBES paper: tables 1 and 2 and figures 1 to 3, integrals to ever smaller relative errors.

A level of a figure begins with as many samples an iteration as the one before needed; if they do not reach the
error, four times as many do, as long as time lasts. Then other seeds follow."""
import statistics
import time

from harness import Experiments, digits

SEED = 20261123
FIRST_CALLS, MORE_CALLS = 1000000, 4  # samples of the first iterations, and how many times as many with each try
ITERATIONS, SKIPPED = 20, 3
LEVELS = 9  # 10^-3, divided by 5 as long as it is not below 10^-9
TABLED_TIMES = 5  # how many times --seconds an integral of the tables may take
TIMED_RUNS = 3  # runs whose median counts if achieved errors are not shown
INTEGRATORS = ("mcubes", "mcubes1d", "vegas_plus", "plain", "gsl")
ABOUT = ("mcubes, mcubes1d, vegas_plus and plain are the library's variants, gsl is GSL's VEGAS. An integral has "
         "reached its relative error if its standard deviation says so and chi-square is at most 1.5 a degree of "
         "freedom.")
NO_NUMBERS = "The paper prints no numbers of this figure."


def add_options(parser):
    parser.add_argument("--seeds", type=int, default=20,
                        help="integrals of a box of figure 1; default: 20, the paper has 100")
    parser.add_argument("--seconds", type=float, default=2,
                        help="how long an integral, and the others of a box, may take (of tables 1 and 2 five times as "
                             "long); default: 2")
    parser.add_argument("--threads", default="1", help="threads of the host; default: 1")
    parser.add_argument("--peer-timeout", default="600", metavar="S", help="seconds that GSL may take for an integral")


# ---- measuring -------------------------------------------------------------------------------------------------------

NAMES = ("estimate", "error", "true", "evaluations", "reached", "kernel", "seconds")


class Laboratory:
    def __init__(self, experiments, seconds):
        self.experiments, self.seconds = experiments, seconds

    def integral(self, f, by, calls, tau, seconds, seed, iterations):
        skipped = 0 if by == "plain" else SKIPPED
        answer = self.experiments.ask("integral", f, by, calls, iterations, skipped, tau, seconds, seed)
        return answer if isinstance(answer, str) else dict(zip(NAMES, answer))

    def climb(self, f, by, calls, tau, seconds, iterations=ITERATIONS):
        """With ever more samples until the error is reached: not if two iterations that count would take longer
        than is left. Gives the samples, the time limit of the last try, and its integral."""
        start, limit = time.monotonic(), seconds
        while True:
            found = self.integral(f, by, calls, tau, limit, SEED, iterations)
            if isinstance(found, str):
                return calls, limit, found
            left = seconds - (time.monotonic() - start)
            skipped = 0 if by == "plain" else SKIPPED
            following = (skipped + 2) * MORE_CALLS * calls * found["seconds"] / max(found["evaluations"], 1)
            if found["reached"] or not following < left:
                return calls, limit, found
            calls, limit = calls * MORE_CALLS, left

    def level(self, f, by, calls, tau, runs):
        """One relative error: whether and how soon it is reached, and by other seeds, as long as there is time."""
        calls, limit, found = self.climb(f, by, calls, tau, self.seconds)
        if isinstance(found, str):
            return found
        start, done, times, errors = time.monotonic(), 0, [], []
        while found["reached"] or done:
            if found["reached"]:
                times.append(1e3 * found["seconds"])
                errors.append(abs(found["estimate"] / found["true"] - 1))
            done += 1
            if done == runs or time.monotonic() - start > self.seconds:
                break
            found = self.integral(f, by, calls, tau, limit, SEED + done, ITERATIONS)
        return {"asked": tau, "samples": calls, "runs": done, "reached": len(errors), "errors": sorted(errors),
                "milliseconds": statistics.median(times) if times else None}

    def series(self, f, by, runs):
        levels, calls = [], FIRST_CALLS
        while len(levels) < LEVELS and (not levels or levels[-1]["reached"]):
            level = self.level(f, by, calls, 1e-3 / 5 ** len(levels), runs)
            if isinstance(level, str):
                return None
            levels.append(level)
            calls = level["samples"]
        return levels


def measure(options, printed):
    tabled, series = [], []
    with Experiments(options.perf, "--device", "cpu", "--threads", options.threads, "--peer-timeout",
                     options.peer_timeout) as experiments:
        laboratory = Laboratory(experiments, options.seconds)
        for by in INTEGRATORS:
            for f, of in printed["tabled"].items():
                if by in ("mcubes", "vegas_plus", "gsl"):
                    found = laboratory.climb(f, by, FIRST_CALLS, printed["tau"], TABLED_TIMES * options.seconds,
                                             of["iterations"])[2]
                    if not isinstance(found, str):
                        tabled.append({"integrand": f, "by": by, **found})
            for f in printed["plotted"]:
                runs = options.seeds if by == "mcubes" else min(options.seeds, TIMED_RUNS)
                levels = laboratory.series(f, by, runs) if by != "mcubes1d" or f in printed["symmetric"] else None
                if levels:
                    series.append({"integrand": f, "by": by, "levels": levels})
        context = experiments.end()
    return {"context": context, "tabled": tabled, "series": series,
            "conditions": f"{context['threads']}; GSL: {context.get('peers') or context.get('peers_left_out')}; "
                          f"{options.seeds} seeds, {options.seconds:g} s"}


# ---- tables ----------------------------------------------------------------------------------------------------------

def yes(reached):
    return "yes" if reached else "no"


def quartiles(errors):
    """Smallest, quartiles and largest."""
    inner = statistics.quantiles(errors, n=4, method="inclusive") if len(errors) > 1 else errors * 3
    return [errors[0], *inner, errors[-1]]


class Series:
    def __init__(self, printed, measured):
        self.levels = {(row["integrand"], row["by"]): row["levels"] for row in measured["series"]}
        self.asked = [(f, k) for f in printed["plotted"] for k in range(LEVELS)
                      if any(len(self.levels.get((f, by), ())) > k for by in INTEGRATORS)]

    def milliseconds(self, f, by, k):
        levels = self.levels.get((f, by), [])
        return levels[k]["milliseconds"] if k < len(levels) else None

    def ratio(self, f, above, below, k):
        a, b = self.milliseconds(f, above, k), self.milliseconds(f, below, k)
        return a / b if a and b else None

    def times(self, bys, above, below, only=None):
        """Rows of milliseconds by integrators, and one ratio."""
        return [[f, digits(1e-3 / 5 ** k, 3), *(digits(self.milliseconds(f, by, k), 4) for by in bys),
                 digits(self.ratio(f, above, below, k), 3)]
                for f, k in self.asked if only is None or k < len(self.levels.get((f, only), ()))]


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
    series = Series(printed, measured)
    yield table1(printed, measured)
    yield table2(printed, measured)
    boxes = []
    for f in printed["plotted"]:
        for level in series.levels.get((f, "mcubes"), []):
            row = [f, digits(level["asked"], 3), level["samples"]]
            row += [f"{level['reached']} of {level['runs']}" if level["reached"] else "not in time"]
            errors = quartiles(level["errors"]) if level["reached"] else [None] * 5
            boxes.append(row + [digits(x, 3) for x in errors])
    yield {"title": "Figure 1. Achieved relative errors", "rows": boxes,
           "columns": ["integrand", "asked for", "samples an iteration", "reached", "smallest", "first quartile",
                       "median", "third quartile", "largest"],
           "notes": ["By mcubes: seeds that reached the error, and how far they were from the closed form.",
                     NO_NUMBERS + " The paper has 100 runs a box; f1 is not in its plots: no VEGAS evaluated it well."]}
    yield {"title": "Figure 2. Milliseconds by integrators",
           "columns": ["integrand", "asked for", "mcubes", "vegas_plus", "gsl", "plain", "gsl / vegas_plus"],
           "rows": series.times(("mcubes", "vegas_plus", "gsl", "plain"), "gsl", "vegas_plus"),
           "notes": [NO_NUMBERS + " It has gVEGAS on a V100, which is not run here; by its text m-CUBES can be more "
                     "than ten times as fast."]}
    yield {"title": "Figure 3. How much faster mcubes1d is with coordinates that may be exchanged",
           "columns": ["integrand", "asked for", "mcubes", "mcubes1d", "times"],
           "rows": series.times(("mcubes", "mcubes1d"), "mcubes", "mcubes1d", only="mcubes1d"),
           "notes": [NO_NUMBERS]}
