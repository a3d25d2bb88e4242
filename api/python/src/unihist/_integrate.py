# SPDX-License-Identifier: Apache-2.0
"""Integrals of Python functions and of texts in C, by VEGAS."""
from __future__ import annotations

import math
import os
import pathlib
from collections.abc import Sequence
from typing import Any, Callable, NamedTuple, Optional, Union

import numpy as np

from ._arrays import Array, out
from ._compile import Missing, Source, compiled_for_device, compiled_for_host
from ._native import ffi, lib
from ._progress import LOG, Progress, Watch, keep_raised, progress_of
from ._queue import Queue, properties_of
from ._status import check, fitting, made, named, structure, text

Integrand = Union[Callable[[Array], Any], str, "os.PathLike[str]"]

PIECE = 256  # integrals of a call


class Iteration(NamedTuple):
    """An iteration, for the first value."""

    value: float  #: its own estimate; of "sobol" and "lattice" that of all points so far
    error: float
    counts: bool  #: whether it is part of the result
    integral: float  #: of all that count so far, 0 before the first of them
    integral_error: float
    chi2_dof: float
    calls: int


class Integral(NamedTuple):
    """The result of an integration."""

    value: Any  #: the integral, an array where the function has several values
    error: Any  #: the standard deviation of each value; 0 only if all values were 0
    covariance: Array  #: of the values; of more than 16 only with the first and their own, otherwise NaN
    chi2_dof: float  #: chi-square per degree of freedom: iterations disagree if it is far above 1
    converged: bool  #: whether the error is small enough, and there is no warning
    warning: str  #: "none"; "all_zero"; "heavy_tails" if one point makes much of the variance, which may be infinite; or
    #: "several_peaks" if two pilots ended at different places, and there may be more
    variant: str  #: the variant used, and why: "given"; "smooth" if cubature or a lattice converged, and samples
    #: confirmed it; or vegas_plus, because the integrand is "rough", or samples saw what had been "unseen", or there are
    #: "many_axes", or the others "refused"
    choice: str
    iterations: int
    calls: int  #: number of evaluated points
    dof: int  #: degrees of freedom of chi-square
    history: tuple[Iteration, ...]

    @property
    def q(self) -> float:
        """The probability that chi-square is larger by chance: iterations disagree if it is far below 0.05."""
        half, y = self.dof / 2, self.dof * self.chi2_dof / 2
        terms = (math.exp(k * math.log(y) - y - math.lgamma(k + 1)) for k in np.arange(half % 1, half))
        return (math.erfc(math.sqrt(y)) if half % 1 else 0) + sum(terms) if y > 0 else 1.0

    def summary(self) -> str:
        """A table of the iterations; those in parentheses do not count."""
        lines = [f"{'itn':>3}  {'integral':24}{'average':24}{'chi2/dof':>8}"]
        for number, at in enumerate(self.history, 1):
            own = f"{at.value:.6g} +- {at.error:.2g}"
            average = f"{at.integral:.6g} +- {at.integral_error:.2g}" if at.counts else ""
            lines.append(f"{number:3}  {own if at.counts else f'({own})':24}{average:24}{at.chi2_dof:8.2f}")
        return "\n".join([*lines, f"Q = {self.q:.2f}"])

    def ratios(self, by: int = 0) -> Integral:
        """The result with all integrals divided by number `by`: expectation values if that is a density and the others
        are products with it. Errors take into account that all have the same samples."""
        values, covariance = np.array(self.value, float, ndmin=1), np.array(self.covariance, float)
        integral = structure("uh_integral", values=out("double", values), covariance=out("double", covariance))
        check(lib.uh_integral_ratios(integral, values.size, fitting("by", by, "size_t"), integral.values,
                                     integral.covariance))  # in place
        return self._replace(value=values, error=np.sqrt(covariance.diagonal()), covariance=covariance)


class _Called:
    """A Python function, and the exception that it raised."""

    def __init__(self, function: Callable[[Array], Any], dims: int, values: int, device: Optional[str],
                 threads: Optional[int]) -> None:
        self.function, self.dims, self.values = function, dims, values
        self.raised: Optional[BaseException] = None
        self.queue = Queue("host" if device is None else device, 1 if threads is None else threads)
        self.handle = ffi.new_handle(self)
        self.members = {"function": lib.uhpy_integrand, "context": self.handle}

    def evaluate(self, n: int, x: Any, value: Any) -> None:
        points = np.array([np.frombuffer(ffi.buffer(x[axis], 8 * n)) for axis in range(self.dims)])
        found: Any = np.nan
        if self.raised is None:
            try:
                found = _values_of(self.function(points), self.values, n)
            except BaseException as why:  # raised again after C has returned, because of the NaN
                self.raised = why
        for k in range(self.values):
            np.frombuffer(ffi.buffer(value[k], 8 * n))[:] = found if self.raised is not None else found[k]


def _values_of(found: Any, values: int, n: int) -> Array:
    """What a function returned for n points, as an array (values, n)."""
    array, shapes = np.asarray(found), [(values, n), (n,), ()][:3 if values == 1 else 1]
    if array.dtype.kind not in "fiub" or array.dtype.itemsize > 8:
        raise TypeError(f"function returns elements of type {array.dtype}, expected real numbers of at most 64 bits")
    if np.ma.is_masked(found):
        raise ValueError("function returns a masked array with missing elements, expected known values")
    if array.shape not in shapes:
        raise ValueError(f"function returned shape {array.shape} for {n} points and values={values}, "
                         f"expected {' or '.join(map(str, shapes))}")
    return np.broadcast_to(array, (values, n))


@ffi.def_extern(onerror=keep_raised)  # type: ignore[untyped-decorator]
def uhpy_integrand(n: int, x: Any, value: Any, context: Any) -> None:
    ffi.from_handle(context).evaluate(n, x, value)


class _Compiled:
    """A text in C, compiled for the host, which gives its dimensions, and for the queue's device."""

    raised = None

    def __init__(self, source: Source, device: Optional[str], threads: Optional[int], has_state: bool) -> None:
        self.queue = Queue(device, threads)
        host = properties_of(Queue("host", 1).device)  # holds the text of its member
        self.host = compiled_for_host(source, text(host.isa), has_state)
        self.dims, self.values = self.host.dims, self.host.values
        self.name, self.spirv, programs = ffi.new("char[]", b"integrand"), b"", {}
        about = properties_of(self.queue.device)
        if text(about.backend) != "host":
            try:
                self.spirv = compiled_for_device(source, bool(about.fp64))
                self.program = ffi.new("uh_program *", {"name": self.name, "spirv": ffi.from_buffer(self.spirv),
                                                        "spirv_size": len(self.spirv)})
                programs["fp64" if about.fp64 else "fp32"] = self.program
            except (Missing, ValueError) as why:
                if device not in (None, "auto"):
                    raise
                LOG.warning("integrating on the host: %s", why)
                self.queue = Queue("host", threads)
        self.code = ffi.new("uh_integrand_code *", {"name": self.name, "level": [self.host, ffi.NULL, ffi.NULL],
                                                    **programs})
        self.members = {"code": self.code}


def _integrand(function: Integrand, dims: int, values: Optional[int], device: Optional[str],
               threads: Optional[int], has_state: bool = False) -> Union[_Called, _Compiled]:
    if values is not None and not 1 <= fitting("values", values, "int64_t") <= lib.UH_INTEGRATE_MAX_VALUES:
        raise ValueError(f"values is {values}, expected 1 to {lib.UH_INTEGRATE_MAX_VALUES}")
    if not isinstance(function, (str, os.PathLike)):
        if has_state:
            raise TypeError(f"function is {function!r}, expected a text, which has states")
        return _Called(function, dims, 1 if values is None else values, device, threads)
    source = function if isinstance(function, str) else pathlib.Path(function)
    compiled = _Compiled(source, device, threads, has_state)
    for name, found, expected in (("dims", compiled.dims, dims), ("values", compiled.values, values)):
        if expected is not None and found != expected:
            raise ValueError(f"{name} of the text is {found}, expected {expected}")
    return compiled


def integrate(function: Integrand, lower: Sequence[float], upper: Sequence[float], *, values: Optional[int] = None,
              relative_error: float = 1e-3, absolute_error: float = 0.0, max_calls: int = 1_000_000,
              iterations: int = 20, variant: str = "auto", strata: Optional[Sequence[int]] = None, seed: int = 0,
              randomisations: Optional[int] = None, scramble: str = "owen", periodise: str = "baker",
              device: Optional[str] = None, threads: Optional[int] = None, progress: Progress = False) -> Integral:
    """
    Integrates a function over a box of 1 to 20 dimensions by VEGAS.

    Parameters
    ----------
    function : callable, str or path
        Called with an array of shape (dims, n) of n points, up to 256; returns n numbers, one for all of them, or an
        array (values, n). Or the text of an integrand in C (<unihist/integrand.h>), or the path of a file with one, as
        for the command's option `--file`. The call compiles it: for the host with $CC, cc, gcc or clang; for other
        devices with clang and llvm-spirv, or ocloc. ValueError has the messages of a compiler that fails, RuntimeError
        names a missing one.
    lower, upper : sequence of float
        The sides of the box, which may be infinite.
    values : int, optional
        The number of values of a point, 1 to 1,000, of a text 1 to 64; by default 1, or that of the text. The first one
        decides when the error is small enough.
    relative_error, absolute_error : float
        Either one is enough.
    max_calls, iterations : int
        Maximum number of points per iteration, and of iterations; of "sobol" and "lattice" their product counts.
    variant : {"auto", "mcubes", "mcubes1d", "vegas_plus", "plain", "sobol", "lattice", "cubature"}
        The distribution of the points. "sobol" and "lattice", quasi-Monte Carlo, need far fewer for smooth functions,
        and so does "cubature", which halves regions of up to 8 dimensions. "auto" tries "cubature" with up to 5, or
        "lattice" if relative_error is small, which random points must confirm; otherwise it is "vegas_plus".
    strata : sequence of int, optional
        Of "mcubes", "mcubes1d" and "vegas_plus": the intervals of each axis; their product, at most max_calls / 2, is
        the number of cubes among which points are distributed. By default the same on all axes.
    randomisations : int, optional
        Of "sobol" and "lattice": independent sequences, 16 to 1024, by default 16, from whose scatter the error is.
    scramble : {"owen", "shift"}
        How "sobol" randomises points.
    periodise : {"baker", "none", "korobov"}
        How "lattice" makes the function periodic.
    seed : int
        Selects the random points: the same bits for any number of threads.
    device : str, optional
        As in `unihist.histogram` for a text, but the host if compilers for devices are missing; a callable needs
        "host".
    threads : int, optional
        Threads of the host; by default all for a text, and one for a callable, because Python runs one at a time.
    progress : bool or callable
        As in `unihist.histogram`, per iteration.

    Examples
    --------
    >>> import numpy as np
    >>> import unihist
    >>> found = unihist.integrate(lambda x: np.exp(-x[0]**2 - x[1]**2), [-np.inf] * 2, [np.inf] * 2, seed=1)
    >>> bool(found.converged and abs(found.value - np.pi) < 5 * found.error)
    True
    """
    return _integrals([function], lower, upper, values=values, relative_error=relative_error,
                      absolute_error=absolute_error, max_calls=max_calls, iterations=iterations, variant=variant,
                      strata=strata, seed=seed, randomisations=randomisations, scramble=scramble, periodise=periodise, device=device,
                      threads=threads, progress=progress)[0]


def integrate_many(functions: Union[Integrand, Sequence[Integrand]], lower: Sequence[float], upper: Sequence[float], *,
                   states: Any = None, **how: Any) -> list[Integral]:
    """
    Integrates several functions over one box, each with the result of `integrate`. Small integrals of texts are computed
    at the same time.

    Parameters
    ----------
    functions : sequence, or text or path
        Functions, texts or paths; or one text with `states`.
    states : array, optional
        The states of the text: an element or row for each integral, with the bytes of the struct. So an array (n, k) of
        float64 is for structs of k doubles, and one of a type with ``align=True`` for any others without pointers.
    **how
        Other arguments of `integrate`; progress is per integral.

    Examples
    --------
    >>> import unihist
    >>> [round(one.value) for one in unihist.integrate_many([lambda x: 1.0, lambda x: 2.0], [0], [2], max_calls=1000)]
    [2, 4]
    """
    if states is None and isinstance(functions, (str, os.PathLike)):
        raise TypeError("functions is one text without states, expected a sequence, or states")
    return _integrals(functions if states is None else [functions], lower, upper, states=states, **{**USUAL, **how})


USUAL: dict[str, Any] = integrate.__kwdefaults__ or {}


def _integrals(functions: Any, lower: Sequence[float], upper: Sequence[float], *, states: Any = None,
               values: Optional[int], device: Optional[str], threads: Optional[int], progress: Progress,
               randomisations: Optional[int], scramble: str, periodise: str, **members: Any) -> list[Integral]:
    dims = np.size(lower)
    if np.ndim(lower) != 1 or np.shape(upper) != (dims,):
        raise ValueError(f"lower is {lower!r} and upper {upper!r}, expected a number per dimension in each")
    sides = [ffi.new("double[]", fitting(name, side, "double *"))
             for name, side in (("lower", lower), ("upper", upper))]
    called = [_integrand(function, dims, values, device, threads, states is not None) for function in functions]
    return _integrated(
        called, dims, progress, states, lower=sides[0], upper=sides[1],
        randomisations=0 if randomisations is None else randomisations,
        scramble=named(lib.UH_ENUM_SCRAMBLE, "scramble", scramble),
        periodise=named(lib.UH_ENUM_PERIODISE, "periodise", periodise), **members)


def _integrated(called: Sequence[Union[_Called, _Compiled]], dims: int, progress: Progress, states: Any = None, *,
                variant: str, iterations: int, strata: Optional[Sequence[int]], **members: Any) -> list[Integral]:
    for name, number in (("max_calls", members["max_calls"]), ("iterations", iterations),
                         ("relative_error, as absolute_error,",
                          members["relative_error"] or members["absolute_error"])):
        if number == 0:  # which are C's defaults
            raise ValueError(f"{name} is 0, expected more")
    if strata is not None and np.shape(strata) != (dims,):
        raise ValueError(f"strata is {strata!r}, expected {dims} integers, one per axis")
    intervals = ffi.NULL if strata is None else ffi.new("uint64_t[]", fitting("strata", strata, "uint64_t *"))
    rows = [] if states is None else list(np.ascontiguousarray(states))
    each = [(one, one.members) for one in called] if states is None else [
        (called[0], {**called[0].members, "context": ffi.from_buffer(row), "context_size": row.nbytes}) for row in rows]
    integrands = ffi.new("uh_integrand[]", [
        {"struct_size": ffi.sizeof("uh_integrand"), "dims": dims, "values": one.values, **more} for one, more in each])
    if not each:
        return []
    options = structure("uh_integrate_options", iterations=iterations, strata=intervals,
                        variant=named(lib.UH_ENUM_INTEGRATE_VARIANT, "variant", variant), **members)
    found = [(np.empty(one.values), np.empty((one.values,) * 2)) for one, _ in each]
    integrals = ffi.new("uh_integral[]", [
        {"struct_size": ffi.sizeof("uh_integral"), "values": out("double", means), "covariance": out("double", covariance)}
        for means, covariance in found])
    histories: list[list[Iteration]] = [[] for _ in each]
    done, many, queue = 0, len(each) != 1, called[0].queue

    def note(at: Any, total: int) -> None:
        history = histories[done + at.integrand]
        del history[at.number:]  # of a device that failed
        history.append(Iteration(at.estimate, at.deviation, bool(at.counts), at.integral, at.error, at.chi2_dof, at.calls))
        if not many and at.number < iterations:  # before them auto may have tried cubature
            advance(1)

    try:
        with progress_of(progress, "integrals" if many else "iterations",
                         len(each) if many else iterations) as advance, Watch(note) as watch, Watch() as within:
            options.report, options.report_context = lib.uhpy_report, watch.handle
            options.progress, options.progress_context = lib.uhpy_progress, within.handle
            if not many:  # and the grid of the options is refined
                queue.call(lib.uh_integrate, integrands, options, integrals)
            while many and done < len(each) and not (watch.raised or within.raised):  # Ctrl-C is raised between pieces
                n = min(PIECE, len(each) - done)
                with queue.lock:
                    check(lib.uh_integrate_many(queue.handle, integrands + done, n, options, ffi.NULL, integrals + done),
                          offset=done)
                done += n
                advance(n)
    finally:
        for one in called:
            if one.raised is not None:
                raise one.raised
    return [_integral_of(integral, means, covariance, tuple(history))
            for integral, (means, covariance), history in zip(integrals, found, histories)]


def _integral_of(integral: Any, means: Array, covariance: Array, history: tuple[Iteration, ...]) -> Integral:
    errors = np.sqrt(covariance.diagonal())
    lost = (errors == 0) & (np.abs(means) < 1e-100) | np.isnan(errors) | np.isinf(covariance).any(axis=0)
    if (np.isfinite(means) & (means != 0) & lost).any():
        raise OverflowError(f"values are about {means}: float64 does not hold their squares, scale the function")
    one = means.size == 1
    return Integral(integral.value if one else means, integral.error if one else errors, covariance, integral.chi2_dof,
                    integral.end == lib.UH_INTEGRATE_CONVERGED, text(lib.uh_enum_name(
                        lib.UH_ENUM_INTEGRATE_WARNING, integral.warning)), text(lib.uh_enum_name(
                        lib.UH_ENUM_INTEGRATE_VARIANT, integral.variant)), text(lib.uh_enum_name(
                            lib.UH_ENUM_INTEGRATE_CHOICE, integral.choice)), integral.iterations, integral.calls,
                    integral.dof, history)


class Points(NamedTuple):
    """Points of a density, the first value of a function."""

    x: Array  #: (dims, n)
    weight: Array  #: (n,): the mean of all is the integral, that of `weight * f(x)` over it the expectation value of f
    value: Array  #: (values, n)
    maximum: float  #: by which weights were divided; 0 if they were not


class Integrator:
    """Integrates over a box, of pairs of sides, with a grid that stays adapted from call to call, as the package vegas
    does. With fewer than 200 points per iteration for each of an axis's bins, error bars become too small."""

    def __init__(self, box: Sequence[tuple[float, float]], *, bins: int = 100, device: Optional[str] = None,
                 threads: Optional[int] = None) -> None:
        if np.shape(box)[1:] != (2,):
            raise ValueError(f"box is {box!r}, expected a pair of numbers per axis")
        lower, upper = (fitting("box", side, "double *") for side in zip(*box))
        self._dims, self._where, self._calls = len(box), (device, threads), 0
        self._grid = made(lib.uh_grid_create, "uh_grid", lib.uh_grid_destroy, self._dims, bins, lower, upper, ffi.NULL)

    def __call__(self, function: Integrand, *, nitn: int = 10, neval: int = 100_000, alpha: float = 1.5,
                 beta: float = 0.5, values: Optional[int] = None, relative_error: float = 0.0,
                 absolute_error: float = 0.0, variant: str = "auto", strata: Optional[Sequence[int]] = None,
                 seed: Optional[int] = None, progress: Progress = False) -> Integral:
        """Integrates by up to nitn iterations of up to neval points: all of them, unless an error is given and reached.
        With alpha=0 the grid stays, and all iterations count. The seed is by default the number of the call. Other
        arguments are those of `unihist.integrate`."""
        called = _integrand(function, self._dims, values, *self._where)
        keeps = 2**64 - 1 if alpha == 0 else 0  # SIZE_MAX: no iterations
        result = _integrated([called], self._dims, progress, variant=variant, iterations=nitn, max_calls=neval,
                             strata=strata, alpha=alpha, beta=beta or 1e-300, grid=self._grid, adjusting=keeps,
                             skipped=keeps,
                             relative_error=relative_error, absolute_error=absolute_error or 1e-300 * (not relative_error),
                             seed=self._calls if seed is None else seed)[0]
        self._calls += 1
        return result

    def points(self, function: Integrand, n: int, *, values: Optional[int] = None, seed: int = 0, offset: int = 0,
               unweighted: bool = False, maximum: float = 0.0) -> Points:
        """n points as the grid distributes them, weighted as events of the function's first value. With unweighted=True
        only those that are accepted with the probability weight / maximum, where 0 stands for the largest of these
        weights; parts with the same maximum and seed, and an offset, make one sample."""
        called = _integrand(function, self._dims, values, *self._where)
        integrand = structure("uh_integrand", dims=self._dims, values=called.values, **called.members)
        points = ffi.new("uh_points *", {"integrand": integrand, "seed": fitting("seed", seed, "uint64_t"),
                                         "offset": fitting("offset", offset, "uint64_t"), "n": fitting("n", n, "size_t")})
        rows = np.empty((n, self._dims + 1 + called.values))
        by, kept = ffi.new("double *", fitting("maximum", maximum, "double")), ffi.new("size_t *", n)
        called.queue.call(lib.uh_grid_points, self._grid, points, out("double", rows))
        if called.raised is not None:
            raise called.raised
        if unweighted:
            check(lib.uh_points_unweight(self._grid, points, out("double", rows), by, kept))
        columns = rows[:kept[0]].T
        return Points(columns[:self._dims], columns[self._dims], columns[self._dims + 1:], by[0])
