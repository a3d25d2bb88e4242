# SPDX-License-Identifier: Apache-2.0
"""perf/lattice.py: the lattice's generating vector against its definition, and the library's against the program's."""
import pathlib
import re
import sys
import unittest

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT / "perf"))
import lattice  # noqa: E402  pylint: disable=wrong-import-position


def squared_error(vector, m):
    """P_2, the squared worst-case error, by its definition"""
    points = np.outer(np.arange(2**m), vector) % 2**m / 2**m
    return np.prod(1 + lattice.kernel(points) / np.arange(1, len(vector) + 1)**2, axis=1).mean() - 1


class Vector(unittest.TestCase):
    def test_each_component_has_the_smallest_ratios(self):
        made = []
        for component in lattice.components(8, 4, 4):
            errors = np.array([[squared_error([*made, z], m) for m in range(4, 9)] for z in range(1, 128, 2)])
            ratios = np.log(errors / errors.min(axis=0)).sum(axis=1)
            self.assertLessEqual(ratios[component // 2], ratios.min() + 1e-9)
            made.append(component)

    def test_the_library_has_it(self):
        source = (ROOT / "kernels/common/sequence.c").read_text(encoding="utf-8")
        text = re.search(r"component\[\] = \{([^}]*)", source)[1]
        self.assertEqual(list(lattice.components(24, 20, 10)), [int(z) for z in text.split(",")])
