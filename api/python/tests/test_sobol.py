# SPDX-License-Identifier: Apache-2.0
"""Sobol points against SciPy's, and the lattice's generating vector against its construction."""
import pathlib
import re
import sys

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


def test_the_generating_vector_is_constructed():
    def error_of(vector, m):  # P_2, the squared worst-case error, by its definition
        points = np.outer(np.arange(2**m), vector) % 2**m / 2**m
        return np.prod(1 + lattice.kernel(points) / np.arange(1, len(vector) + 1)**2, axis=1).mean() - 1

    root = pathlib.Path(__file__).parents[3]
    sys.path.insert(0, str(root / "perf"))
    import lattice
    made = []
    for component in lattice.components(8, 4, 4):  # the same without transforms
        errors = np.array([[error_of([*made, z], m) for m in range(4, 9)] for z in range(1, 128, 2)])
        ratios = np.log(errors / errors.min(axis=0)).sum(axis=1)
        assert ratios[component // 2] <= ratios.min() + 1e-9
        made.append(component)
    text = re.search(r"component\[\] = \{([^}]*)", (root / "kernels/common/sequence.c").read_text())[1]
    assert list(lattice.components(24, 20, 10)) == [int(z) for z in text.split(",")]
