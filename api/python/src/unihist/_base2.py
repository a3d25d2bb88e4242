# SPDX-License-Identifier: Apache-2.0
"""Exponential histograms, of OpenTelemetry and Prometheus."""
from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, Optional

import numpy as np
import numpy.typing as npt

from ._arrays import Array, as_array, c_arrays, known, out, pieces, read_as
from ._counter import Counter
from ._histogram import Flow, Histogram
from ._native import ffi, lib
from ._queue import Queue
from ._status import call, made, properties, structure


class Buckets(NamedTuple):
    """Counts of successive buckets."""

    offset: int  #: index of the first bucket
    counts: Array


Counts = tuple[int, list[int]]  # as Buckets


class Base2:
    """
    An exponential histogram, which needs no bins in advance. At scale s a bucket's ends have the ratio base = 2**2**-s:
    bucket i has the values from above base**i to base**(i + 1), or negative ones of such magnitudes. The scale is the
    highest one at which the values fit; the result does not depend on their order.

    Parameters
    ----------
    max_bins, max_scale : int
        The maximum number of buckets for positive values, and for negative ones; and the scale of few values.
    zero_threshold : float
        The largest magnitude that counts as zero.
    device, threads
        As in `unihist.histogram`.

    Examples
    --------
    >>> import unihist
    >>> h = unihist.Base2(max_bins=8).fill([1, 2, 3.5, 16])
    >>> h.scale, h.positive
    (0, Buckets(offset=-1, counts=array([1, 1, 1, 0, 1])))
    >>> h.quantile([0, 1])
    array([ 0.66666667, 10.66666667])
    """

    def __init__(self, max_bins: int = 160, max_scale: int = 20, zero_threshold: float = 0, *,
                 device: Optional[str] = None, threads: Optional[int] = None) -> None:
        self._queue, scale = Queue(device, threads), ffi.new("int32_t *", max_scale)
        self._options = max_bins, max_scale, zero_threshold
        options = structure("uh_base2_options", max_bins=max_bins, max_scale=scale, zero_threshold=zero_threshold)
        self._handle = made(lib.uh_base2_create, "uh_base2", lib.uh_base2_destroy, self._queue.handle, options,
                            of=self._queue)

    def fill(self, x: npt.ArrayLike) -> Base2:
        """Adds values, and returns the histogram."""
        array = known(as_array(x), "x", nan=False)
        if array.dtype.kind in "cmM":
            raise TypeError(f"x is of {array.dtype}, expected real numbers")
        for piece in pieces([array], [read_as(array.dtype)]):
            self._call(lib.uh_base2_fill, c_arrays(piece))
        return self

    def _call(self, function: Any, *arguments: Any) -> None:
        with self._queue.lock:
            call(function, self._handle, *arguments)

    def __iadd__(self, other: Base2) -> Base2:
        """Adds the values of another histogram, of any scale and the same zero_threshold."""
        with other._queue.lock:
            self._call(lib.uh_base2_merge, other._handle)
        return self

    def __add__(self, other: Base2) -> Base2:
        return Base2(*self._options).__iadd__(self).__iadd__(other)

    # ---- reading

    def _contents(self) -> Any:
        return properties("uh_base2_contents", lib.uh_base2_get_contents, self._handle)

    def _buckets(self, sign: int) -> Buckets:
        with self._queue.lock:
            contents = self._contents()  # holds the buckets
            found = contents.buckets[sign]
            return Buckets(found.offset, np.array(ffi.unpack(found.counts, found.n) if found.n else [], np.int64))

    def _flow(self) -> Flow:
        contents = self._contents()
        return Flow(contents.flow.below, contents.flow.above, contents.flow.nan)

    scale = property(lambda self: self._contents().scale, doc="The scale.")
    zero_threshold = property(lambda self: self._contents().zero_threshold, doc="The largest magnitude of zeros.")
    zero = property(lambda self: self._contents().zero, doc="The number of zeros.")
    flow = property(_flow, doc="The numbers of values that are -infinity, infinity and NaN, in no bucket.")
    positive = property(lambda self: self._buckets(1), doc="The buckets of positive values.")
    negative = property(lambda self: self._buckets(0), doc="The buckets of negative values, by magnitude.")

    def quantile(self, q: npt.ArrayLike) -> Array:
        """Estimates of numpy.quantile(..., q, method="lower"), within the relative error (base - 1) / (base + 1)."""
        wanted = np.array(known(as_array(q), "q"), float, order="C")
        found = np.empty(wanted.shape)
        self._call(lib.uh_base2_quantiles, out("double", wanted), wanted.size, out("double", found))
        return found

    def histogram(self) -> Histogram:
        """The histogram of the buckets, for pictures, moments and files."""
        counter = Counter.made_on(self._queue, lambda _, *to: lib.uh_base2_histogram(self._handle, *to))
        return Histogram._of(counter, None, None, None, {})

    # ---- other forms

    @classmethod
    def _of(cls, scale: int, threshold: float, zero: int, buckets: list[Counts], max_bins: Optional[int]) -> Base2:
        """A histogram of these contents, whose options are those that lose nothing."""
        widest = max(len(counts) for _, counts in buckets)
        found = cls(max(widest, 160) if max_bins is None else max_bins, zero_threshold=threshold)
        arrays = [ffi.new("uint64_t[]", counts) for _, counts in buckets]
        sides = [(offset, len(counts), a) for (offset, counts), a in zip(buckets, arrays)]
        found._call(lib.uh_base2_add, structure("uh_base2_contents", scale=scale, zero_threshold=threshold, zero=zero,
                                                buckets=sides))
        return found

    def to_otlp(self) -> dict[str, Any]:
        """The data point of OTLP, an ExponentialHistogramDataPoint in its JSON encoding; it has no infinite values and
        NaN, and may be given its times, attributes, sum, min and max."""
        sides = self.positive, self.negative
        count = self.zero + sum(int(counts.sum()) for _, counts in sides)
        named = zip(("positive", "negative"), sides)
        return {"count": str(count), "scale": self.scale, "zeroCount": str(self.zero),
                "zeroThreshold": self.zero_threshold,
                **{name: {"offset": offset, "bucketCounts": [str(n) for n in counts.tolist()]}
                   for name, (offset, counts) in named}}

    @classmethod
    def from_otlp(cls, point: Mapping[str, Any], max_bins: Optional[int] = None) -> Base2:
        """The histogram of such a data point; `max_bins` is by default 160, or as many as it has."""
        sides = [point.get(name, {}) for name in ("negative", "positive")]
        buckets = [(int(side.get("offset", 0)), [int(n) for n in side.get("bucketCounts", [])]) for side in sides]
        return cls._of(int(point.get("scale", 0)), float(point.get("zeroThreshold", 0)), int(point.get("zeroCount", 0)),
                       buckets, max_bins)

    def to_prometheus(self) -> dict[str, Any]:
        """The native histogram of Prometheus, an io.prometheus.client.Histogram in the JSON encoding of its protocol
        buffer; of scale 8 at most, and at least -4, otherwise ValueError. It may be given its sampleSum."""
        if self.scale > 8:
            return Base2(1 << 20, 8, self.zero_threshold).__iadd__(self).to_prometheus()
        if self.scale < -4:
            raise ValueError(f"the scale is {self.scale}, expected at least -4, Prometheus' lowest schema")
        point = self.to_otlp()
        found = {"sampleCount": point["count"], "schema": self.scale, "zeroThreshold": self.zero_threshold,
                 "zeroCount": point["zeroCount"]}
        for name, (offset, counts) in ("negative", self.negative), ("positive", self.positive):
            used = np.flatnonzero(counts)
            runs = [run for run in np.split(used, np.flatnonzero(np.diff(used) > 1) + 1) if run.size]
            ends = [-offset - 1, *(run[-1] + 1 for run in runs)]  # bucket i is here that of i + 1
            found[name + "Span"] = [{"offset": int(run[0] - end), "length": run.size} for run, end in zip(runs, ends)]
            found[name + "Delta"] = [str(n) for n in np.diff(counts[used], prepend=0).tolist()]
        return found

    @classmethod
    def from_prometheus(cls, sample: Mapping[str, Any], max_bins: Optional[int] = None) -> Base2:
        """The histogram of such a sample, of whole counts."""
        if any(float(sample.get(name, 0)) for name in ("sampleCountFloat", "zeroCountFloat")):
            raise ValueError("sample has counts that are floating-point numbers, expected whole ones")
        schema = int(sample.get("schema", 0))
        if not -4 <= schema <= 8:
            raise ValueError(f"schema is {schema}, expected -4 to 8")
        buckets = [_read_spans(sample.get(name + "Span", []), sample.get(name + "Delta", []))
                   for name in ("negative", "positive")]
        threshold, zero = float(sample.get("zeroThreshold", 0)), int(sample.get("zeroCount", 0))
        return cls._of(schema, threshold, zero, buckets, max_bins)


def _read_spans(spans: Iterable[Mapping[str, Any]], deltas: Iterable[Any]) -> Counts:
    """The buckets of Prometheus' spans, between which there are empty ones, and differences of their counts."""
    places: list[int] = []
    at = 0
    for span in spans:
        at += int(span.get("offset", 0))
        places += range(at, at + int(span.get("length", 0)))
        at += int(span.get("length", 0))
    counts = dict(zip(places, np.cumsum([int(delta) for delta in deltas], dtype=object)))
    if len(counts) != len(places):
        raise ValueError(f"the spans have {len(places)} buckets, expected {len(counts)}, as there are deltas")
    first = min(places, default=1)
    return first - 1, [counts.get(i, 0) for i in range(first, max(places, default=0) + 1)]
