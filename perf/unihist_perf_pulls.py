# SPDX-License-Identifier: Apache-2.0
"""The tables, the file and the picture of unihist-perf integrate --pulls, made of the harness's sums (perf/pulls.c)."""
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


def read(text):
    """What has been found, and in which context, of a file."""
    table = json.loads(text)[0]
    found = [dict(zip(table["columns"], row)) for row in table["rows"]]
    tables(found)  # or an exception: it is another file
    return found, {key: value for key, value in table.items() if isinstance(value, str) and key != "title"}


def print_table(table):
    lines = [["-" if cell is None else f"{cell:g}" if isinstance(cell, float) else str(cell) for cell in row]
             for row in [table["columns"], *table["rows"]]]
    widths = [max(map(len, column)) for column in zip(*lines)]
    print(f"\n{table['title']}", *("  ".join(map(str.ljust, line, widths)).rstrip() for line in lines), sep="\n")


# ---- the picture -----------------------------------------------------------------------------------------------------

LEFT, WIDTH, GAP, ROW = 150, 330, 40, 18  # of the first panel; of a panel; between two; of an integrator


def panel(left, top, names, title, low, high, good, dots):
    """Yields a panel: for each integrator a dot an integrand, (integrator, value, whether it has failed), and a bar at
    their geometric mean. `good` are the bounds of a band, `low` and `high` powers of 10."""
    def x(value):
        return round(left + WIDTH * (min(max(math.log10(value), low), high) - low) / (high - low), 1)

    height = ROW * len(names) + 4
    yield (f'<text x="{left}" y="{top + 14}">{title}</text><rect x="{x(good[0])}" y="{top + 40}" fill="#dfd" '
           f'width="{x(good[1]) - x(good[0]):.1f}" height="{height}"/>')
    for power in range(low, high + 1, 1 if high - low < 9 else 2):
        yield (f'<path d="M{x(10 ** power)} {top + 40}v{height}" stroke="{"#ddd" if power else "#888"}"/><text '
               f'x="{x(10 ** power)}" y="{top + 34}" text-anchor="middle" fill="#555" font-size="11">10<tspan dy="-4" '
               f'font-size="8">{power}</tspan></text>')
    for y, name in enumerate(names):
        y = top + 53 + ROW * y
        for failed, colour in ((False, "#1f77b4"), (True, "#d62728")):
            places = "".join(f"M{x(value)} {y}h0" for by, value, has in dots if by == name and has == failed)
            yield f'<path d="{places}" stroke="{colour}" stroke-opacity="0.55" stroke-width="8" stroke-linecap="round"/>'
        mean = geometric_mean(value for by, value, _ in dots if by == name)
        yield f'<path d="M{x(mean)} {y - 7}v14" stroke="black" stroke-width="2"/>' if mean else ""


def picture(every):
    """SVG: two panels for each class of dimensions."""
    names = list(dict.fromkeys(p["by"] for p in every))
    parts = [part for part in list(PARTS)[:3] if of_part(every, part)]
    height = 70 + ROW * len(names)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + 2 * WIDTH + GAP + 20}" height="{height * len(parts) + 24}" '
           'font-family="sans-serif" font-size="13"><rect width="100%" height="100%" fill="white"/>']
    for i, part in enumerate(parts):
        found, top = of_part(every, part), 10 + height * i
        names_at = "".join(f'<text x="{LEFT - 10}" y="{top + 57 + ROW * k}" text-anchor="end">{name}</text>'
                           for k, name in enumerate(names))
        out.append("".join([
            f'<text x="8" y="{top + 14}" font-weight="bold">{part}</text>{names_at}',
            *panel(LEFT, top, names, "RMS pull of an integrand: true error / reported error", -2, 3, (0.8, 1.3),
                   [(p["by"], p["RMS pull"], p["silent"] > 0) for p in with_pull(found)]),
            *panel(LEFT + WIDTH + GAP, top, names, f"calls of {GSL} / calls, to equal true error", -6, 6, (1, 1e6),
                   [(p["by"], ratio, p["silent"] > 0) for p, ratio in times(found) if ratio > 0])]))
    return "".join([*out, f'<text x="8" y="{height * len(parts) + 14}" fill="#555" font-size="12">A dot an integrand, red: '
                      'with silent failures. A bar: the geometric mean. Dots at a side may be beyond it.</text>', "</svg>\n"])
