#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Peers in Python that find integrals of tests/integrands/set.h; the program's name is that of one."""
import ctypes
import math
import pathlib
import sys

import peer

NAME = pathlib.Path(sys.argv[0]).name
CHI2 = 1.5  # PERF_INTEGRAL_CHI2
try:
    import numpy
    if NAME == "vegas":
        import gvar
        import vegas as library
    elif NAME == "torchquad_vegas":
        import torchquad as library
    else:
        import scipy as library
        import scipy.integrate
        import scipy.stats
        assert hasattr(scipy.integrate, NAME.removeprefix("scipy_"))
except (ImportError, AssertionError) as missing:
    print(f"missing {str(missing) or 'a newer SciPy'}", flush=True)
    sys.exit(0)


class Integral:
    version, rule = library.__version__, "integrated"
    set = ctypes.CDLL(str(pathlib.Path(sys.argv[0]).resolve().parent / "set.so"))
    found = (0.0, 0.0, 0.0, 0, False)  # value, error, chi-square, evaluations, converged

    def take(self, name, dims, calls, iterations, skipped, tau, _seconds, seed):
        self.dims, self.calls, self.seed = int(dims), int(calls), int(seed)
        self.iterations, self.skipped, self.tau = int(iterations), int(skipped), float(tau)
        if not self.set.set_values_take(name.encode(), ctypes.c_uint64(self.seed)):
            return "it does not know the integrand"
        return self.refused()

    def refused(self):
        return None

    def values(self, rows):
        rows = numpy.ascontiguousarray(rows, dtype="float64")
        value = numpy.empty(len(rows))
        self.evaluations += len(rows)
        self.set.set_values(ctypes.c_size_t(len(rows)), ctypes.c_void_p(rows.ctypes.data),
                            ctypes.c_void_p(value.ctypes.data))
        return value

    def reset(self):
        self.evaluations = 0

    def run(self):
        value, error, chi2, reached = self.integrate()
        reached = error <= self.tau * abs(value) and chi2 <= CHI2 if reached is None else reached
        self.found = (float(value), float(error), float(chi2), self.evaluations, int(reached))

    def result(self):
        return "".join(f" {number!r}" for number in self.found)


class Vegas(Integral):
    call = "vegas.Integrator(...)(f, rtol=tau)"

    def integrate(self):
        gvar.ranseed(self.seed + 1)
        integrator = library.Integrator(self.dims * [[0, 1]])
        integrand = library.lbatchintegrand(self.values)
        integrator(integrand, nitn=self.skipped, neval=self.calls)
        found = integrator(integrand, nitn=self.iterations - self.skipped, neval=self.calls, rtol=self.tau)
        return found.mean, found.sdev, found.chi2 / max(found.dof, 1), None


class Cubature(Integral):
    """It has no seed."""
    call = "scipy.integrate.cubature(f, a, b, rtol=tau, atol=0)"

    def refused(self):
        return f"a division in {self.dims} dimensions has too many points" if self.dims > 8 else None

    def integrate(self):
        points = 31 if self.dims == 1 else 2 ** self.dims + 2 * self.dims ** 2 + 2 * self.dims + 1
        found = scipy.integrate.cubature(
            self.values, numpy.zeros(self.dims), numpy.ones(self.dims), rtol=self.tau, atol=0,
            rule="gk21" if self.dims == 1 else "genz-malik",
            max_subdivisions=max(1, self.calls * self.iterations // (points * 2 ** self.dims)))
        return found.estimate, found.error, 0, found.status == "converged"


class Quasi(Integral):
    """All points of Sobol that there may be, randomised 16 times: it has no error to reach."""
    call = "scipy.integrate.qmc_quad(f, a, b)"

    def integrate(self):
        found = scipy.integrate.qmc_quad(
            lambda x: self.values(numpy.atleast_2d(x).reshape(self.dims, -1).T), numpy.zeros(self.dims),
            numpy.ones(self.dims), n_estimates=16, n_points=1 << int(math.log2(self.calls * self.iterations / 16)),
            qrng=scipy.stats.qmc.Sobol(self.dims, seed=self.seed))
        return found.integral, found.standard_error, 0, None


class Torchquad(Integral):
    """It cuts the evaluations into iterations itself."""
    call = "torchquad.VEGAS().integrate(f, dims, N, eps_rel=tau)"

    def integrate(self):
        found = library.VEGAS().integrate(
            self.values, self.dims, N=self.calls * self.iterations, seed=self.seed, eps_rel=self.tau, return_error=True,
            integration_domain=numpy.array(self.dims * [[0.0, 1.0]]), max_iterations=self.iterations)
        return found.integral, found.sdev, found.chi2 / max(found.dof, 1), None


peer.main({"vegas": Vegas, "scipy_cubature": Cubature, "scipy_qmc_quad": Quasi, "torchquad_vegas": Torchquad}[NAME]())
