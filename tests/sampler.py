# SPDX-License-Identifier: Apache-2.0
"""Samplers of the shared library."""
import ctypes as c

from library import DTYPES, QUEUE, array_of, call, made, np, uh

AUTO, UNIHIST, ALIAS, BINARY = range(4)
MASS = c.CFUNCTYPE(c.c_double, c.c_int64, c.c_void_p)
# The members of uh_discrete that each kind reads, in the order of uh_discrete_kind.
PARAMETERS = {"uniform": ("low", "high"), "bernoulli": ("p",), "binomial": ("n", "p"), "poisson": ("mean",),
              "geometric": ("p",), "negative_binomial": ("r", "p"), "hypergeometric": ("good", "bad", "draws"),
              "zipf": ("s", "n"), "mass": ("mass", "first", "last"), "weights": ("weights",)}


class Options(c.Structure):
    _fields_ = [("struct_size", c.c_size_t), ("method", c.c_int)]


class Discrete(c.Structure):
    _fields_ = [("struct_size", c.c_size_t), ("kind", c.c_int), ("p", c.c_double), ("mean", c.c_double),
                ("r", c.c_double), ("s", c.c_double), ("n", c.c_uint64), ("good", c.c_uint64), ("bad", c.c_uint64),
                ("draws", c.c_uint64), ("low", c.c_int64), ("high", c.c_int64), ("mass", MASS), ("context", c.c_void_p),
                ("first", c.c_int64), ("last", c.c_int64), ("weights", c.c_void_p)]


class Properties(c.Structure):
    _fields_ = [("struct_size", c.c_size_t), ("first", c.c_int64), ("last", c.c_int64), ("size", c.c_uint64),
                ("method", c.c_int), ("plan", c.c_char * 512)]


class Sampler:
    """Of an array of weights, or of a distribution: its name and its parameters, in the order of PARAMETERS."""

    def __init__(self, what, *parameters, method=AUTO):
        options = Options(c.sizeof(Options), method)
        if not isinstance(what, str):
            weights = array_of(what)
            what, parameters = "weights", (c.addressof(weights),)
        kind = list(PARAMETERS).index(what)
        named = dict(zip(PARAMETERS[what], parameters, strict=True))
        self._as_parameter_ = made("uh_sampler_create", QUEUE, Discrete(c.sizeof(Discrete), kind, **named), options)
        is_now = Properties(c.sizeof(Properties))
        call("uh_sampler_get_properties", self, is_now)
        self.first, self.last, self.size = is_now.first, is_now.last, is_now.size

    def __del__(self):
        if hasattr(self, "_as_parameter_"):
            uh.uh_sampler_destroy(self)

    def cumulative(self):
        """C[0] .. C[size - 1]; where outcomes at the end have no mass, what is stored is 2^64 modulo 2^64."""
        out, used = np.empty(self.size, "u8"), c.c_size_t()
        call("uh_sampler_cumulative", self, out, c.byref(used))
        return out

    def draw(self, n, seed, offset=0, dtype="i8"):
        out = np.empty(n, dtype)
        call("uh_sampler_draw", self, seed, offset, DTYPES[out.dtype], out, n)
        return out

    def count(self, n, seed, offset):
        out = np.empty(self.size, "u8")
        call("uh_sampler_count", self, seed, offset, n, out, self.size)
        return out
