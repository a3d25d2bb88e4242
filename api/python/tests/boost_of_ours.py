# SPDX-License-Identifier: Apache-2.0
"""The package boost_histogram, but histograms and axes are ours, for its own tests."""
import types

import boost_histogram as theirs
from boost_histogram import *  # noqa: F403
from boost_histogram import _core, accumulators, storage, tag  # noqa: F401

import unihist
from unihist._contents import Axes, Cells

view = types.SimpleNamespace(WeightedSumView=Cells)
STORAGES = {"Int64": "count", "AtomicInt64": "count", "Double": "sum", "Unlimited": "sum", "Weight": "weighted",
            "Mean": "mean"}


class Histogram(unihist.Histogram):  # noqa: F811
    def __init__(self, *axes, storage=theirs.storage.Double(), **about):
        super().__init__(*axes, storage=STORAGES.get(type(storage).__name__, storage), **about)
        self._about["_type"] = type(storage).__name__

    @property
    def storage_type(self):
        of = [kind for kind, ours in STORAGES.items() if ours == self.storage]
        return getattr(storage, self._about["_type"] if self._about["_type"] in of else of[0])


class _Axis(type):
    def __call__(cls, *arguments, **options):
        made = getattr(theirs.axis, cls.__name__)(*arguments, **options)
        if not made.size:
            return made  # ours have bins
        axis = unihist.Histogram(theirs.Histogram(made)).axes[0]
        axis._about.update(made.__dict__)
        return axis

    def __instancecheck__(cls, instance):
        return isinstance(instance, unihist.Axis)


NAMES = ("Regular", "Variable", "Integer", "IntCategory", "StrCategory", "Boolean")
axis = types.SimpleNamespace(**{name: _Axis(name, (), {}) for name in NAMES}, AxesTuple=Axes, Axis=unihist.Axis,
                             transform=theirs.axis.transform)
