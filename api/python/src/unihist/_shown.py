# SPDX-License-Identifier: Apache-2.0
"""Histograms as text, and as pictures (PNG): bars, or a map of cells."""
from __future__ import annotations

import math
import struct
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from ._arrays import Array
from ._axis import Axis

ROWS = 20  # bins in a text; the first and the last of more
BAR = 40  # characters of the longest bar
EIGHTHS = " ▏▎▍▌▋▊▉"

WIDTH, HEIGHT = 640, 360
LEFT, RIGHT, TOP, BOTTOM = 90, 20, 16, 40  # margins
PAPER, INK, FILL = (255, 255, 255), (60, 60, 60), (76, 120, 168)
COLOURS = np.array([[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]], float)  # viridis
SIZE = 2  # pixels of a dot of a glyph
# Characters of numbers, 7 rows of 5 dots each.
GLYPHS = {c: bytes.fromhex(rows) for c, rows in {
    "0": "0e11131519110e", "1": "040c040404040e", "2": "0e11010204081f", "3": "1f02040201110e", "4": "02060a121f0202",
    "5": "1f101e0101110e", "6": "0608101e11110e", "7": "1f010204080808", "8": "0e11110e11110e", "9": "0e11110f01020c",
    "-": "0000001f000000", "+": "0004041f040400", ".": "00000000000c0c", "e": "00000e111f100e"}.items()}


# ---- text


def _bin_text(axis: Axis, bin: int) -> str:
    if axis.traits.discrete:
        return f"{axis[bin]:g}" if bin < len(axis) else ""
    low, high = axis[bin]  # type: ignore[misc]
    left = axis.closed.endswith("left")
    whole = not axis.closed.startswith("half-open") and bin == (len(axis) - 1 if left else 0)
    return f"{'[' if left or whole else '('}{low:g}, {high:g}{']' if not left or whole else ')'}"


def _bar(share: float) -> str:
    eighths = round(8 * BAR * share) if 0 < share <= 1 else 0
    return "█" * (eighths // 8) + EIGHTHS[eighths % 8].strip()


def text_of(axis: Axis, values: Array, flow: Sequence[int]) -> str:
    """A line per bin, with its edges, its value and a bar; and the points in no bin."""
    number = len(axis)
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


# ---- pictures


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _png(pixels: Array) -> bytes:
    height, width, _ = pixels.shape
    rows = np.zeros((height, 1 + 3 * width), np.uint8)  # each starts with the number of its filter, 0
    rows[:, 1:] = pixels.reshape(height, -1)
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", head) + _chunk(b"IDAT", zlib.compress(rows.tobytes(), 6)) +
            _chunk(b"IEND", b""))


def _write(pixels: Array, x: float, y: float, text: str, align: float) -> None:
    """Writes a number: its first, middle or last dot (align 0, 0.5, 1) at x, its middle at y."""
    left, top = int(x - align * 6 * SIZE * len(text)), int(y - 3.5 * SIZE)
    for at, char in enumerate(text):
        dots = np.unpackbits(np.frombuffer(GLYPHS.get(char, bytes(7)), np.uint8)[:, None], axis=1)[:, 3:]
        for row, column in np.argwhere(dots):
            corner = top + row * SIZE, left + at * 6 * SIZE + column * SIZE
            pixels[corner[0]:corner[0] + SIZE, corner[1]:corner[1] + SIZE] = INK


class _Scale:
    """Maps edges or values to pixels from `begin` to `end`, logarithmically if they span decades."""

    def __init__(self, edges: Array, begin: float, end: float, may_be_log: bool = True) -> None:
        finite = edges[np.isfinite(edges)]
        if finite.size < 2 or finite[0] == finite[-1]:
            edges = finite = np.arange(edges.size, dtype=float)
        step = (finite[-1] - finite[0]) / (finite.size - 1)
        edges = np.clip(edges, finite[0] - step, finite[-1] + step)  # infinite bins
        self.log = may_be_log and edges[0] > 0 and edges[-1] / edges[0] >= 1000
        self.low, self.high = (math.log10(e) if self.log else float(e) for e in (edges[0], edges[-1]))
        self.begin, self.end = begin, end
        self.pixels = self.place(edges)

    def place(self, x: Any) -> Any:
        """The pixel of a number, or of numbers."""
        along = np.log10(x) if self.log else np.asarray(x)
        return self.begin + (along - self.low) / (self.high - self.low) * (self.end - self.begin)

    def ticks(self) -> list[float]:
        """Round numbers."""
        rough = (self.high - self.low) / 5
        power = 10.0 ** math.floor(math.log10(rough))
        step = next(m * power for m in (1, 2, 5, 10) if m * power >= rough * 0.999)
        step = max(step, 1.0) if self.log else step
        at = [round(i * step, 12 - math.floor(math.log10(step)))
              for i in range(math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9) + 1)]
        return [10.0**t for t in at] if self.log else at


def _frame(pixels: Array, across: _Scale, up: _Scale) -> None:
    """The axes, with ticks."""
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM
    pixels[TOP:bottom + 1, LEFT - 1] = pixels[bottom, LEFT - 1:right] = INK
    for tick in across.ticks():
        x = min(int(across.place(tick)), right - 1)
        pixels[bottom:bottom + 6, x] = INK
        _write(pixels, x, bottom + 18, f"{tick:.6g}", 0.5)
    for tick in up.ticks():
        y = min(max(int(up.place(tick)), TOP), bottom)
        pixels[y, LEFT - 6:LEFT] = INK
        _write(pixels, LEFT - 8, y, f"{tick:.6g}", 1)


def _bins_of_pixels(scale: _Scale, pixels: Array) -> Array:
    """The bin of each pixel's middle."""
    found = np.searchsorted(scale.pixels, pixels + 0.5, side="right") - 1
    return np.clip(found, 0, scale.pixels.size - 2)


def _bars(edges: Array, values: Array) -> Array:
    pixels = np.full((HEIGHT, WIDTH, 3), PAPER, np.uint8)
    values = np.where(np.isfinite(values), values, 0).astype(float)
    across = _Scale(edges, LEFT, WIDTH - RIGHT)
    low, high = min(values.min(initial=0), 0), max(values.max(initial=0), 0)
    up = _Scale(np.array([low, high if high > low else low + 1]), HEIGHT - BOTTOM, TOP, may_be_log=False)
    columns = np.arange(LEFT, WIDTH - RIGHT)
    tallest = values[_bins_of_pixels(across, columns)]
    if values.size > columns.size:  # of several bins in a column, the one farthest from 0
        order = np.argsort(np.abs(values))
        at = np.clip(across.pixels[:-1].astype(int) - LEFT, 0, columns.size - 1)
        tallest[at[order]] = values[order]
    zero, tops = int(up.place(0.0)), np.round(up.place(tallest)).astype(int)
    for column, top in zip(columns, tops):
        pixels[min(top, zero):max(top, zero), column] = FILL
    _frame(pixels, across, up)
    return pixels


def _map(edges: Sequence[Array], values: Array) -> Array:
    pixels = np.full((HEIGHT, WIDTH, 3), PAPER, np.uint8)
    across, up = _Scale(edges[0], LEFT, WIDTH - RIGHT), _Scale(edges[1], HEIGHT - BOTTOM, TOP)
    # Bins are looked up in ascending pixels, so rows are counted from below.
    rising = _Scale(edges[1], TOP, HEIGHT - BOTTOM)
    x = _bins_of_pixels(across, np.arange(LEFT, WIDTH - RIGHT))
    y = _bins_of_pixels(rising, np.arange(TOP, HEIGHT - BOTTOM))[::-1]
    shown = np.where(np.isfinite(values), values, 0).astype(float)[np.ix_(x, y)].T
    low, high = min(shown.min(initial=0), 0), max(shown.max(initial=0), 0)
    share = (shown - low) / (high - low if high > low else 1) * (len(COLOURS) - 1)
    colours = np.stack([np.interp(share, np.arange(len(COLOURS)), channel) for channel in COLOURS.T], -1)
    pixels[TOP:HEIGHT - BOTTOM, LEFT:WIDTH - RIGHT] = np.where((shown != 0)[..., None], colours, PAPER)
    _frame(pixels, across, up)
    return pixels


def picture_of(edges: Sequence[Array], values: Array) -> bytes | None:
    """PNG with bars over one axis, or a map over two, the first to the right. None for other histograms."""
    if not values.size or len(edges) > 2:
        return None
    return _png(_bars(edges[0], values) if len(edges) == 1 else _map(edges, values))
