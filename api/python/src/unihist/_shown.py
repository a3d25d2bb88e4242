# SPDX-License-Identifier: Apache-2.0
"""Histograms as text, and as pictures by matplotlib: bars, or a map of cells."""
from __future__ import annotations

import importlib
import io
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ._arrays import Array
from ._axis import Axis

ROWS = 20  # bins in a text; the first and the last of more
BAR = 40  # characters of the longest bar
HUGE, TINY = 1e300, 1e-300  # matplotlib draws nothing beyond
EIGHTHS = " ▏▎▍▌▋▊▉"


def _bin_text(axis: Axis, bin: int) -> str:
    """A bin, of which 0 is the flow bin below, if there is one."""
    at, last, closed = bin - axis._flow[0], len(axis) - 1, axis.closed
    if axis.traits.discrete and 0 <= at <= last:
        return f"{axis[at]:g}" if not isinstance(axis[at], str) else axis[at]
    left = at < 0 or at > last or at == 0 and not closed.startswith("half") or closed.endswith("left")
    right = at > last or at == last and not closed.startswith("half") or closed.endswith("right")
    if at < 0:
        right = closed == "half-open right"
    elif at > last:
        left = closed == "half-open left"
    edges = [-math.inf, *axis.edges, math.inf]
    ends = ", ".join(f"{end:g}" if isinstance(end, float) else str(end) for end in edges[at + 1:at + 3])
    return f"{'[' if left else '('}{ends}{']' if right else ')'}" if axis.traits.ordered else "other"


def _bar(share: float) -> str:
    eighths = round(8 * BAR * share) if 0 < share <= 1 else 0
    return "█" * (eighths // 8) + EIGHTHS[eighths % 8].strip()


def text_of(axis: Axis, values: Array, flow: Sequence[int]) -> str:
    """A line per bin, with its edges, its value and a bar; and the points in no bin."""
    number = axis.extent
    shown = [*range(number)] if number <= ROWS else [*range(ROWS // 2), *range(number - ROWS // 2, number)]
    names = [_bin_text(axis, bin) for bin in shown]
    numbers = [f"{values[bin]:.10g}" for bin in shown]
    high = max((float(values[bin]) for bin in shown if math.isfinite(values[bin])), default=0.0)
    wide = [max(map(len, column), default=0) for column in (names, numbers)]
    lines = [f"{name:>{wide[0]}}  {value:>{wide[1]}}  {_bar(float(values[bin]) / high if high > 0 else 0)}".rstrip()
             for name, value, bin in zip(names, numbers, shown)]
    if number > ROWS:
        lines.insert(ROWS // 2, "...")
    lines += [f"{name}: {points}" for name, points in zip(("below", "above", "nan"), flow) if points]
    return "\n".join(lines)


def _drawable(edges: Array) -> tuple[Array, str]:
    """Distinct finite edges, and their scale: logarithmic if they span decades."""
    if edges.dtype.kind in "mM":
        edges = edges.astype(f"{edges.dtype.kind}8[us]").astype(np.int64).astype(float)
    finite = edges[np.isfinite(edges)]
    if finite.size < 2 or not TINY < finite[-1] / 4 - finite[0] / 4 < HUGE or max(abs(finite[[0, -1]])) > HUGE:
        edges = finite = np.arange(edges.size, dtype=float)
    step = (finite[-1] - finite[0]) / (finite.size - 1)
    edges = np.clip(edges, finite[0] - step, finite[-1] + step)  # infinite bins
    return edges, "log" if 0 < edges[0] <= edges[-1] / 1000 else "linear"


def figure_of(edges: Sequence[Array], values: Array) -> Any:
    """A figure of bars over one axis, or a map over two, the first to the right."""
    figure = importlib.import_module("matplotlib.figure").Figure(figsize=(6.4, 3.6), layout="constrained")
    axes, shown = figure.add_subplot(), [_drawable(e) for e in edges]
    numbers = np.where(np.isfinite(values), values, 0)
    if (high := np.abs(numbers).max()) > HUGE:
        numbers = numbers / high
        figure.suptitle(f"divided by {high:g}")
    if len(shown) == 1:
        axes.stairs(numbers, shown[0][0], fill=True)
    else:
        cells = axes.pcolormesh(shown[0][0], shown[1][0], np.ma.masked_equal(numbers, 0).T)
        figure.colorbar(cells)
    for (_, scale), set_scale in zip(shown, (axes.set_xscale, axes.set_yscale)):
        set_scale(scale)
    return figure


def picture_of(edges: Sequence[Array], values: Array) -> bytes | None:
    """PNG of a histogram over one or two axes, if matplotlib is installed."""
    if not values.size or len(edges) > 2:
        return None
    file = io.BytesIO()
    try:
        figure_of(edges, values).savefig(file, format="png")
    except ImportError:
        return None
    return file.getvalue()
