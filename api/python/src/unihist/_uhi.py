# SPDX-License-Identifier: Apache-2.0
"""Histograms in the form of scikit-hep's package uhi, schema 1: dicts of arrays."""
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Optional

import numpy as np

from ._axis import Axis
from ._contents import variance_of
from ._dates import INTEGER
from ._native import lib
from ._saved import sections_of
from ._status import text

STORAGES = {"int": "count", "double": "sum", "weighted": "weighted", "mean": "mean"}
FIELDS = {"weighted": ("values", "variances"), "mean": ("counts", "values", "variances")}  # otherwise values
FLOW = {(False, False): "none", (True, False): "below", (False, True): "above", (True, True): "both"}
BOOST = "boost-histogram"  # what it keeps of its axes is kept with ours, and returned


def _public(about: Mapping[str, Any]) -> dict[str, Any]:
    """What the form can hold of names and metadata: texts, numbers and bool."""
    return {key: value for key, value in about.items()
            if key[:1] != "_" and isinstance(value, (str, int, float, bool)) and value != ""}


def _axis_to_uhi(axis: Axis) -> dict[str, Any]:
    about, (below, above) = axis._about, axis._flow
    edges = sections_of(axis._counter())["axis0.edges"]  # exact, or categories
    made: dict[str, Any] = {"metadata": _public(about), "writer_info": {"unihist": {"closed": axis.closed}}}
    if axis._unit is not None:  # edges are numbers of it
        made["writer_info"]["unihist"]["unit"] = str(axis._unit)
    if "_origin" in about:
        made["writer_info"][BOOST] = dict(about["_origin"])
    if about.get("_boolean"):
        return {"type": "boolean", **made}
    if axis._properties().categories:
        values = about.get("_texts") or edges.tolist()
        if "_texts" not in about:
            if (edges != np.floor(edges)).any():
                raise TypeError(f"categories are {values}, expected integers or texts: uhi has no axis for others")
            values = list(map(int, values))
        return {"type": "category_str" if "_texts" in about else "category_int", "categories": values, "flow": above,
                **made}
    made.update(underflow=below, overflow=above, circular=axis.traits.circular)
    edges = edges[int(below):below + len(axis) + 1]
    numbers = axis._unit is None and np.abs(axis.edges).max() < 2.0**53
    if numbers and np.array_equal(edges, np.linspace(edges[0], edges[-1], edges.size)):
        ends = [int(end) if axis._integer else float(end) for end in edges[[0, -1]]]
        return {"type": "regular", "lower": ends[0], "upper": ends[1], "bins": len(axis), **made}
    return {"type": "variable", "edges": edges, **made}


def _axis_from_uhi(data: Mapping[str, Any]) -> Axis:
    writer, kind = data.get("writer_info", {}), data["type"]
    origin = writer.get(BOOST, {})
    flow = bool(data.get("underflow")), bool(data.get("overflow", data.get("flow")))
    closed = writer.get("unihist", {}).get("closed", "half-open left" if flow[1] else "left")  # as Boost.Histogram
    if kind == "boolean":
        axis = Axis.categories([0, 1])
    elif kind in ("category_int", "category_str"):
        if not data["categories"]:
            raise ValueError("an axis has no categories, expected one at least")
        values = np.array(data["categories"], np.int64 if kind == "category_int" else np.str_)
        axis = Axis.categories(values)
    elif origin.get("orig_type") == "Integer":
        axis = Axis.integers(int(data["lower"]), int(data["upper"]) - 1)
    elif kind == "regular":
        axis = Axis.equal(data["bins"], data["lower"], data["upper"], closed=closed)
    elif kind == "variable":
        unit = writer.get("unihist", {}).get("unit")
        axis = Axis(np.asarray(data["edges"], INTEGER).view(unit) if unit else data["edges"], closed=closed)
    else:
        raise TypeError(f"an axis has type {kind!r}, expected one of uhi's schema 1")
    kept = {"_origin": dict(origin), "_boolean": kind == "boolean", "_circular": bool(data.get("circular"))}
    axis._about.update(data.get("metadata", {}), **{key: value for key, value in kept.items() if value})
    return axis if flow == (False, False) else axis.with_flow_bins(FLOW[flow])


def to_uhi(h: Any) -> dict[str, Any]:
    """A histogram as a dict."""
    kind = next((kind for kind, storage in STORAGES.items() if storage == h.storage), "int")
    cells = h.view(flow=True)
    arrays = [np.asarray(cells)]
    if kind == "weighted":
        arrays = [cells.value, cells.variance]
    elif kind == "mean":  # 0 stands for what few points do not have
        arrays = [cells.count.astype(float), *(np.where(cells.count > least, a, 0) for least, a in
                                               enumerate((cells.value, variance_of(np.asarray(cells)))))]
    return {"uhi_schema": 1, "writer_info": {"unihist": {"version": text(lib.uh_version())}},
            "axes": [_axis_to_uhi(axis) for axis in h.axes],
            "storage": {"type": kind, **dict(zip(FIELDS.get(kind, ("values",)), arrays))},
            "metadata": _public(h._about)}


def from_uhi(source: Any, make: Any, device: Optional[str], threads: Optional[int]) -> Any:
    """The histogram of a dict, or of an object that gives one."""
    data = source if isinstance(source, dict) else source._to_uhi_()
    if data.get("uhi_schema") != 1:
        raise ValueError(f"uhi_schema is {data.get('uhi_schema')!r}, expected 1")
    stored = data["storage"]
    if stored["type"] not in STORAGES:
        raise TypeError(f"the storage is {stored['type']!r}, expected one of {list(STORAGES)}")
    made = make(*map(_axis_from_uhi, data["axes"]), storage=STORAGES[stored["type"]], device=device, threads=threads)
    made._about = dict(data.get("metadata", {}))
    fields = FIELDS.get(stored["type"], ("values",))
    if not any(name in stored for name in fields):
        return made
    extent = made.axes.extent
    arrays = [np.asarray(stored[name]) for name in fields]
    if "index" in stored:
        for field, values in enumerate(arrays):
            arrays[field] = np.zeros(extent, values.dtype)
            arrays[field][tuple(np.asarray(stored["index"]))] = values
    arrays = [a.reshape(extent) for a in arrays]
    made.view(flow=True)[...] = np.stack(arrays, axis=-1) if len(arrays) > 1 else arrays[0]
    return made
