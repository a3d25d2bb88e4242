# SPDX-License-Identifier: Apache-2.0
"""Histograms as text and as pictures, which are read here by the PNG specification."""
import struct
import zlib

import numpy as np
import pytest

from unihist import Axis, Histogram, _shown

FILL, PAPER, INK = _shown.FILL, _shown.PAPER, _shown.INK
LEFT, RIGHT, TOP, BOTTOM = _shown.LEFT, _shown.WIDTH - _shown.RIGHT, _shown.TOP, _shown.HEIGHT - _shown.BOTTOM


def pixels_of(png):
    """The pixels of a PNG file of 8 bits a channel whose rows are not filtered."""
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    chunks, at = [], 8
    while at < len(png):
        length, = struct.unpack_from(">I", png, at)
        kind, data = png[at + 4:at + 8], png[at + 8:at + 8 + length]
        assert struct.unpack_from(">I", png, at + 8 + length) == (zlib.crc32(kind + data),)
        chunks.append((kind, data))
        at += 12 + length
    assert [kind for kind, _ in chunks] == [b"IHDR", b"IDAT", b"IEND"]
    width, height, depth, colour, *rest = struct.unpack(">IIBBBBB", chunks[0][1])
    assert (depth, colour, rest) == (8, 2, [0, 0, 0])
    rows = np.frombuffer(zlib.decompress(chunks[1][1]), np.uint8).reshape(height, 1 + 3 * width)
    assert not rows[:, 0].any()
    return rows[:, 1:].reshape(height, width, 3)


def bars_of(h):
    """How high the bars are in the middle of each bin, in pixels; below zero negative."""
    filled = (pixels_of(h._repr_png_()) == FILL).all(-1)[:, LEFT:RIGHT]
    return filled.sum(0)


def test_bars_are_as_high_as_counts_and_as_wide_as_bins():
    h = Histogram([0, 1, 3, 4]).fill(np.repeat([0.5, 2, 3.5], [10, 40, 20]))
    columns = bars_of(h)
    quarter = (RIGHT - LEFT) / 4
    for at, count in [(0.5, 10), (1.2, 40), (2.8, 40), (3.5, 20)]:
        assert columns[int(at * quarter)] == pytest.approx(count / 40 * (BOTTOM - TOP), abs=1)
    assert abs(np.sum(columns == columns[int(2 * quarter)]) - 2 * quarter) <= 2


def test_of_narrow_bins_the_tallest_are_seen():
    h = Histogram(Axis.equal(100_000, 0, 1), storage="sum").fill([0.25, 0.5, 0.75], weight=[2.0, -4, 3])
    columns = bars_of(h)
    assert np.count_nonzero(columns) == 3
    heights = columns[columns > 0] / (BOTTOM - TOP) * 7
    assert heights == pytest.approx([2, 4, 3], abs=0.05)


def test_decades_are_alike():
    h = Histogram(Axis.log(4, 0.01, 100)).fill([0.05, 5])
    assert np.flatnonzero(np.diff((bars_of(h) > 0).astype(int))) / (RIGHT - LEFT) == pytest.approx([0.25, 0.5, 0.75],
                                                                                               abs=0.01)


def test_cells_lie_where_their_axes_say():
    h = Histogram([0, 1, 2], [0, 1, 2, 4]).fill([0.5, 1.5, 1.5], [0.5, 3, 3])
    pixels = pixels_of(h._repr_png_())
    across, up = (RIGHT - LEFT) // 2, (BOTTOM - TOP) / 4
    low, high = pixels[int(BOTTOM - up / 2), LEFT + across // 2], pixels[int(BOTTOM - 3 * up), RIGHT - across // 2]
    assert high.tolist() == _shown.COLOURS[-1].tolist() and low.tolist() not in (high.tolist(), list(PAPER))
    assert pixels[int(BOTTOM - up / 2), RIGHT - across // 2].tolist() == list(PAPER)


@pytest.mark.parametrize("h", [
    Histogram([-np.inf, 0, 1, np.inf]).fill([0.5, 7]), Histogram([-np.inf, np.inf]).fill([1]), Histogram([2, 2]),
    Histogram([1, 2], storage="mean"), Histogram(Axis.categories([7, 1])).fill([1]),
    Histogram(Axis.growing()).fill([3])])
def test_all_axes_are_drawn(h):
    assert (pixels_of(h._repr_png_()) == INK).all(-1).sum() > 100


def test_what_cannot_be_drawn_is_not():
    assert Histogram([0, 1], [0, 1], [0, 1])._repr_png_() is None and Histogram(Axis.growing())._repr_png_() is None


def test_text_has_a_line_for_each_bin():
    h = Histogram([0, 1, 2]).fill([0.5, 1, 2, 2, 3, np.nan])
    bars = ["█" * 13 + "▍", "█" * 40]
    assert str(h).splitlines()[1:] == ["[0, 1)  1  " + bars[0], "[1, 2]  3  " + bars[1], "above: 1", "nan: 1"]
    half = Histogram(Axis([0, 1, 2], closed="half-open right"))
    assert str(half).splitlines()[1:] == ["(0, 1]  0", "(1, 2]  0"]
    assert str(Histogram(Axis([0, 1, 2], closed="right"))).splitlines()[1:] == ["[0, 1]  0", "(1, 2]  0"]
    assert str(Histogram(Axis.categories([7, 1])).fill([1])).splitlines()[1:] == ["7  0", "1  1  " + "█" * 40]
    lines = str(Histogram(Axis.integers(0, 99)).fill([5, 95])).splitlines()
    assert len(lines) == 22 and lines[11] == "..." and lines[6].split()[:3] == ["[5,", "6)", "1"]
    assert str(Histogram([0, 1], [0, 1])) == repr(Histogram([0, 1], [0, 1]))
    assert "nan" in str(Histogram([0, 1], storage="mean"))
