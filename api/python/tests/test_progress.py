# SPDX-License-Identifier: Apache-2.0
"""Long work reports its progress, is logged, and is ended by Ctrl-C."""
import logging
import os
import sys

import numpy as np
import pytest

import unihist
from unihist import Axis, Histogram, _progress

STRIDE = _progress.STRIDE
LONG = 2 * STRIDE + 5
HALF = np.broadcast_to(np.float32(0.5), LONG)  # no memory
LONGER = np.broadcast_to(np.float32(0.5), 1 << 33)  # some seconds
CALLS = {
    "histogram": (lambda x, **how: unihist.histogram(x, [0, 0.25, 1], **how)[0][1], LONG),
    "equal bins": (lambda x, **how: unihist.histogram(x, 4, (0, 1), **how)[0][2], LONG),
    "own range": (lambda x, **how: unihist.histogram(x, 2, **how)[0][1], LONG),
    "weights": (lambda x, **how: unihist.histogram(x, [0, 1], weights=x, **how)[0][0], LONG / 2),
    "histogram2d": (lambda x, **how: unihist.histogram2d(x, x, [[0, 1]] * 2, **how)[0][0, 0], LONG),
    "growing": (lambda x, **how: Histogram(Axis.growing()).fill(np.broadcast_to(np.int8(1), x.size), **how)[1], LONG),
    "fill": (lambda x, **how: Histogram([0, 1]).fill(x, **how).total().inside, LONG),
}


@pytest.mark.parametrize("call", CALLS)
def test_pieces_are_reported_and_add_up(call):
    reports, (function, expected) = [], CALLS[call]
    assert function(HALF, progress=lambda *at: reports.append(at)) == expected
    assert reports == [(STRIDE, LONG), (2 * STRIDE, LONG), (LONG, LONG)]
    assert function(HALF) == expected


@pytest.mark.skipif("UNIHIST_TEST_COARSE" in os.environ, reason="takes seconds, and memory")
def test_stored_pieces_are_those_of_one_call():
    reports = []
    index = unihist.digitize(HALF, [0.25, 0.75], progress=lambda *at: reports.append(at))
    assert reports[-1] == (LONG, LONG) and index.min() == index.max() == 1
    sampler = unihist.Sampler([1, 2, 4])
    drawn = sampler.draw(LONG, seed=1, dtype="i4")
    assert drawn[-5:].tolist() == sampler.draw(5, seed=1, offset=LONG - 5).tolist()
    assert sampler.count(LONG, seed=1).tolist() == np.unique(drawn, return_counts=True)[1].tolist()


def test_tqdm_shows_it(capsys):
    pytest.importorskip("tqdm")
    unihist.histogram(np.zeros(7), [0, 1], progress=True)
    assert "7.00/7.00" in capsys.readouterr().err


def test_without_tqdm_it_is_logged(monkeypatch, caplog):
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    with caplog.at_level(logging.DEBUG, "unihist"):
        Histogram([0, 1]).fill(HALF, progress=True)
    lines = [record.getMessage() for record in caplog.records if record.name == "unihist"]
    assert f"fill: {2 * STRIDE} of {LONG}" in lines and any(line.startswith(f"fill: {LONG} in ") for line in lines)
    caplog.clear()
    unihist.histogram(np.zeros(7), [0, 1])
    assert not caplog.records


def test_ctrl_c_ends_a_long_fill_between_pieces(interrupted):
    h = Histogram([0, 1], threads=1)
    assert interrupted(lambda: h.fill(LONGER)) < 5
    assert 0 < h.total().inside < LONGER.size and h.total().inside % STRIDE == 0
    assert interrupted(lambda: unihist.histogram(LONGER, 5)) < 5
    assert unihist.histogram(HALF[:9], [0, 1])[0].tolist() == [9]


def test_ctrl_c_ends_mean_shift(interrupted):
    pytest.importorskip("sklearn")
    from unihist.sklearn import MeanShift
    points = np.random.default_rng(1).random((20_000, 3))
    assert interrupted(lambda: MeanShift(bandwidth=0.2, n_jobs=1).fit(points)) < 30
