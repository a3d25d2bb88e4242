# SPDX-License-Identifier: Apache-2.0
"""
Histograms and random choice of PyTorch: its functions' names, arguments, results and errors, exact.

Bins are `edge[j] <= x < edge[j + 1]`, the last one also `x == edge[-1]`, of the edges that are returned, where PyTorch's
`histc` rounds. Counts and sums are those of the real numbers, rounded once to the type of the result, and the same for
any number of threads. Results have no gradient. Types that PyTorch's functions lack are taken too: of integers, counts
are int64. Tensors on the CPU are read in place (bfloat16 and bool are converted), and those of an XPU where they lie.
"""
from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, Callable, Optional, TypeVar, Union

import numpy as np
import torch
from torch import Tensor

from ._arrays import Array, as_array
from ._counter import axis_of_edges, filled
from ._edges import density_of, number_of_bins
from ._integers import scatter_add as _add, searchsorted
from ._native import lib
from ._remote import where_of
from ._sample import Sampler
from ._status import made

__all__ = ["bincount", "bucketize", "histc", "histogram", "histogramdd", "index_add", "multinomial", "scatter_add"]
Function = TypeVar("Function", bound=Callable[..., Any])
INTEGERS = [torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64]


def _like_torch(function: Function) -> Function:
    """The function with PyTorch's kinds of errors."""
    name = function.__name__

    @functools.wraps(function)
    def called(input: Any, *arguments: Any, **named: Any) -> Any:
        if not isinstance(input, Tensor) and name != "bucketize":
            raise TypeError(f"{name}(): argument 'input' must be Tensor, not {type(input).__name__}")
        try:
            return function(input, *arguments, **named)
        except (ValueError, OverflowError) as why:
            raise RuntimeError(f"unihist.torch.{name}: {why}") from why
    return called  # type: ignore[return-value]


def _array(x: Any) -> Any:
    """The elements of a tensor, in place if NumPy has their type."""
    if not isinstance(x, Tensor):
        return x
    if x.is_complex():
        raise TypeError(f"elements of {x.dtype} cannot be read, expected real numbers")
    x = x.detach()
    x = x.float() if x.dtype == torch.bfloat16 else x.byte() if x.dtype == torch.bool else x
    return as_array(x if x.device.type == "xpu" else x.numpy())


def _result(found: Any, like: Tensor, dtype: torch.dtype, out: Optional[Tensor] = None) -> Tensor:
    if getattr(found, "dtype", None) == np.uint64:
        raise OverflowError("a sum of weights exceeds int64")
    result = torch.as_tensor(found).to(like.device, dtype)
    if out is None:
        return result
    if out.dtype != dtype:
        raise RuntimeError(f"out is of {out.dtype}, expected {dtype}")
    return out.resize_(result.shape).copy_(result)


def _edges(x: Tensor, bins: Union[int, Tensor], range: Optional[Sequence[float]]) -> Tensor:
    """Given edges, or those of equal bins."""
    if isinstance(bins, Tensor):
        if range is not None:
            raise TypeError(f"range is {range!r}, expected none with given edges")
        return bins
    dtype = x.dtype if x.is_floating_point() else torch.float64
    low, high = map(float, (x.detach().aminmax() if x.numel() else (0, 1)) if range is None else range)
    bins = number_of_bins(bins)
    if not np.isfinite(high - low) or low > high:
        raise ValueError(f"the range is [{low}, {high}], expected finite numbers that do not decrease")
    if low == high:
        low, high = low - 0.5, high + 0.5
    return torch.linspace(low, high, bins + 1, dtype=dtype)


def _device(x: Any) -> Optional[str]:
    return None if isinstance(x, Tensor) and x.device.type == "xpu" else "host"  # None: where the array lies


def _cells(columns: Sequence[Tensor], axes: Sequence[Any], weight: Optional[Tensor], **options: Any) -> Array:
    """Counts, or sums of weights in their type, over axes of C."""
    x, arrays = columns[0], [_array(c) for c in columns]
    if weight is not None and weight.numel() != x.numel():
        raise ValueError(f"weight has shape {list(weight.shape)}, expected one weight for each of {x.numel()} values")
    weights = None if weight is None else _array(weight.reshape(x.shape))
    return filled(axes, arrays, weights, where_of(_device(x), None, *arrays), False, **options)


def _hist(columns: Sequence[Tensor], edges: Sequence[Tensor], weight: Optional[Tensor], density: bool = False,
          out: Optional[Tensor] = None) -> Tensor:
    between, numbers = [_array(e.cpu()) for e in edges], columns[0] if weight is None else weight
    cells = _cells(columns, [axis_of_edges(e, lib.UH_CLOSED_LEFT) for e in between], weight)
    cells = cells.reshape([e.size - 1 for e in between])
    dtype = numbers.dtype if numbers.is_floating_point() else torch.float64 if density else torch.int64
    with np.errstate(invalid="ignore", divide="ignore"):  # of no points
        return _result(density_of(cells, between) if density else cells, columns[0], dtype, out)


@_like_torch
def histc(input: Tensor, bins: int = 100, min: float = 0, max: float = 0, *, out: Optional[Tensor] = None) -> Tensor:
    """Counts in equal bins between `min` and `max`, both included, or between the extremes if they are equal."""
    return _hist([input], [_edges(input, bins, None if min == max and input.numel() else (min, max))], None, out=out)


@_like_torch
def histogram(input: Tensor, bins: Union[int, Tensor], *, range: Optional[Sequence[float]] = None,
              weight: Optional[Tensor] = None, density: bool = False) -> Any:
    """Counts, sums of weights or densities in a number of equal bins, or between edges; and the edges."""
    edges = _edges(input, bins, range)
    return torch.return_types.histogram((_hist([input], [edges], weight, density), edges))


@_like_torch
def histogramdd(input: Tensor, bins: Union[int, Sequence[int], Sequence[Tensor]], *,
                range: Optional[Sequence[float]] = None, weight: Optional[Tensor] = None, density: bool = False) -> Any:
    """The same over 1 to 8 axes, the last dimension of the input; `range` has the two ends of each axis in turn."""
    if input.ndim < 2:
        raise ValueError(f"input has {input.ndim} dimensions, expected at least 2")
    columns = input.detach().flatten(0, -2).unbind(-1)
    each: list[Any] = [bins] * len(columns) if isinstance(bins, int) else list(bins)
    if len(each) != len(columns) or range is not None and len(range) != 2 * len(columns):
        raise ValueError(f"bins or range is not for {len(columns)} axes, the size of input's last dimension")
    edges = tuple(_edges(x, b, range and range[2 * axis:2 * axis + 2])
                  for axis, (x, b) in enumerate(zip(columns, each)))
    return torch.return_types.histogramdd((_hist(columns, edges, weight, density), edges))


@_like_torch
def bincount(input: Tensor, weights: Optional[Tensor] = None, minlength: int = 0) -> Tensor:
    """Counts of the integers 0, 1, 2, ..., or sums of weights: float32 for such weights, float64 for others."""
    if input.dtype not in INTEGERS:
        raise NotImplementedError(f"input is of {input.dtype}, expected integers")
    if input.ndim != 1 or minlength < 0:
        raise ValueError(f"input has {input.ndim} dimensions and minlength is {minlength}, expected 1 and at least 0")
    growing = made(lib.uh_axis_create_growing, "uh_axis", lib.uh_axis_destroy)
    cells = _cells([input], [growing], weights, minlength=minlength)
    dtype = torch.int64 if weights is None else torch.float32 if weights.dtype == torch.float32 else torch.float64
    return _result(cells, input, dtype)


@_like_torch
def scatter_add(input: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    """The input and, added to the elements that `index` names along `dim`, the values of `src`, as many as indices."""
    if index.dtype not in INTEGERS or index.ndim != input.ndim or src.ndim != input.ndim or src.dtype != input.dtype:
        raise ValueError(f"index is of {index.dtype} with {index.ndim} dimensions, and src of {src.dtype} with {src.ndim}; "
                         f"expected integers, and {input.dtype}, with {input.ndim} dimensions")
    size, dim, at = input.shape[dim], dim % input.ndim, index.cpu().long()
    if any(a > b for a, b in zip(index.shape, src.shape)) or any(
            a > b for axis, (a, b) in enumerate(zip(index.shape, input.shape)) if axis != dim):
        raise ValueError(f"index has shape {list(index.shape)}, expected at most that of src, {list(src.shape)}, and, but "
                         f"along dim {dim}, that of input, {list(input.shape)}")
    if at.numel() and not 0 <= int(at.min()) <= int(at.max()) < size:
        raise ValueError(f"index has {int(at.min())} to {int(at.max())}, expected 0 to {size - 1}")
    places: Any = 0
    for axis, size in enumerate(input.shape):  # the element's number in C order
        along = at if axis == dim else torch.arange(at.shape[axis]).reshape([-1 if a == axis else 1 for a in range(at.ndim)])
        places = places * size + along if axis else along
    places = places.expand(at.shape)
    sums = input.detach().cpu().clone(memory_format=torch.contiguous_format)
    taken = src[tuple(slice(n) for n in index.shape)]
    _add(sums.reshape(-1).numpy(), places.numpy(), _array(taken.cpu()), device="host")
    return sums.to(input.device)


@_like_torch
def index_add(input: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:
    """The input and, added to its slices along `dim` that `index` names, those of `source` in turn."""
    if index.ndim != 1 or source.shape[dim] != index.numel():
        raise ValueError(f"index has shape {list(index.shape)}, expected one dimension with the "
                           f"{source.shape[dim]} slices of source along dim {dim}")
    shape = [-1 if axis == dim % source.ndim else 1 for axis in range(source.ndim)]
    return scatter_add(input, dim, index.reshape(shape).expand(source.shape), source)


@_like_torch
def bucketize(input: Any, boundaries: Tensor, *, out_int32: bool = False, right: bool = False,
              out: Optional[Tensor] = None) -> Tensor:
    """Numbers of boundaries below each value, or with `right` at or below it; all of them for NaN."""
    side, x = "right" if right else "left", input if isinstance(input, Tensor) else boundaries
    found = searchsorted(_array(boundaries.cpu()), _array(input), side, device=_device(input))
    return _result(found, x, torch.int32 if out_int32 else torch.int64, out)


@_like_torch
def multinomial(input: Tensor, num_samples: int, replacement: bool = False, *,
                generator: Optional[torch.Generator] = None, out: Optional[Tensor] = None) -> Tensor:
    """Random outcomes with probabilities in proportion to each row of the input, which `generator` gives a seed."""
    if input.ndim not in (1, 2) or not input.is_floating_point():
        raise ValueError(f"input is of {input.dtype} with {input.ndim} dimensions, expected 1 or 2 of floating-point")
    rows = np.atleast_2d(_array(input.cpu()))
    if not (np.isfinite(rows) & (rows >= 0)).all():
        raise ValueError("input has an element that is infinite, NaN or below 0")
    outcomes = np.count_nonzero(rows, 1)
    possible = min(outcomes, default=num_samples)
    if not 1 <= num_samples or possible < (1 if replacement else num_samples):
        raise ValueError(f"num_samples is {num_samples}, expected at least 1, of rows with that many outcomes that are "
                         f"possible (one is enough with replacement): there is one with {possible}")
    seeds = torch.randint(1 << 62, rows.shape[:1], generator=generator).tolist()
    found = [Sampler(weights, device="host").draw(num_samples, seed=seed) if replacement else
             _distinct(weights, num_samples, seed) for weights, seed in zip(rows, seeds)]
    return _result(np.array(found).reshape(*input.shape[:-1], num_samples), input, torch.int64, out)


def _distinct(weights: Array, number: int, seed: int) -> Array:
    """Outcomes, each drawn without those before it: samples with replacement in which repetitions are ignored."""
    left, found, offset = weights.copy(), np.empty(0, np.int64), 0
    while found.size < number:
        drawn = Sampler(left, device="host").draw(2 * number, seed=seed, offset=offset)
        first = np.sort(np.unique(drawn, return_index=True)[1])
        found, offset = np.append(found, drawn[first]), offset + drawn.size
        left[found] = 0
    return found[:number]
