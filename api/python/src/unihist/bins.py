# SPDX-License-Identifier: Apache-2.0
"""
Bins that the data choose: rules, quantiles and fits of values that come piece by piece, with weights, and functions with
astropy's names. Results do not depend on the order and division of the values.
"""
from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, Optional, Union

import numpy as np
import numpy.typing as npt

from ._arrays import Array, as_array, as_weights, c_arrays, lacks, out, pieces, read_as
from ._native import ffi, lib
from ._queue import Queue
from ._remote import Remote
from ._status import check, made, named, names, properties, structure

__all__ = ["Bins", "ChiSquare", "Distribution", "Values", "bayesian_blocks", "calculate_bin_edges", "chi_square",
           "freedman_bin_width", "knuth_bin_width", "mdlp", "quantile", "scott_bin_width"]

METHODS = ("inverted_cdf", "averaged_inverted_cdf", "closest_observation", "interpolated_inverted_cdf", "hazen", "weibull",
           "linear", "median_unbiased", "normal_unbiased")  # NumPy's names of the types of Hyndman and Fan
KINDS = {"exponential": lib.UH_DISTRIBUTION_EXPONENTIAL, "normal": lib.UH_DISTRIBUTION_NORMAL,
         "lognormal": lib.UH_DISTRIBUTION_LOGNORMAL, "uniform": lib.UH_DISTRIBUTION_UNIFORM,
         "weibull": lib.UH_DISTRIBUTION_WEIBULL}
BY_NUMBER = ("sqrt", "sturges", "rice")  # rules that take the number of values alone
FEW = 1 << 16  # values kept where a few quantiles are needed, which a second pass makes exact


class Distribution(NamedTuple):
    """A distribution: of kind "exponential", "normal", "lognormal" (of the logarithm), "uniform" (from location to
    location + scale) or "weibull" (1 - exp(-(x / exp(location))**(1 / scale)))."""

    kind: str
    location: float
    scale: float


class Values(NamedTuple):
    """What an object holds: the values that count, and others; the sum of their weights, and the effective number;
    different values kept, and the number of lowest bits that they lack; and the extremes."""

    n: int
    beyond: int
    nan: int
    weight: float
    effective: float
    different: int
    joined: int
    min: float
    max: float


class ChiSquare(NamedTuple):
    """The result of Pearson's test."""

    statistic: float
    cells: int
    freedom: int
    p: float


def _rows(x: npt.ArrayLike) -> Array:
    """The values that are not missing, as a flat array."""
    values = as_array(x)
    missing = lacks(values)
    return np.ma.getdata(values)[~missing] if missing is not None and missing.any() else np.ma.getdata(values)


def _type_of(method: str) -> int:
    if method not in METHODS:
        raise ValueError(f"method is {method!r}, expected one of {list(METHODS)}")
    return METHODS.index(method) + 1


def _distribution(given: Sequence[Any]) -> Any:
    kind, location, scale = given
    if kind not in KINDS:
        raise ValueError(f"distribution is {kind!r}, expected one of {list(KINDS)}")
    return structure("uh_distribution", kind=KINDS[kind], location=location, scale=scale)


def _edges_of(axis: Any) -> Array:
    """The edges of an axis that a call has made."""
    owned = ffi.gc(axis[0], lib.uh_axis_destroy)
    about = properties("uh_axis_properties", lib.uh_axis_get_properties, owned)
    return np.array(ffi.unpack(about.edges, about.bins + 1))


class Bins:
    """
    Values from which rules make bins.

    Parameters
    ----------
    range : (float, float), optional
        The first and last value that count; by default all finite ones do.
    max_values : int, optional
        The maximum number of different values that are kept, by default 2**22. Of more, lowest bits are dropped, and
        `refine` makes quantiles exact in another pass.
    device : str, optional
        The device that has the arrays in its memory.

    Examples
    --------
    >>> from unihist.bins import Bins
    >>> values = Bins().add([1, 1, 2]).add([3.5, 7], weights=[2, 1])
    >>> values.quantile([0.25, 0.5])
    array([1.25, 2.75])
    >>> values.edges("clusters", 2).tolist()
    [1.0, 5.25, 7.0]
    """

    def __init__(self, range: Optional[Sequence[float]] = None, *, max_values: Optional[int] = None,
                 device: Optional[str] = None) -> None:
        limits = None if range is None else np.array(range, float)
        if limits is not None and limits.shape != (2,):
            raise ValueError(f"range is {range!r}, expected two numbers")
        self._queue = None if device is None else Queue(device, None)
        given = {} if limits is None else {"range": out("double", limits)}
        if self._queue is not None:
            given["queue"] = self._queue.handle
        options = structure("uh_bins_options", max_values=max_values or 0, **given)
        self._c = made(lib.uh_bins_create, "uh_bins", lib.uh_bins_destroy, options, of=self._queue)

    def add(self, x: npt.ArrayLike, weights: Optional[npt.ArrayLike] = None) -> Bins:
        """Adds values, none of which is missing if there are weights, one per value; whole weights repeat them."""
        values = _rows(x)
        arrays = [values] if weights is None else [values, as_weights(weights)]
        if self._queue is None:
            arrays = [np.asarray(a) for a in arrays]  # not of a device
        if len(arrays) > 1 and arrays[1].shape != values.shape:
            raise ValueError(f"weights have shape {arrays[1].shape}, expected that of the values, {values.shape}")
        for piece in pieces(arrays, [read_as(a.dtype) for a in arrays]):
            rows = c_arrays(piece)
            check(lib.uh_bins_add(self._c, rows, rows + 1 if len(arrays) > 1 else ffi.NULL))
        return self

    def merge(self, other: Bins) -> Bins:
        """Adds the values of another object of the same options."""
        check(lib.uh_bins_merge(self._c, other._c))
        return self

    @property
    def values(self) -> Values:
        """What the object holds."""
        found = properties("uh_bins_properties", lib.uh_bins_get_properties, self._c)
        return Values(found.n, found.beyond, found.nan, found.weight, found.effective, found.values, found.joined,
                      found.min, found.max)

    def quantile(self, q: npt.ArrayLike, method: str = "linear") -> Any:
        """Quantiles, by `numpy.quantile`'s methods, and with weights."""
        wanted = np.asarray(q, float)
        order = np.sort(wanted.ravel())
        found = np.empty(order.size)
        if order.size:
            check(lib.uh_bins_quantiles(self._c, out("double", order), order.size, _type_of(method), out("double", found)))
        found = found[np.searchsorted(order, wanted)]
        return float(found) if wanted.ndim == 0 else found

    def refine(self, q: npt.ArrayLike, method: str = "linear") -> bool:
        """Whether quantiles need another pass: if so, add the same values again, and call this again."""
        order, again = np.sort(np.ravel(np.asarray(q, float))), ffi.new("int *")
        check(lib.uh_bins_refine(self._c, out("double", order), order.size, _type_of(method), again))
        return bool(again[0])

    def edges(self, rule: str = "auto", bins: Optional[int] = None, *, distribution: Optional[Sequence[Any]] = None,
              method: Optional[str] = None, **options: Any) -> Array:
        """
        The edges of a rule.

        Parameters
        ----------
        rule : str
            "auto", "sqrt", "sturges", "rice", "doane", "scott", "fd", "stone", "knuth", "shimazaki", "nice",
            "quantile", "blocks", "clusters", "denby_mallows" or "equal_probability".
        bins : int, optional
            The number of bins, for "quantile", "clusters", "denby_mallows", "nice" and "equal_probability".
        distribution : Distribution, optional
            For "equal_probability", such as that of `fit`.
        method : str, optional
            For "quantile", as `quantile`.
        **options
            `max_bins`; for "blocks" `p0`, `gamma` or `ncp_prior`; for "denby_mallows" `slant`.
        """
        axis, result = ffi.new("uh_axis **"), structure("uh_rule_result")
        given = ffi.NULL if distribution is None else _distribution(distribution)
        chosen = structure("uh_rule_options", bins=bins or 0, distribution=given,
                           quantile_type=0 if method is None else _type_of(method),
                           **{name: value for name, value in options.items() if value is not None})
        check(lib.uh_bins_axis(self._c, named(lib.UH_ENUM_RULE, "rule", rule), chosen, axis, result))
        edges = _edges_of(axis)
        if result.joined:
            warnings.warn(f"There are more different values than are kept: the rule {rule!r} takes them without their "
                          f"lowest {result.joined} bits.", RuntimeWarning, stacklevel=2)
        if result.limited:
            wanted = f" asks for {result.wanted:g} bins and" if result.wanted > result.bins else ""
            warnings.warn(f"The number of bins estimated may be suboptimal: the rule {rule!r}{wanted} is limited to "
                          f"{result.bins}.", RuntimeWarning, stacklevel=2)
        return edges

    def fit(self, kind: str) -> Distribution:
        """The distribution of a kind that is most likely."""
        if kind not in KINDS:
            raise ValueError(f"kind is {kind!r}, expected one of {list(KINDS)}")
        found = structure("uh_distribution")
        check(lib.uh_bins_fit(self._c, KINDS[kind], found))
        return Distribution(kind, found.location, found.scale)

    def bandwidth(self) -> float:
        """The width of a Gaussian kernel, by Shimazaki and Shinomoto (2010)."""
        found = ffi.new("double *")
        check(lib.uh_bins_bandwidth(self._c, found))
        return float(found[0])

    def __getstate__(self) -> bytes:
        length = ffi.new("size_t *")
        check(lib.uh_bins_save_bytes(self._c, ffi.NULL, 0, length))
        saved = bytearray(length[0])
        check(lib.uh_bins_save_bytes(self._c, ffi.from_buffer(saved), len(saved), length))
        return bytes(saved)

    def __setstate__(self, state: bytes) -> None:
        self._queue = None
        self._c = made(lib.uh_bins_load_bytes, "uh_bins", lib.uh_bins_destroy, ffi.from_buffer(state), len(state))


# ---- rules by name ----

def parsed(rule: str) -> dict[str, Any]:
    """The rule that a text such as "fd", "clusters:5", "blocks:0.01" or "equal_probability:normal:20" names."""
    name, *given = rule.split(":")
    found: dict[str, Any] = {"rule": name}
    named(lib.UH_ENUM_RULE, "bins", name)
    try:
        if name == "equal_probability":
            found["fit"] = given.pop(0) if given else ""
        if given:
            found.update({"p0": float(given.pop(0))} if name == "blocks" else {"bins": int(given.pop(0))})
    except ValueError:
        raise ValueError(f"bins is {rule!r}, expected a number after the colon") from None
    if given or found.get("fit", "normal") not in KINDS:
        raise ValueError(f"bins is {rule!r}, expected NAME, NAME:NUMBER or equal_probability:DISTRIBUTION, one of "
                         f"{list(KINDS)}")
    return found


def is_rule(bins: Any) -> bool:
    """Whether a text names a rule."""
    return isinstance(bins, str) and bins.partition(":")[0] in names(lib.UH_ENUM_RULE)


def quantiles_of(rule: dict[str, Any]) -> Array:
    """The quantiles that a rule needs."""
    number = ffi.new("size_t *")
    chosen = named(lib.UH_ENUM_RULE, "bins", rule["rule"]), structure("uh_rule_options", bins=rule.get("bins", 0))
    check(lib.uh_rule_quantiles(*chosen, ffi.NULL, number))
    q = np.empty(number[0])
    check(lib.uh_rule_quantiles(*chosen, out("double", q), number))
    return q


def edges_by(rule: dict[str, Any], values: Bins, range: Any, omits: bool = False) -> Array:
    """The edges of a rule that `parsed` has made; the range, or 0 and 1, if there are no values."""
    held, given = values.values, dict(rule)
    if range is None and (held.nan and not omits or held.beyond):
        raise ValueError(f"autodetected range of values, {'nan' if held.nan else 'inf'} among them, is not finite")
    if not held.n:
        return np.array([0.0, 1.0] if range is None else np.array(range, float))
    if "fit" in given:
        given["distribution"] = values.fit(given.pop("fit"))
    return values.edges(**given)


def chosen_edges(a: Array, bins: str, range: Any, weights: Optional[Array], omits: bool = False) -> Array:
    """The edges of a rule for an array, in one pass or two."""
    rule = parsed(bins)
    q = quantiles_of(rule)
    few = (q.size and rule["rule"] != "denby_mallows" or rule["rule"] in BY_NUMBER) and a.size > 2 * FEW
    device = a.selector if isinstance(a, Remote) else None
    values = Bins(range, max_values=FEW if few else None, device=device).add(a, weights)
    while q.size and values.values.n and values.refine(q):
        values.add(a, weights)
    return edges_by(rule, values, range, omits)


def quantile(a: npt.ArrayLike, q: npt.ArrayLike, weights: Optional[npt.ArrayLike] = None,
             method: str = "linear") -> Any:
    """
    `numpy.quantile` of all finite values, in two passes, and with weights.

    Examples
    --------
    >>> from unihist.bins import quantile
    >>> quantile([1, 2, 4], 0.75)
    3.0
    """
    values = Bins(max_values=FEW).add(a, weights)
    while values.refine(q, method):
        values.add(a, weights)
    return values.quantile(q, method)


# ---- functions with astropy's names ----

def calculate_bin_edges(a: npt.ArrayLike, bins: Union[int, str, npt.ArrayLike] = 10, range: Any = None,
                        weights: Optional[npt.ArrayLike] = None) -> Array:
    """The edges of a number of bins, a rule or edges: `astropy.stats.calculate_bin_edges`, and with weights."""
    values = _rows(a)
    if isinstance(bins, str):
        return chosen_edges(values, bins, range, None if weights is None else as_weights(weights))
    return np.histogram_bin_edges(values, bins, range)


def bayesian_blocks(t: npt.ArrayLike, x: Optional[npt.ArrayLike] = None, sigma: Optional[npt.ArrayLike] = None, *,
                    p0: Optional[float] = None, gamma: Optional[float] = None, ncp_prior: Optional[float] = None) -> Array:
    """
    Bayesian blocks, with the edges of `astropy.stats.bayesian_blocks`: of events at times `t`, each of which has happened
    `x` times; or with `sigma`, of measures `x` with such errors.

    Examples
    --------
    >>> from unihist.bins import bayesian_blocks
    >>> bayesian_blocks([1, 2, 3, 4, 5, 5.01, 5.02, 5.03, 5.04, 5.05, 5.06, 6, 7, 8]).round(3).tolist()
    [1.0, 5.005, 5.055, 8.0]
    """
    if sigma is None:
        return Bins().add(t, x).edges("blocks", p0=p0, gamma=gamma, ncp_prior=ncp_prior)
    arrays = [np.ascontiguousarray(a, float) for a in np.broadcast_arrays(t, t if x is None else x, sigma)]
    given = {name: value for name, value in (("p0", p0), ("gamma", gamma), ("ncp_prior", ncp_prior)) if value is not None}
    rows, axis = c_arrays(arrays), ffi.new("uh_axis **")
    check(lib.uh_blocks_of_measures(rows, rows + 1, rows + 2, structure("uh_rule_options", **given), axis, ffi.NULL))
    return _edges_of(axis)


def _width(data: npt.ArrayLike, rule: str, return_bins: bool) -> Any:
    edges = chosen_edges(_rows(data), rule, None, None)
    width = (edges[-1] - edges[0]) / (len(edges) - 1)
    return (width, edges) if return_bins else width


def knuth_bin_width(data: npt.ArrayLike, return_bins: bool = False) -> Any:
    """The width of bins by Knuth's rule, and the edges if `return_bins`: `astropy.stats.knuth_bin_width`."""
    return _width(data, "knuth", return_bins)


def scott_bin_width(data: npt.ArrayLike, return_bins: bool = False) -> Any:
    """The width of bins by Scott's rule, a whole number of which fill the range."""
    return _width(data, "scott", return_bins)


def freedman_bin_width(data: npt.ArrayLike, return_bins: bool = False) -> Any:
    """The width of bins by the rule of Freedman and Diaconis, a whole number of which fill the range."""
    return _width(data, "fd", return_bins)


# ---- classes, and a test ----

def mdlp(x: npt.ArrayLike, y: npt.ArrayLike, weights: Optional[npt.ArrayLike] = None) -> Array:
    """
    The edges of bins of `x` that separate the classes `y` best, by Fayyad and Irani (1993).

    Examples
    --------
    >>> from unihist.bins import mdlp
    >>> mdlp([1, 2, 3, 4, 11, 12, 13, 14], list("aaaabbbb")).tolist()
    [1.0, 7.5, 14.0]
    """
    values, labels = as_array(x), np.asarray(y)
    if values.shape != labels.shape or values.ndim != 1:
        raise ValueError(f"x and y have shapes {values.shape} and {labels.shape}, expected one class per value")
    classes: Iterable[Any] = np.unique(labels)
    numbers = None if weights is None else as_weights(weights)
    objects = [Bins().add(values[labels == one], None if numbers is None else numbers[labels == one]) for one in classes]
    objects += [Bins()] * (2 - len(objects))
    axis = ffi.new("uh_axis **")
    check(lib.uh_bins_mdlp([one._c for one in objects], len(objects), lib.UH_CLOSED_LEFT, axis))
    return _edges_of(axis)


def chi_square(counts: npt.ArrayLike, edges: npt.ArrayLike, distribution: Sequence[Any], fitted: int = 0,
               min_expected: float = 5) -> ChiSquare:
    """
    Pearson's test of whether the values that were counted follow a distribution, of which `fitted` numbers were fitted
    to them. Bins with a smaller expected count are pooled.

    Examples
    --------
    >>> from unihist.bins import chi_square
    >>> chi_square([30, 70, 60, 40], [0, 1, 2, 3, 4], ("uniform", 0, 4)).statistic
    20.0
    """
    numbers, ends = np.ascontiguousarray(counts, np.uint64), np.ascontiguousarray(edges, float)
    if numbers.ndim != 1 or ends.shape != (numbers.size + 1,):
        raise ValueError(f"edges have shape {ends.shape}, expected one more than the {numbers.size} counts")
    axis = made(lib.uh_axis_create_edges, "uh_axis", lib.uh_axis_destroy, lib.UH_F64, ffi.from_buffer(ends), ends.size,
                lib.UH_CLOSED_LEFT)
    found = structure("uh_chi_square_result")
    check(lib.uh_chi_square(axis, out("uint64_t", numbers), _distribution(distribution), fitted, min_expected, found))
    return ChiSquare(found.statistic, found.cells, found.freedom, found.p)
