# SPDX-License-Identifier: Apache-2.0
"""boost-histogram's own tests, of the folder that UNIHIST_BOOST_TESTS names (its source distribution has it, of the
version that is installed), run with ours in the place of theirs: all of its NumPy interface, but what DEVIATIONS lists,
which must fail; and of its histograms what SAME lists. Its other tests are of flow bins that every axis has, which are
none of the bins that are numbered; of cells that are written to; of arithmetic with numbers; of axes that take metadata,
or grow in the middle of others; of histograms over no axis; and of its text."""
import importlib.util
import os
import pathlib
import types

import numpy as np
import pytest

import unihist
from unihist import Axis, Histogram

bh = pytest.importorskip("boost_histogram")
FOLDER = os.environ.get("UNIHIST_BOOST_TESTS")
if not FOLDER:
    pytest.skip("UNIHIST_BOOST_TESTS names no folder", allow_module_level=True)

DEVIATIONS = {name: "the functions are NumPy's, and return no histograms"
              for name in ("test_histogram1d_object", "test_histogram2d_object", "test_histogramdd_object")}
SAME = {
    "test_histogram": ["test_add_2d_bad", "test_axis", "test_fill_dtypes", "test_shape", "test_shrink_1d",
                       "test_shrink_rebin_1d"],
    "test_histogram_indexing": ["test_1D_get_bin", "test_2D_get_bin", "test_ellipsis", "test_empty_slice_raises",
                                "test_get_1D_histogram"],
}


class WithView(Histogram):
    """Theirs are looked into so."""

    def view(self):
        return self.values()


OURS = types.SimpleNamespace(
    Histogram=WithView,
    axis=types.SimpleNamespace(
        Regular=lambda bins, first, last: Axis.equal(bins, first, last, closed="half-open left"),
        Variable=lambda edges: Axis(edges, closed="half-open left"),
        Integer=lambda first, end: Axis.integers(first, end - 1)),
    storage=types.SimpleNamespace(Int64=lambda: "count"),
    numpy=types.SimpleNamespace(histogram=unihist.histogram, histogram2d=unihist.histogram2d,
                                histogramdd=unihist.histogramdd),
    loc=unihist.loc, rebin=unihist.rebin, sum=sum)


def module_with_ours(name):
    spec = importlib.util.spec_from_file_location(f"boost_{name}", pathlib.Path(FOLDER, f"{name}.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.bh = OURS
    return {name: test for name, test in vars(module).items() if name.startswith("test_")}


_interface = module_with_ours("test_numpy_interface")
for _name, _reason in DEVIATIONS.items():
    _interface[_name] = pytest.mark.xfail(strict=True, reason=_reason)(_interface[_name])
globals().update(_interface)
for _file, _names in SAME.items():
    _tests = module_with_ours(_file)
    globals().update({f"{_name}_of_{_file[5:]}": _tests[_name] for _name in _names})


def test_ours_are_in_place():
    assert len(_interface) > 20 and all(test.__globals__["bh"] is OURS for test in _interface.values())
    assert np.histogram is not OURS.numpy.histogram
