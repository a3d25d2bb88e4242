# SPDX-License-Identifier: Apache-2.0
"""The shared library through ctypes, for tests that compare it with NumPy. If it is missing, importing this ends
the test as skipped and says why."""
import ctypes as c
import itertools
import os
import unittest

from command import np

LIBRARY = os.environ.get("UNIHIST_LIBRARY")
if not LIBRARY:
    raise unittest.SkipTest("UNIHIST_LIBRARY does not name the shared library")
if os.environ.get("UNIHIST_INSTRUMENTED"):
    raise unittest.SkipTest("a sanitizer's runtime wants to be loaded first")

uh = c.CDLL(LIBRARY)
uh.uh_last_error.restype = c.c_char_p
uh.uh_histogram_axis.restype = c.c_void_p

# ---- enumerations and structures of the headers ----

DTYPES = {np.dtype(name): number for number, name in enumerate(
    ["f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"])}
COUNT, SUM, WEIGHTED, MEAN, U8, U16 = range(6)  # uh_storage
EQUAL, LOG = range(2)  # uh_spacing
CLOSED_LEFT, CLOSED_RIGHT, HALF_OPEN_LEFT, HALF_OPEN_RIGHT = range(4)  # uh_closed


class Array(c.Structure):
    _fields_ = [("dtype", c.c_int), ("data", c.c_void_p), ("stride", c.c_ssize_t), ("count", c.c_size_t)]


class Stream(c.Structure):
    _fields_ = [("generator", c.c_int), ("seed", c.c_uint64), ("stream", c.c_uint64), ("offset", c.c_uint64)]


class Options(c.Structure):
    _fields_ = [("struct_size", c.c_size_t), ("storage", c.c_int), ("sum", c.c_int), ("methods", c.c_void_p),
                ("leaf_bins", c.c_uint32), ("table_bytes", c.c_size_t), ("minlength", c.c_size_t),
                ("maxlength", c.c_size_t)]


class AxisProperties(c.Structure):
    _fields_ = [("struct_size", c.c_size_t), ("bins", c.c_size_t), ("edges", c.POINTER(c.c_double)),
                ("categories", c.POINTER(c.c_double)), ("closed", c.c_int), ("flow_bins", c.c_int),
                ("distribution", c.c_void_p), ("integers", c.c_void_p)]


def array_of(x):
    if x.dtype not in DTYPES:
        raise TypeError(f"the library has no {x.dtype}")
    array = Array(DTYPES[x.dtype], x.ctypes.data, x.strides[0], len(x))
    array.of = x  # lives as long
    return array


def passed(x):
    """An argument as C gets it: integers as wide as a register, addresses of structures and arrays."""
    if isinstance(x, (int, np.integer)):
        return c.c_uint64(int(x))
    if isinstance(x, float):
        return c.c_double(x)
    if isinstance(x, np.ndarray):
        return c.c_void_p(x.ctypes.data)
    return c.byref(x) if isinstance(x, c.Structure) else x


def call(function, *arguments):
    """Calls a function that returns a status; what fails is an error with the library's message."""
    if getattr(uh, function)(*map(passed, arguments)):
        raise ValueError(uh.uh_last_error().decode())


def made(function, *arguments):
    """The object whose pointer a function stores in its last argument."""
    pointer = c.c_void_p()
    call(function, *arguments, c.byref(pointer))
    return pointer


def sizes(numbers):
    return (c.c_size_t * len(numbers))(*numbers)


QUEUE = made("uh_queue_create", made("uh_device_select", b"host"), None)  # with its usual threads


def properties_of(axis):
    found = AxisProperties(c.sizeof(AxisProperties))
    call("uh_axis_get_properties", axis, found)
    return found


def edges_of(axis):
    """Of categories their values, then NaN for a flow bin and NaN at the end."""
    found = properties_of(axis)
    if found.categories:
        values = np.ctypeslib.as_array(found.categories, (found.bins - (found.flow_bins > 0),))
        return np.concatenate([values, [np.nan] * (1 + (found.flow_bins > 0))])
    return np.array(np.ctypeslib.as_array(found.edges, (found.bins + 1,)))


class Axis:
    """Of edges, or made by uh_axis_create_ and what follows."""

    def __init__(self, how, *arguments):
        if not isinstance(how, str):
            edges, closed = np.ascontiguousarray(how), arguments[0] if arguments else CLOSED_LEFT
            how, arguments = "edges", (array_of(edges).dtype, edges, len(edges), closed)
        self._as_parameter_ = made("uh_axis_create_" + how, *arguments)

    def __del__(self):
        if hasattr(self, "_as_parameter_"):
            uh.uh_axis_destroy(self)

    def edges(self):
        return edges_of(self)


class Histogram:
    """Over axes, or edges; or what is made of another one, a pointer."""

    def __init__(self, axes, storage=COUNT, **options):
        if not isinstance(axes, c.c_void_p):
            axes = [axis if isinstance(axis, Axis) else Axis(axis) for axis in axes]
            handles = (c.c_void_p * len(axes))(*(axis._as_parameter_.value for axis in axes))
            axes = made("uh_histogram_create", QUEUE, handles, len(axes),
                        Options(c.sizeof(Options), storage, **options))
        self._as_parameter_, self.storage = axes, storage

    def __del__(self):
        if hasattr(self, "_as_parameter_"):
            uh.uh_histogram_destroy(self)

    @property
    def shape(self):
        return [properties_of(axis).bins for axis in self.axes()]

    def axes(self):
        """Borrowed from the histogram."""
        borrowed = (uh.uh_histogram_axis(self, axis) for axis in itertools.count())
        return [c.c_void_p(axis) for axis in itertools.takewhile(bool, borrowed)]

    def fill(self, columns, weights=None):
        call("uh_histogram_fill", self, (Array * len(columns))(*map(array_of, columns)),
             None if weights is None else array_of(weights))
        return self

    def contents(self):
        """All that its storage keeps of cells: counts; or sums, and their squares; or counts, means and m2."""
        if self.storage == MEAN:
            out = np.empty(self.shape, "u8"), np.empty(self.shape), np.empty(self.shape)
            call("uh_histogram_means", self, *out)
        elif self.storage in (SUM, WEIGHTED):
            out = tuple(np.empty(self.shape) for _ in range(self.storage))
            call("uh_histogram_sums", self, DTYPES[out[0].dtype], *out, *[None] * (WEIGHTED - self.storage))
        else:
            out = (np.empty(self.shape, "u8"),)
            call("uh_histogram_counts", self, *out)
        return out

    def made(self, what, *arguments):
        return Histogram(made("uh_histogram_" + what, self, *arguments), self.storage)


# ---- samplers ----

MASS = c.CFUNCTYPE(c.c_double, c.c_int64, c.c_void_p)
# The members of uh_discrete that each kind reads, in the order of uh_discrete_kind.
PARAMETERS = {"uniform": ("low", "high"), "bernoulli": ("p",), "binomial": ("n", "p"), "poisson": ("mean",),
              "geometric": ("p",), "negative_binomial": ("r", "p"), "hypergeometric": ("good", "bad", "draws"),
              "zipf": ("s", "n"), "mass": ("mass", "first", "last"), "weights": ("weights",)}


class Discrete(c.Structure):
    _fields_ = [("struct_size", c.c_size_t), ("kind", c.c_int), ("p", c.c_double), ("mean", c.c_double),
                ("r", c.c_double), ("s", c.c_double), ("n", c.c_uint64), ("good", c.c_uint64), ("bad", c.c_uint64),
                ("draws", c.c_uint64), ("low", c.c_int64), ("high", c.c_int64), ("mass", MASS), ("context", c.c_void_p),
                ("first", c.c_int64), ("last", c.c_int64), ("weights", c.c_void_p)]


class SamplerProperties(c.Structure):
    _fields_ = [("struct_size", c.c_size_t), ("first", c.c_int64), ("last", c.c_int64), ("size", c.c_uint64),
                ("method", c.c_int), ("plan", c.c_char * 512)]


class Sampler:
    """Of an array of weights, or of a distribution: its name and its parameters, in the order of PARAMETERS."""

    def __init__(self, what, *parameters):
        if not isinstance(what, str):
            weights = array_of(what)
            what, parameters = "weights", (c.addressof(weights),)
        kind = list(PARAMETERS).index(what)
        named = dict(zip(PARAMETERS[what], parameters, strict=True))
        self._as_parameter_ = made("uh_sampler_create", QUEUE, Discrete(c.sizeof(Discrete), kind, **named), None)
        is_now = SamplerProperties(c.sizeof(SamplerProperties))
        call("uh_sampler_get_properties", self, is_now)
        self.first, self.last, self.size = is_now.first, is_now.last, is_now.size

    def __del__(self):
        if hasattr(self, "_as_parameter_"):
            uh.uh_sampler_destroy(self)

    def cumulative(self):
        """C[0] .. C[size - 1]; if outcomes at the end have no mass, 2^64 modulo 2^64 is stored."""
        out, used = np.empty(self.size, "u8"), c.c_size_t()
        call("uh_sampler_cumulative", self, out, c.byref(used))
        return out

    def draw(self, n, seed, offset=0, dtype="i8"):
        out = np.empty(n, dtype)
        call("uh_sampler_draw", self, seed, offset, DTYPES[out.dtype], out, n)
        return out
