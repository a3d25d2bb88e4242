# SPDX-License-Identifier: Apache-2.0
"""
NumPy's histograms and random choice: exact, and several times as fast, on CPUs and Intel GPUs.

Functions have NumPy's names, arguments, results and errors. `device` and `threads` select where they count; arrays of
other packages are read in place.
"""
from ._axis import Axis
from ._base2 import Base2
from ._functions import histogram, histogram2d, histogram_bin_edges, histogramdd
from ._histogram import Flow, Histogram, Moments, Total
from ._integers import bincount, digitize, digitize_columns, scatter_add, searchsorted
from ._integrate import Integral, Integrator, integrate, integrate_many
from ._log import capture_log
from ._native import lib as _lib
from ._queue import Device, devices
from ._sample import Sampler, choice, sobol
from ._slices import loc, overflow, rebin, underflow
from ._status import text as _text

__version__ = _text(_lib.uh_version())

__all__ = [
    "Axis", "Base2", "Device", "Flow", "Histogram", "Integral", "Integrator", "Moments", "Sampler", "Total", "bincount",
    "capture_log", "choice", "devices", "digitize", "digitize_columns", "histogram", "histogram2d", "histogram_bin_edges",
    "histogramdd", "integrate", "integrate_many", "loc", "overflow", "rebin", "scatter_add", "searchsorted", "sobol",
    "underflow",
]
