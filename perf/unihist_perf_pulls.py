# SPDX-License-Identifier: Apache-2.0
"""The tables and the file of unihist-perf integrate --pulls, made of the harness's sums (perf/pulls.c)."""
import itertools
import json
import math

GSL = "gsl_vegas"  # whose calls are compared with those of others
MIN_ERROR = 1e-9  # a smaller true error counts as this
# Parts: sets, dimensions, and floor and goal of silent failures in per cent, of the RMS pull, and of times GSL's calls.
LOW = (0.2, 0.8, 1.3, 1), (0.02, 0.9, 1.15, 3)
PARTS = {"d = 1, 2": ("training test", 1, 2, LOW), "d = 3, 4": ("training test", 3, 4, LOW),
         "d = 5 and more": ("training test", 5, 99, ((0.2, 0.8, 1.3, 3), (0.02, 0.9, 1.15, 10))),
         "smooth, d = 5, to 1e-6": ("smooth", 1, 99, ((None, None, None, 30), (None, None, None, 1000))),
         "m-CUBES paper's, to 1e-4": ("m-CUBES", 1, 99, ())}
NOTES = [
    "Silent: converged, and the true error beyond 5 reported ones; without integrands of far peaks. RMS pull, of true errors "
    "divided by reported ones: the smallest and largest of an integrand; without infinite variance, far peaks and mere rounding.",
    "Calls: geometric mean of those to a true error, the root mean square of all runs' relative differences from the closed "
    "form, as small as requested: those made, or more by the law of their root.",
    f"Times {GSL}: geometric mean of its calls to the true error of another, by the law of their root, divided by the "
    f"other's calls, skipped iterations included; true errors below {MIN_ERROR:g} count as that."]


def rounded(value, digits=4):
    return float(f"{value:.{digits}g}") if isinstance(value, float) and math.isfinite(value) else value


def geometric_mean(values):
    values = [value for value in values if 0 < value < math.inf]
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None


def work(pulls):
    """Calls to a true relative error of 1, by the law of their root."""
    return pulls["calls"] * max(pulls["true error"] if pulls["true error"] is not None else math.inf, MIN_ERROR) ** 2


def of_part(every, part):
    sets, low, high, _ = PARTS[part]
    return [p for p in every if p["set"] in sets.split() and low <= p["dims"] <= high]


def times(found):
    """Pairs of what one has found, and how many times as many calls GSL makes."""
    gsl = {p["integrand"]: work(p) for p in found if p["by"] == GSL}
    return [(p, gsl[p["integrand"]] / work(p)) for p in found if 0 < work(p) < math.inf and p["integrand"] in gsl]


def with_pull(found):
    return [p for p in found if p["RMS pull"] and not p["infinite variance"] and not p["far peaks"]]


def figures(found, by):
    """The columns of the table from the number of integrands on."""
    of = [p for p in found if p["by"] == by]
    runs, silent = (sum(p[key] for p in of if not p["far peaks"]) for key in ("runs", "silent"))
    pulls = [p["RMS pull"] for p in with_pull(of)]
    return [len(of), runs, silent, 100 * silent / runs if runs else None, min(pulls, default=None), max(pulls, default=None),
            geometric_mean(max(work(p) / p["asked"] ** 2, p["calls"]) for p in of),
            geometric_mean(ratio for p, ratio in times(found) if p["by"] == by)]


def tables(every):
    """In the form of perf/results."""
    rows, names = [], dict.fromkeys(p["by"] for p in every)
    for part, (*_, bounds) in PARTS.items():
        found = of_part(every, part)
        rows += [[part, name, None, None, None, *bound[:3], None, bound[3]] for name, bound in zip(("floor", "goal"), bounds)
                 if found]
        rows += [[part, by, *(rounded(x, 3) for x in figures(found, by))] for by in names
                 if any(p["by"] == by for p in found)]
    return [{"title": "Pulls", "columns": list((every or [{}])[0]), "rows": [list(p.values()) for p in every]},
            {"title": "Integrators", "columns": ["part", "by", "integrands", "runs", "silent", "per cent", "RMS pull from",
                                                 "to", "calls", f"times {GSL}"], "notes": NOTES, "rows": rows}]


def as_json(context, made):
    """The rows of a class, or a part, are a line."""
    def lines(table):
        groups = itertools.groupby(table["rows"], lambda row: row[table["columns"][1] == "class"])
        return ",\n".join(", ".join(map(json.dumps, rows)) for _, rows in groups)
    return "[" + ",\n".join(json.dumps({**context, **table, "rows": []})[:-2] + f"\n{lines(table)}]}}" for table in made) + "]\n"


def print_table(table):
    lines = [["-" if cell is None else f"{cell:g}" if isinstance(cell, float) else str(cell) for cell in row]
             for row in [table["columns"], *table["rows"]]]
    widths = [max(map(len, column)) for column in zip(*lines)]
    print(f"\n{table['title']}", *("  ".join(map(str.ljust, line, widths)).rstrip() for line in lines), sep="\n")
