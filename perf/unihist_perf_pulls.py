# SPDX-License-Identifier: Apache-2.0
"""The tables and the picture of unihist-perf integrate --pulls, made of the harness's sums (perf/pulls.c)."""
import math

VEGAS = "gsl_vegas"  # which others are compared with
MIN_ERROR = 1e-9  # a smaller true error counts as this
COLOURS = ("#1f77b4", "#ff7f0e", "#2ca02c", "#9467bd", "#8c564b", "#d62728", "#e377c2", "#17becf", "#7f7f7f")


def work(pulls):
    """Calls to a true relative error of 1, were it to fall as their root."""
    return pulls["calls"] * max(pulls["error"] if pulls["error"] is not None else math.inf, MIN_ERROR) ** 2


def work_to(pulls, error):
    """Calls to a true error; fewer than were made are not said to suffice."""
    return max(work(pulls) / error ** 2, pulls["calls"])


def geometric_mean(values):
    values = [value for value in values if 0 < value < math.inf]
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None


def rounded(value, digits=3):
    return None if value is None or not math.isfinite(value) else float(f"{value:.{digits}g}")


def ratio(found, by, chosen):
    """Of the calls to equal true error, VEGAS's divided by those of another: a geometric mean."""
    of = {p["name"]: work(p) for p in found if p["by"] == VEGAS and chosen(p)}
    return rounded(geometric_mean([of[p["name"]] / work(p) for p in found
                                   if p["by"] == by and p["name"] in of and 0 < work(p) < math.inf]))


def silent(found, by):
    of = [p for p in found if p["by"] == by and not p["far_peaks"]]
    runs = sum(p["runs"] for p in of)
    return rounded(100 * sum(p["silent"] for p in of) / runs) if runs else None


def pull_range(found, by):
    of = [p["rms"] for p in found if p["by"] == by and p["rms"] > 0 and not (p["heavy"] or p["far_peaks"])]
    return f"{min(of):.2f} to {max(of):.3g}" if of else None


def smooth(fine, by):
    """Calls to 10^-6, of vegas_plus divided by those of another."""
    calls = {name: geometric_mean([work_to(p, 1e-6) for p in fine if p["by"] == name]) for name in (by, "vegas_plus")}
    return rounded(calls["vegas_plus"] / calls[by]) if all(calls.values()) else None


def paper(found, by):
    return rounded(geometric_mean([work_to(p, 1e-4) for p in found if p["by"] == by and p["name"][:1] == "f" and
                                   p["name"][1].isdigit()]))


def tables(every):
    """In the form of perf/results."""
    found, fine = [p for p in every if not p["fine"]], [p for p in every if p["fine"]]
    names = list(dict.fromkeys(p["by"] for p in found))
    cells = sorted({(p["class"], p["dims"]) for p in found})
    low = [("d = 1, 2", 1, 3, 1, 3), ("d = 3, 4", 3, 5, 1, 3), ("d = 5 and more", 5, 99, 3, 10)]
    times = f"calls to equal true error, those of {VEGAS} divided by"
    figures = [
        ["silent failures but of far peaks, per cent", 0.2, 0.02, *(silent(found, by) for by in names)],
        ["RMS pull of an integrand, finite variance", "0.8 to 1.3", "0.9 to 1.15",
         *(pull_range(found, by) for by in names)],
        *([f"{times}: {name}", floor, goal, *(ratio(found, by, lambda p: a <= p["dims"] < b) for by in names)]
          for name, a, b, floor, goal in low),
        ["smooth, d = 5, calls to 1e-6, those of vegas_plus divided by", 30, 1000, *(smooth(fine, by) for by in names)],
        ["calls to 1e-4, the m-CUBES paper's integrands", None, None, *(paper(found, by) for by in names)]]
    ratios = [[*cell, *(ratio(found, by, lambda p: (p["class"], p["dims"]) == cell) for by in names)] for cell in cells]
    return [
        {"title": "Pulls", "columns": ["integrand", "class", "dims", "by", "runs", "converged", "silent", "rms pull", "mean",
                                       "calls", "true error", "calls x error^2"],
         "rows": [[p["name"], p["class"], p["dims"], p["by"], p["runs"], p["converged"], p["silent"],
                   *(rounded(x) for x in (p["rms"], p["mean"], p["calls"], p["error"], work(p)))] for p in every]},
        {"title": times[0].upper() + times[1:], "columns": ["class", "dims", *names],
         "rows": ratios if VEGAS in names else []},
        {"title": "Figures", "columns": ["what", "floor", "goal", *names], "rows": figures}]


def print_table(table):
    lines = [["-" if cell is None else f"{cell:g}" if isinstance(cell, float) else str(cell) for cell in row]
             for row in [table["columns"], *table["rows"]]]
    widths = [max(map(len, column)) for column in zip(*lines)]
    print(f"\n{table['title']}", *("  ".join(map(str.ljust, line, widths)).rstrip() for line in lines), sep="\n")


def picture(every):
    """SVG: for each class of integrands and each integrator, a dot an integrand."""
    found = [p for p in every if not p["fine"]]
    names, classes = (list(dict.fromkeys(p[key] for p in found)) for key in ("by", "class"))
    step = 12 * len(names) + 16
    height = 70 + step * len(classes)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="900" height="{height}" font-family="sans-serif" '
           'font-size="12"><rect width="100%" height="100%" fill="white"/>']
    for i, name in enumerate(names):
        out.append(f'<text x="{90 + i * 800 // len(names)}" y="15" fill="{COLOURS[i % len(COLOURS)]}">{name}</text>')
    for left, title, low, high, value in (
            (90, "RMS pull", -2, 4, lambda p: p["rms"]),
            (500, "calls to a true error of 1e-3", 1, 9, lambda p: 1e6 * work(p))):
        out.append(f'<text x="{left}" y="35">{title}</text>')
        for power in range(low, high + 1):
            x = left + 380 * (power - low) / (high - low)
            out.append(f'<path d="M{x:.1f} 55V{height - 15}" stroke="{"#444" if power == 0 else "#ddd"}"/>'
                       f'<text x="{x:.1f}" y="50" text-anchor="middle" fill="#666">1e{power}</text>')
        for p in found:
            at = math.log10(min(max(value(p), 10 ** low), 10 ** high))
            by = names.index(p["by"])
            out.append(f'<circle cx="{left + 380 * (at - low) / (high - low):.1f}" r="4" fill-opacity="0.6" '
                       f'cy="{70 + step * classes.index(p["class"]) + 12 * by}" fill="{COLOURS[by % len(COLOURS)]}"/>')
    for i, name in enumerate(classes):
        out.append(f'<text x="5" y="{62 + step * i + step // 2}">{name}</text>')
    return "\n".join([*out, "</svg>\n"])
