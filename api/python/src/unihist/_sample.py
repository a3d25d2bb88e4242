# SPDX-License-Identifier: Apache-2.0
"""Random samples that can be repeated: a sample depends on probabilities, seed and its number alone."""
from __future__ import annotations

import functools
import math
import secrets
from collections.abc import Iterator
from typing import Any, Optional, Union

import numpy as np
import numpy.typing as npt

from ._arrays import Array, as_array, as_weights, c_arrays, known, out, read_as
from ._native import ffi, lib
from ._progress import STRIDE, Progress, progress_of, spans
from ._queue import Queue, queue_of
from ._status import check, fitting, made, named, properties, structure


def choice(a: Union[int, npt.ArrayLike], size: Union[None, int, tuple[int, ...]] = None, replace: bool = True,
           p: Optional[npt.ArrayLike] = None, *, seed: Optional[int] = None, offset: int = 0,
           device: Optional[str] = None, threads: Optional[int] = None, progress: Progress = False) -> Any:
    """
    Random elements of an array, with replacement: `numpy.random.choice`.

    Parameters
    ----------
    a, size, replace, p
        As in NumPy; `replace` must be True.
    seed : int, optional
        0 to 2**64 - 1; by default the system chooses. The samples of a seed are the same on every device and for any
        number of threads; they are not those of NumPy's generators.
    offset : int
        The number of the first sample, so that any part of a sequence can be drawn separately.
    device, threads, progress
        As in `unihist.histogram`.

    Examples
    --------
    >>> import unihist
    >>> unihist.choice(5, 8, p=[0.1, 0, 0.3, 0.6, 0], seed=1)
    array([3, 0, 3, 3, 2, 2, 3, 3])
    >>> unihist.choice(5, 4, p=[0.1, 0, 0.3, 0.6, 0], seed=1, offset=4)
    array([2, 2, 3, 3])
    """
    if not isinstance(replace, (bool, np.bool_)):
        raise TypeError(f"replace is {replace!r}, expected True: p is the argument after it")
    if not replace:
        raise NotImplementedError("replace is False, expected True: samples are with replacement")
    population = (None if isinstance(a, (int, np.integer)) else
                  np.asanyarray(a) if isinstance(a, (list, tuple, np.ndarray)) else as_array(a))
    if population is not None and population.ndim != 1:
        raise ValueError("a must be a positive integer or 1-dimensional")
    number = fitting("a", a, "int64_t") if population is None else population.size
    if number <= 0:
        raise ValueError("a must be a positive integer or not empty")
    lacks = isinstance(population, np.ma.MaskedArray)
    items = None if population is None or population.dtype.hasobject or lacks else np.ascontiguousarray(population)
    weights = None if p is None else _probabilities(p, number)
    drawn = _room(() if size is None else size, np.int64 if items is None else items.dtype)
    by = ffi.NULL if weights is None else c_arrays([weights])
    chosen_from = ffi.new("uh_population *", {"items": ffi.NULL if items is None else ffi.from_buffer(items),
                                              "count": number, "item_size": drawn.itemsize, "weights": by})
    queue, start = queue_of(device, threads), seed_of(seed)
    for part, at in _parts(drawn, offset, progress):
        queue.call(lib.uh_choice, chosen_from, start, at, ffi.from_buffer(part), part.size)
    if items is None and population is not None:
        return population[drawn]  # references to objects, which C cannot count
    return drawn if size is not None else drawn[()]


def sobol(dims: int, n: int, *, scramble: str = "owen", seed: int = 0, offset: int = 0,
          dtype: npt.DTypeLike = np.float64, device: Optional[str] = None, threads: Optional[int] = None) -> Array:
    """
    Points of a Sobol sequence in [0, 1): an array (n, dims).

    Parameters
    ----------
    dims, n : int
        Coordinates, up to 1024, and points.
    scramble : {"owen", "shift", "none"}
        A nested uniform scramble, a digital shift, or the sequence of `scipy.stats.qmc.Sobol(scramble=False)`.
    seed : int
        Selects the scramble; the same on every device.
    offset : int
        The number of the first point; all are below 2**32.
    dtype : data-type
        float64, float32, or uint32 for 32-bit words.
    device, threads
        As in `unihist.histogram`.

    Examples
    --------
    >>> import unihist
    >>> unihist.sobol(2, 3, scramble="none")
    array([[0.  , 0.  ],
           [0.5 , 0.5 ],
           [0.75, 0.25]])
    """
    points = _room((fitting("n", n, "int64_t"), fitting("dims", dims, "int64_t")), dtype)
    of = ffi.new("uh_sobol *", {"dims": points.shape[1], "scramble": named(lib.UH_ENUM_SCRAMBLE, "scramble", scramble),
                                "seed": seed_of(seed), "offset": fitting("offset", offset, "uint64_t")})
    queue_of(device, threads).call(lib.uh_random_sobol, of, named(lib.UH_ENUM_DTYPE, "dtype", str(points.dtype)),
                                   ffi.from_buffer(points), len(points))
    return points


def _room(size: Any, dtype: npt.DTypeLike) -> Array:
    try:
        return np.empty(size, dtype)
    except (TypeError, ValueError) as why:
        raise type(why)(f"size is {size!r}: {why}") from None


def _parts(drawn: Array, offset: int, progress: Progress) -> Iterator[tuple[Array, int]]:
    """The parts of an array to be drawn, each with the number of its first sample."""
    line, offset = drawn.reshape(-1), fitting("offset", offset, "uint64_t")
    if line.size <= STRIDE and not progress:
        yield line, offset
        return
    with progress_of(progress, "draw", line.size) as advance:
        for span in spans(line.size):
            yield line[span], offset + span.start
            advance(span.stop - span.start)


def seed_of(seed: Optional[int]) -> int:
    """The given seed, or one that the system chooses."""
    return secrets.randbits(64) if seed is None else fitting("seed", seed, "uint64_t")


def _weights_of(weights: npt.ArrayLike, name: str = "weights") -> Array:
    numbers = as_weights(weights, name)
    if numbers.ndim != 1:
        raise ValueError(f"{name} has {numbers.ndim} dimensions, expected 1")
    if numbers.dtype.kind in "mM":
        raise TypeError(f"{name} is of {numbers.dtype}, expected numbers")
    return numbers.astype(read_as(numbers.dtype, name), copy=False)


def _probabilities(p: npt.ArrayLike, number: int) -> Array:
    given = as_array(p)
    numbers = known(_weights_of(given, "p"), "p")
    if numbers.size != number:
        raise ValueError("'a' and 'p' must have same size")
    kind, total = np.finfo(given.dtype if given.dtype.kind == "f" else float), numbers.sum(dtype=float)
    if not abs(total - 1) <= math.sqrt(kind.eps):
        raise ValueError(f"p adds up to {total}, expected 1: probabilities do not sum to 1")
    return numbers


class Sampler:
    """
    Integers with probabilities in proportion to weights, or with a discrete distribution. Several threads may use it.

    Parameters
    ----------
    weights : 1-D array_like
        Numbers of any type, not negative. Outcome i is drawn in proportion to `weights[i]`.
    method : {"auto", "unihist", "alias", "binary"}
        The look-up. The samples of "alias" differ from those of the others, with the same probabilities.
    device, threads
        As in `unihist.histogram`.

    Examples
    --------
    >>> from unihist import Sampler
    >>> Sampler([1, 0, 3, 6, 0]).draw(8, seed=1)
    array([3, 0, 3, 3, 2, 2, 3, 3])
    >>> Sampler([1, 0, 3, 6, 0]).count(8, seed=1)
    array([1, 0, 2, 5, 0])
    >>> Sampler.poisson(4.5).draw(5, seed=1)
    array([ 7,  2, 10,  4,  3])
    """

    def __init__(self, weights: npt.ArrayLike, *, method: str = "auto", device: Optional[str] = None,
                 threads: Optional[int] = None) -> None:
        numbers = _weights_of(weights)
        arrays = c_arrays([numbers])  # must live until the call ends
        self._make(structure("uh_discrete", kind=lib.UH_DISCRETE_WEIGHTS, weights=arrays), method, device, threads)
        self._again = functools.partial(type(self), numbers.copy(), method=method, device=device, threads=threads)

    def _make(self, distribution: Any, method: str = "auto", device: Optional[str] = None,
              threads: Optional[int] = None) -> None:
        options = structure("uh_sampler_options", method=named(lib.UH_ENUM_SAMPLE_METHOD, "method", method))
        queue = Queue(device, threads)
        self._handle = made(lib.uh_sampler_create, "uh_sampler", lib.uh_sampler_destroy, queue.handle, distribution,
                            options, of=queue)
        self._lock = queue.lock

    @classmethod
    def _of(cls, kind: int, options: dict[str, Any], **parameters: Any) -> Sampler:
        sampler = cls.__new__(cls)
        sampler._make(structure("uh_discrete", kind=kind, **parameters), **options)
        sampler._again = functools.partial(cls._of, kind, options, **parameters)
        return sampler

    def __reduce__(self) -> tuple[Any, ...]:
        return self._again, ()

    @classmethod
    def uniform(cls, low: int, high: int, **options: Any) -> Sampler:
        """The integers low to high, inclusive. All distributions have the options `method`, `device` and `threads`."""
        return cls._of(lib.UH_DISCRETE_UNIFORM, options, low=low, high=high)

    @classmethod
    def bernoulli(cls, p: float, **options: Any) -> Sampler:
        """1 with probability p, else 0."""
        return cls._of(lib.UH_DISCRETE_BERNOULLI, options, p=p)

    @classmethod
    def binomial(cls, n: int, p: float, **options: Any) -> Sampler:
        """Successes among n trials of probability p."""
        return cls._of(lib.UH_DISCRETE_BINOMIAL, options, n=n, p=p)

    @classmethod
    def poisson(cls, mean: float, **options: Any) -> Sampler:
        """Poisson's distribution with this mean."""
        return cls._of(lib.UH_DISCRETE_POISSON, options, mean=mean)

    @classmethod
    def geometric(cls, p: float, **options: Any) -> Sampler:
        """Trials of probability p, up to and including the first success."""
        return cls._of(lib.UH_DISCRETE_GEOMETRIC, options, p=p)

    @classmethod
    def negative_binomial(cls, r: float, p: float, **options: Any) -> Sampler:
        """Failures before the r-th success, each trial of probability p."""
        return cls._of(lib.UH_DISCRETE_NEGATIVE_BINOMIAL, options, r=r, p=p)

    @classmethod
    def hypergeometric(cls, good: int, bad: int, draws: int, **options: Any) -> Sampler:
        """Number of good ones in draws without replacement from good and bad ones."""
        return cls._of(lib.UH_DISCRETE_HYPERGEOMETRIC, options, good=good, bad=bad, draws=draws)

    @classmethod
    def zipf(cls, s: float, n: int, **options: Any) -> Sampler:
        """1 to n, i in proportion to i ** -s."""
        return cls._of(lib.UH_DISCRETE_ZIPF, options, s=s, n=n)

    def _properties(self) -> Any:
        return properties("uh_sampler_properties", lib.uh_sampler_get_properties, self._handle)

    @property
    def first(self) -> int:
        """The smallest outcome."""
        return int(self._properties().first)

    @property
    def last(self) -> int:
        """The largest outcome."""
        return int(self._properties().last)

    def draw(self, size: Union[int, tuple[int, ...]], *, seed: Optional[int] = None, offset: int = 0,
             dtype: npt.DTypeLike = np.int64, progress: Progress = False) -> Array:
        """An array of samples, as int32, int64, uint32 or uint64. Other arguments are those of `choice`."""
        drawn = _room(size, dtype)
        dtype_of_c, start = named(lib.UH_ENUM_DTYPE, "dtype", str(drawn.dtype)), seed_of(seed)
        with self._lock:
            for part, at in _parts(drawn, offset, progress):
                check(lib.uh_sampler_draw(self._handle, start, at, dtype_of_c, ffi.from_buffer(part), part.size))
        return drawn

    def count(self, n: int, *, seed: Optional[int] = None, offset: int = 0) -> Array:
        """Counts of the outcomes first to last in n samples, which are not stored."""
        total, counts = (np.zeros(self._properties().size, np.int64) for _ in range(2))
        start, first, number = seed_of(seed), fitting("offset", offset, "uint64_t"), fitting("n", n, "size_t")
        with self._lock:
            for span in spans(number) if number > 0 else [slice(0, 0)]:
                check(lib.uh_sampler_count(self._handle, start, first + span.start, span.stop - span.start,
                                           out("uint64_t", counts), counts.size))
                total += counts
        return total
