# SPDX-License-Identifier: Apache-2.0
"""Sobol points against SciPy's."""
import numpy as np
import pytest

from unihist import sobol


@pytest.mark.filterwarnings("ignore:The balance properties")
@pytest.mark.parametrize("offset", [0, 2**20 - 300, 2**32 - 600])
def test_points_are_scipys(offset):
    scipys = pytest.importorskip("scipy.stats.qmc").Sobol(1024, scramble=False, bits=32)
    number = np.arange(offset, offset + 600, dtype=np.uint64)
    expected = np.zeros((600, 1024), np.uint32)
    for b in range(32):  # its own way to far points is one step for each before
        expected ^= ((number ^ number >> 1) >> b & 1).astype(np.uint32)[:, None] * scipys._sv[:, b].astype(np.uint32)
    assert offset or np.array_equal(expected / 2**32, scipys.random(600))
    for dtype, words, unit in ("u4", expected, 1), ("f8", expected, 2**-32), ("f4", expected >> 8, 2**-24):
        assert np.array_equal(sobol(1024, 600, scramble="none", offset=offset, dtype=dtype), words * unit)


def test_scrambles_differ_by_seed_and_are_uniform():
    points = np.array([sobol(3, 64, seed=seed, scramble=scramble) for seed in range(50) for scramble in ("owen", "shift")])
    assert len(np.unique(points.reshape(100, -1), axis=0)) == 100
    assert np.all(np.abs(points[:, 0].mean(axis=0) - 0.5) < 5 * 12**-0.5 / 10)
    assert np.array_equal(sobol(3, 32, seed=7, offset=32), sobol(3, 64, seed=7)[32:])
    for wrong, message in (({"dims": 1025}, "dims is 1025"), ({"dtype": "u8"}, "dtype"), ({"scramble": "x"}, "scramble"),
                           ({"offset": 2**32}, "offset is 4294967296")):
        with pytest.raises(ValueError, match=message):
            sobol(**{"dims": 2, "n": 1, **wrong})
