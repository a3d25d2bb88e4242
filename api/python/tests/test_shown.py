# SPDX-License-Identifier: Apache-2.0
"""Histograms as text and as pictures."""
import sys

import numpy as np
import pytest

from unihist import Axis, Histogram, _shown


def axes_of(h):
    pytest.importorskip("matplotlib")
    values, *edges = h.to_numpy()
    return _shown.figure_of(edges, values).axes[0]


def test_bars_have_values_and_edges():
    bars, = axes_of(Histogram([0, 1, 3, 4]).fill(np.repeat([0.5, 2, 3.5], [10, 40, 20]))).patches
    assert bars.get_data().values.tolist() == [10, 40, 20] and bars.get_data().edges.tolist() == [0, 1, 3, 4]


@pytest.mark.parametrize("axis,scale", [(Axis.log(4, 0.01, 100), "log"), (Axis.equal(4, 1, 100), "linear")])
def test_decades_have_a_logarithmic_scale(axis, scale):
    assert axes_of(Histogram(axis)).get_xscale() == scale == axes_of(Histogram([0, 1], axis)).get_yscale()


def test_cells_are_a_map_with_the_first_axis_to_the_right():
    axes = axes_of(Histogram([0, 1, 2], [0, 1, 2, 4]).fill([0.5, 1.5, 1.5], [0.5, 3, 3]))
    cells = axes.collections[0].get_array()
    assert cells.filled(0).tolist() == [[1, 0], [0, 0], [0, 2]] and cells.mask.sum() == 4
    assert axes.get_xlim() == (0, 2) and axes.get_ylim() == (0, 4)


@pytest.mark.parametrize("h", [
    Histogram([-np.inf, 0, 1, np.inf]).fill([0.5, 7]), Histogram([-np.inf, np.inf]).fill([1]), Histogram([2, 2]),
    Histogram([1, 2], storage="mean"), Histogram(Axis.categories([7, 1])).fill([1]),
    Histogram(Axis.growing()).fill([3]), Histogram([-np.inf, 0, 1], [2, 2]),
    Histogram([-1.7e308, 0, 1.7e308]).fill([1]), Histogram([0, 5e-324, 1e-323]).fill([0]),
    Histogram([1e308, 1.2e308]), Histogram([1e-310, 1]).fill([0.5]),
    Histogram([0, 1, 2], storage="sum").fill([0, 1], weight=[-1.7e308, 1.7e308])])
def test_all_axes_are_drawn(h):
    pytest.importorskip("matplotlib")
    assert h._repr_png_().startswith(b"\x89PNG")


def test_other_histograms_and_missing_matplotlib_give_no_picture(monkeypatch):
    assert Histogram([0, 1], [0, 1], [0, 1])._repr_png_() is None and Histogram(Axis.growing())._repr_png_() is None
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    assert Histogram([0, 1])._repr_png_() is None


def test_text_has_a_line_for_each_bin():
    h = Histogram([0, 1, 2]).fill([0.5, 1, 2, 2, 3, np.nan])
    bars = ["█" * 13 + "▍", "█" * 40]
    assert str(h).splitlines()[1:] == ["[0, 1)  1  " + bars[0], "[1, 2]  3  " + bars[1], "above: 1", "nan: 1"]
    half = Histogram(Axis([0, 1, 2], closed="half-open right"))
    assert str(half).splitlines()[1:] == ["(0, 1]  0", "(1, 2]  0"]
    assert str(Histogram(Axis([0, 1, 2], closed="right"))).splitlines()[1:] == ["[0, 1]  0", "(1, 2]  0"]
    assert str(Histogram(Axis.categories([7, 1])).fill([1])).splitlines()[1:] == ["7  0", "1  1  " + "█" * 40]
    for closed, expected in [("left", "[-inf, 0) [0, 1) [1, 2] (2, inf]"),
                             ("right", "[-inf, 0) [0, 1] (1, 2] (2, inf]"),
                             ("half-open left", "[-inf, 0) [0, 1) [1, 2) [2, inf]"),
                             ("half-open right", "[-inf, 0] (0, 1] (1, 2] (2, inf]")]:
        names = [line.rsplit("  ", 1)[0].strip() for line in
                 str(Histogram(Axis([0, 1, 2], closed=closed).with_flow_bins())).splitlines()[1:]]
        assert " ".join(names) == expected
    lines = str(Histogram(Axis.integers(0, 99)).fill([5, 95])).splitlines()
    assert len(lines) == 22 and lines[11] == "..." and lines[6].split()[:3] == ["[5,", "6)", "1"]
    assert str(Histogram([0, 1], [0, 1])) == repr(Histogram([0, 1], [0, 1]))
    assert "nan" in str(Histogram([0, 1], storage="mean"))
