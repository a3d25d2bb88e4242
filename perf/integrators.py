#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""integrators.py [FILE]: writes the picture, SVG, of what unihist-perf integrate --pulls --json has written; without a file
of perf/results/integrators.json, which is api/docs/integrators.svg."""
import json
import math
import pathlib
import sys

from unihist_perf_pulls import GSL, PARTS, geometric_mean, of_part, times, with_pull

RESULTS = pathlib.Path(__file__).resolve().parent / "results" / "integrators.json"
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


def read(path):
    table = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))[0]
    return [dict(zip(table["columns"], row)) for row in table["rows"]]


if __name__ == "__main__":
    print(picture(read((sys.argv[1:] or [RESULTS])[0])), end="")
