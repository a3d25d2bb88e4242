# SPDX-License-Identifier: Apache-2.0
"""Integrals of Python functions by VEGAS."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Callable, NamedTuple, Optional

import numpy as np

from ._arrays import Array, out
from ._native import ffi, lib
from ._progress import Progress, Watch, keep_raised, progress_of
from ._queue import Queue
from ._status import named, structure


class Integral(NamedTuple):
    """What an integration has found."""

    value: Any  #: the integral, an array where the function has several values
    error: Any  #: its standard deviation, of each value
    covariance: Array  #: of the values
    chi2_dof: float  #: chi-square a degree of freedom: far above 1 iterations do not agree
    converged: bool  #: whether the error is small enough
    iterations: int
    calls: int  #: points that the function was evaluated at


class _Integrand:
    """A function and what it has raised."""

    def __init__(self, function: Callable[[Array], Any], dims: int, values: int) -> None:
        self.function, self.dims, self.values = function, dims, values
        self.raised: Optional[BaseException] = None

    def evaluate(self, n: int, x: Any, value: Any) -> None:
        points = np.array([np.frombuffer(ffi.buffer(x[axis], 8 * n)) for axis in range(self.dims)])
        found: Any = np.nan
        if self.raised is None:
            try:
                found = np.broadcast_to(self.function(points), (self.values, n))
            except BaseException as why:  # told when C has returned, which NaN makes it do
                self.raised = why
        for k in range(self.values):
            np.frombuffer(ffi.buffer(value[k], 8 * n))[:] = found if self.raised is not None else found[k]


@ffi.def_extern(onerror=keep_raised)  # type: ignore[untyped-decorator]
def uhpy_integrand(n: int, x: Any, value: Any, context: Any) -> None:
    ffi.from_handle(context).evaluate(n, x, value)


def integrate(function: Callable[[Array], Any], lower: Sequence[float], upper: Sequence[float], *, values: int = 1,
              relative_error: float = 1e-3, absolute_error: float = 0.0, max_calls: int = 1_000_000,
              iterations: int = 20, variant: str = "auto", seed: int = 0, threads: Optional[int] = 1,
              progress: Progress = False) -> Integral:
    """
    Integrates a function over a box of 1 to 20 dimensions by VEGAS, on the host.

    Parameters
    ----------
    function : callable
        Called with an array of shape (dims, n) of n points, up to 256; returns n numbers, or an array (values, n).
    lower, upper : sequence of float
        The box's sides, which may be infinite.
    values : int
        How many numbers a point has, 1 to 8; the first one decides when the error is small enough.
    relative_error, absolute_error : float
        Either is enough.
    max_calls : int
        Points of an iteration, at most.
    iterations : int
        So many, at most.
    variant : {"auto", "mcubes", "mcubes1d", "vegas_plus", "plain"}
        How points are spread.
    seed : int
        Which random points: the same give the same bits, for any number of threads.
    threads : int, optional
        Threads that call the function; Python runs one at a time, but for what NumPy does without its lock.
    progress : bool or callable
        As of `unihist.histogram`, of iterations.

    Returns
    -------
    Integral
        A named tuple of `value`, `error`, `covariance`, `chi2_dof`, `converged`, `iterations` and `calls`.

    Examples
    --------
    >>> import numpy as np
    >>> import unihist
    >>> found = unihist.integrate(lambda x: np.exp(-x[0]**2 - x[1]**2), [-np.inf] * 2, [np.inf] * 2, seed=1)
    >>> bool(found.converged and abs(found.value - np.pi) < 5 * found.error)
    True
    """
    dims = len(lower)
    if len(upper) != dims:
        raise ValueError(f"lower has {dims} numbers and upper {len(upper)}, expected as many")
    called = _Integrand(function, dims, values)
    handle, sides = ffi.new_handle(called), [ffi.new("double[]", [float(x) for x in side]) for side in (lower, upper)]
    integrand = structure("uh_integrand", dims=dims, values=values, function=lib.uhpy_integrand, context=handle)
    options = structure(
        "uh_integrate_options", lower=sides[0], upper=sides[1],
        variant=named(lib.uh_integrate_variant_from_name, "uh_integrate_variant", variant), max_calls=max_calls,
        iterations=iterations, relative_error=relative_error, absolute_error=absolute_error, seed=seed)
    means, covariance = np.empty(values), np.empty((values, values))
    integral = structure("uh_integral", values=out("double", means), covariance=out("double", covariance))
    try:
        with progress_of(progress, "iterations", iterations) as tell, Watch(lambda done, total: tell(1)) as watch:
            options.report, options.report_context = lib.uhpy_report, watch.handle
            Queue("host", threads).call(lib.uh_integrate, integrand, options, integral)
    finally:
        if called.raised is not None:
            raise called.raised
    errors = np.sqrt(covariance.diagonal())
    one = values == 1
    return Integral(integral.value if one else means, integral.error if one else errors, covariance, integral.chi2_dof,
                    integral.end == lib.UH_INTEGRATE_CONVERGED, integral.iterations, integral.calls)
