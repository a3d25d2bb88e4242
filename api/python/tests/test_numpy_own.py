# SPDX-License-Identifier: Apache-2.0
"""The installed NumPy's tests of its functions, run with ours. Tests in DEVIATIONS must fail, all others pass."""
import importlib.util
import types

import numpy
import pytest

import unihist

NUMPY_1 = numpy.__version__.startswith("1.")
NUMPY_2_2 = numpy.lib.NumpyVersion(numpy.__version__) >= "2.2.0"

# Test: why it fails here, and whether it is in this version of NumPy.
DEVIATIONS = {
    "TestHistogram.test_big_arrays": ("at most 2^31 cells", True),
    "TestHistogram.test_exotic_weights": ("weights are numbers, no Decimal: their exact sum is not float's", True),
    "TestHistogram.test_object_array_of_0d": (
        "more equal bins than there are numbers are an error, as in later NumPy", not NUMPY_2_2),
    "TestHistogram.test_precision": ("no edges of long double: rounded they would be others", not NUMPY_1),
    "TestHistogramOptimBinNums.test_simple_weighted": ("rules take weights", True),
    "TestHistogram2d.test_dispatch": ("__array_function__ is NumPy's protocol for its own functions", True),
}
CLASSES = {
    "test_histograms": ["TestHistogram", "TestHistogramOptimBinNums", "TestHistogramdd"],
    "test_function_base": ["TestDigitize", "TestBincount"],
    "test_twodim_base": ["TestHistogram2d"],
}
OURS = {name: getattr(unihist, name) for name in unihist.__all__ if callable(getattr(numpy, name, None))}


def module_with_ours(name):
    spec = importlib.util.find_spec(f"numpy.lib.tests.{name}")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.np = types.ModuleType("numpy")
    vars(module.np).update({**vars(numpy), **OURS})
    vars(module).update(OURS)
    return module


for _file, _classes in CLASSES.items():
    _module = module_with_ours(_file)
    for _class in _classes:
        globals()[_class] = getattr(_module, _class)
for _test, (_reason, _applies) in DEVIATIONS.items():
    _class, _function = _test.split(".")
    if _applies:
        _mark = pytest.mark.xfail(strict=True, reason=_reason)
        setattr(globals()[_class], _function, _mark(getattr(globals()[_class], _function)))


def test_ours_are_in_place():
    assert set(OURS) == {"bincount", "digitize", "histogram", "histogram2d", "histogram_bin_edges", "histogramdd",
                         "searchsorted"}
    assert _module.np.histogram is unihist.histogram and _module.np.cos is numpy.cos
