# SPDX-License-Identifier: Apache-2.0
"""Integrals of Python functions, and of texts in C, compiled at run time, against their exact values and the results of
the command."""
import contextlib
import functools
import math
import os
import pathlib
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import numpy as np
import pytest

import unihist
from unihist import _compile, integrate

SMALL = 2 * math.pi * 0.01**2


def peak(x):
    return np.exp(-((x[0] - 0.5) ** 2 + (x[1] - 0.5) ** 2) / (2 * 0.01**2))


@pytest.mark.parametrize("variant", ["auto", "mcubes", "mcubes1d", "vegas_plus", "cubature"])
def test_a_peak_is_found(variant):
    found = integrate(peak, [0, 0], [1, 1], variant=variant, seed=3, max_calls=100_000)
    assert found.converged and found.error <= 1e-3 * SMALL and abs(found.value - SMALL) < 5 * found.error
    assert found.chi2_dof < 1.5 and found.calls <= found.iterations * 100_000 + 2048


@pytest.mark.parametrize("variant, more", [("sobol", {}), ("sobol", {"scramble": "shift"}), ("lattice", {}),
                                           ("lattice", {"periodise": "korobov", "randomisations": 32})])
def test_a_smooth_function_needs_few_points_of_a_sequence(variant, more):
    found = integrate(lambda x: np.exp(x[0] * x[1]), [0, 0], [1, 1], variant=variant, relative_error=1e-6, **more)
    assert found.converged and found.calls < 5_000_000 and abs(found.value - 1.3179021514544038) < 5 * found.error
    with pytest.raises(ValueError, match="expected owen or"):
        integrate(lambda x: x[0], [0], [1], variant="sobol", scramble="none")


def test_axes_have_their_own_numbers_of_intervals():
    how = {"seed": 3, "max_calls": 20_000, "iterations": 8}
    found = [integrate(peak, [0, 0], [1, 1], strata=strata, **how) for strata in (None, (50, 50), (9, 400))]
    assert all(abs(one.value - SMALL) < 5 * one.error for one in found)
    assert found[0].value == found[1].value != found[2].value  # two axes have 50 bins, and as many intervals
    with pytest.raises(ValueError, match=r"strata is \(3,\), expected 2 integers"):
        integrate(peak, [0, 0], [1, 1], strata=(3,))
    with pytest.raises(ValueError, match=r"strata\[1\] is -1, expected 0 to"):
        unihist.Integrator([(0, 1), (0, 1)])(peak, strata=(3, -1))
    with pytest.raises(ValueError, match=r"strata\[1\] is 4000, expected 1 to 3333, for at most 10000 cubes"):
        integrate(peak, [0, 0], [1, 1], strata=(3, 4000), **how)


def test_several_values_have_a_covariance():
    found = integrate(lambda x: [x[0], x[0] ** 2], [0, 0], [1, 3], values=2, seed=2, max_calls=50_000)
    assert found.value == pytest.approx([1.5, 1.0], rel=0.01) and found.covariance.shape == (2, 2)
    assert np.all(np.abs(found.value - [1.5, 1.0]) < 5 * found.error)
    assert found.error == pytest.approx(np.sqrt(found.covariance.diagonal()))
    ratios = found.ratios()  # the expectation value of x under the density x
    assert ratios.value[0] == 1 and ratios.error[0] == 0 and abs(ratios.value[1] - 2 / 3) < 5 * ratios.error[1] < 0.01
    assert integrate(lambda x: 2.0, [0], [1], max_calls=1000).value == pytest.approx(2)


def test_many_values_have_errors_and_ratios_to_the_first():
    order = np.arange(300)
    found = integrate(lambda x: 2 * x[0] * x[1] ** order[:, None], [0, 0], [1, 1], values=300, max_calls=5000,
                      variant="vegas_plus")
    assert np.all(np.abs(found.value - 1 / (order + 1)) < 5 * found.error) and np.all(found.error > 0)
    assert np.array_equal(np.isnan(found.covariance), (order > 0)[:, None] & (order > 0) & ~np.eye(300, dtype=bool))
    assert np.all(np.abs(found.ratios().value - 1 / (order + 1))[1:] < 5 * found.ratios().error[1:])


def test_an_integrator_keeps_its_grid_and_history():
    integrator = unihist.Integrator([(0, 1), (0, 1)])
    first, found = integrator(peak, nitn=12, neval=20_000), integrator(peak, nitn=5, neval=20_000, alpha=0)
    assert len(first.history) == first.iterations == 12 and [at.counts for at in found.history] == [True] * 5
    assert found.dof == 4 and abs(found.value - SMALL) < 5 * found.error and len(found.summary().splitlines()) == 7
    assert found.history[0].error < first.history[0].error / 20 and found.history[-1].integral == found.value
    for dof, chi2 in [(1, 3.841459), (2, 5.991465), (9, 16.918978), (10, 18.307038)]:  # 0.05 by tables
        assert found._replace(dof=dof, chi2_dof=chi2 / dof).q == pytest.approx(0.05, rel=1e-5)
    assert integrator(peak, neval=20_000, relative_error=0.01).converged


def test_points_have_the_density_of_the_function():
    integrator = unihist.Integrator([(0, 1), (0, 1)])
    found, n = integrator(peak, neval=20_000), 40_000
    points, few = (integrator.points(peak, n, seed=2, unweighted=unweighted) for unweighted in (False, True))
    assert points.x.shape == (2, n) and np.array_equal(points.value[0], peak(points.x)) and points.maximum == 0
    assert abs(points.weight.mean() - found.value) < 5 * (found.error + points.weight.std() / n**0.5)
    assert few.maximum == points.weight.max() and set(few.weight) == {1}
    assert len(few.weight) / n == pytest.approx(points.weight.mean() / few.maximum, rel=0.05)
    assert few.x.std(axis=1) == pytest.approx([0.01, 0.01], rel=0.05)


def test_the_same_seed_gives_the_same_bits_with_any_threads():
    results = [integrate(peak, [0, 0], [1, 1], seed=3, threads=threads, iterations=4, max_calls=20_000,
                         variant="vegas_plus")
               for threads in (1, 2, 4)]
    assert len({(r.value, r.error) for r in results}) == 1
    other = integrate(peak, [0, 0], [1, 1], seed=4, iterations=4, max_calls=20_000, variant="vegas_plus")
    assert other.value != results[0].value and other.iterations <= 4


@pytest.mark.parametrize("threads", [1, 2])
def test_the_function_may_call_the_package(threads):
    def share(x):
        assert unihist.histogram(x[0], [0, 1], threads=threads)[0].sum() == x.shape[1]
        return unihist.digitize(x[0], [0.5], threads=threads)

    assert integrate(share, [0], [1], threads=threads, max_calls=20_000).value == pytest.approx(0.5, rel=0.01)


def test_errors_end_it_early():
    strict = integrate(peak, [0, 0], [1, 1], relative_error=1e-9, iterations=3, max_calls=20_000, variant="vegas_plus")
    assert not strict.converged and strict.iterations == 3
    loose = integrate(peak, [0, 0], [1, 1], relative_error=0, absolute_error=1, max_calls=20_000)
    assert loose.converged and loose.error <= 1


def test_exceptions_of_the_function_are_raised():
    calls = []

    def function(x):
        calls.append(x.shape)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        integrate(function, [0] * 3, [1] * 3, threads=2)
    assert calls == [calls[0]] and calls[0][0] == 3 and 1 <= calls[0][1] <= 256


def test_an_exception_of_progress_is_raised():
    def refuse(done, total):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        integrate(lambda x: x[0], [0], [1], progress=refuse)


# ---- texts in C

DEVICES = [device.selector for device in unihist.devices()]
COMMAND = os.environ.get("UNIHIST_TEST_COMMAND", "")
HERE = """#include <unihist/integrand.h>
static void peaks(const UH_REAL *x, UH_REAL *value, UH_GLOBAL const void *state) {
    const UH_REAL a = x[0] - 0.5, b = x[1] - 0.25;
    value[0] = exp(-50 * (a * a + b * b));
    value[1] = x[0] * value[0];
}
UH_INTEGRAND(peaks, 2, 2, void)
"""
PEAK = math.pi / 50 * math.erf(50 ** 0.5 / 2) * (math.erf(50 ** 0.5 / 4) + math.erf(50 ** 0.5 * 3 / 4)) / 2
LINE = """#include <unihist/integrand.h>
static void line(const UH_REAL *x, UH_REAL *value, UH_GLOBAL const void *state) { value[0] = (UH_REAL)FACTOR * x[0]; }
UH_INTEGRAND(line, 1, 1, void)
"""
SCALED = """#include <unihist/integrand.h>
struct scale { float factor; int unused; };
static void line(const UH_REAL *x, UH_REAL *value, UH_GLOBAL const struct scale *at) { value[0] = at->factor * x[0]; }
UH_INTEGRAND(line, 1, 1, struct scale)
"""
HOW = {"seed": 7, "max_calls": 20_000, "iterations": 6, "relative_error": 1e-9, "variant": "vegas_plus"}


@pytest.fixture(autouse=True)
def folder(monkeypatch, tmp_path):
    """A folder for compilers, which they leave empty; no text is kept from before."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    _compile._kept_host.cache_clear()
    _compile._kept_device.cache_clear()
    yield tmp_path
    assert not list(tmp_path.glob("unihist-*"))


@pytest.fixture(params=DEVICES)
def device(request):
    if request.param != "host:0":
        try:
            _compile._llvm()
        except _compile.Missing as missing:
            pytest.skip(f"no compiler for devices: {missing} is missing")
    return request.param


def test_a_text_is_integrated(device):
    found = integrate(HERE, [0, 0], [1, 1], device=device, **HOW)
    assert found.value == pytest.approx([PEAK, PEAK / 2], rel=0.01) and found.covariance.shape == (2, 2)
    assert np.all(np.abs(found.value - [PEAK, PEAK / 2]) < 5 * found.error) and found.iterations == 6
    reports = []
    integrate(HERE, [0, 0], [1, 1], device=device, progress=lambda *at: reports.append(at), **HOW)
    assert reports == [(i + 1, 6) for i in range(6)]


def test_a_text_has_the_bits_of_the_command(device, tmp_path):
    if not COMMAND:
        pytest.skip("UNIHIST_TEST_COMMAND names no command")
    file = tmp_path / "peaks.c"
    file.write_text(HERE)
    for box in ("0,1,0,1", "-inf,inf,0,inf"):
        sides = [float(side) for side in box.split(",")]
        done = subprocess.run(
            [COMMAND, "integrate", "--file", file, f"--box={box}", "--device", device,
             *"--seed 7 --max-calls 20000 --iterations 6 --epsrel 1e-9 --variant vegas_plus".split()],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True)
        expected = np.array([line.split() for line in done.stdout.splitlines()], float)
        for source, threads in ((HERE, None), (file, 1)):
            found = integrate(source, sides[::2], sides[1::2], device=device, threads=threads, **HOW)
            assert np.array([found.value, found.error]).T.tolist() == expected[:, :2].tolist()


def test_a_file_may_include_files_of_its_folder(device, tmp_path):
    file = tmp_path / "line.c"
    file.write_text(LINE.replace("<unihist/integrand.h>", '<unihist/integrand.h>\n#include "factor.h"'))
    for factor in (0.5, 1.5):
        (tmp_path / "factor.h").write_text(f"#define FACTOR {factor}\n")
        assert integrate(file, [0], [2], device=device, seed=1).value == pytest.approx(2 * factor, rel=0.01)


def test_each_of_many_calls_gives_the_integral_of_its_own_text(device):
    for seed, factor in enumerate(np.random.default_rng(1).integers(1, 6, 100).tolist()):
        found = integrate(LINE.replace("FACTOR", f"{factor}.0"), [0], [2], device=device, seed=seed, iterations=2,
                          max_calls=2000)
        assert found.value == pytest.approx(2 * factor, rel=0.1)


def test_many_integrals_are_those_of_each(device):
    texts = [LINE.replace("FACTOR", f"{factor}.0") for factor in range(1, 5)]
    more = {"device": device, "threads": 2, **HOW}
    assert unihist.integrate_many(texts, [0], [2], **more) == [integrate(text, [0], [2], **more) for text in texts]
    states, reports = np.zeros(300, np.dtype([("factor", "f4"), ("unused", "i4")], align=True)), []
    states["factor"] = np.arange(300)
    found = unihist.integrate_many(SCALED, [0], [2], states=states, progress=lambda *at: reports.append(at), **more)
    assert found[:5][1:] == unihist.integrate_many(texts, [0], [2], **more) and reports == [(256, 300), (300, 300)]
    assert found[299].value == pytest.approx(2 * 299, rel=0.01) and len(found[299].history) == found[299].iterations
    with pytest.raises(ValueError, match=r"functions\[1\].*expected finite values"):
        unihist.integrate_many([texts[0], LINE.replace("FACTOR", "1 / 0.0")], [0], [2], **more)
    with pytest.raises(TypeError, match="one text without states"):
        unihist.integrate_many(texts[0], [0], [2], **more)
    assert unihist.integrate_many([], [0], [2]) == unihist.integrate_many(SCALED, [0], [2], states=[]) == []
    with pytest.raises(ValueError, match="expected void"):
        unihist.integrate_many([SCALED], [0], [2], **more)


def test_invalid_texts_and_arguments_are_named(device):
    for text, box, how, message in [
        (HERE, 3, {}, "dims of the text is 2, expected 3"), (HERE, 2, {"values": 1}, "values of the text is 2"),
        (HERE, 2, {"values": 0}, "values is 0"), (HERE.replace("a * a", "c"), 2, {}, r"text\.c:4:.*error"),
        (HERE.replace("exp", "no_such"), 2, {}, "no_such"), ("int x;", 2, {}, "expected UH_INTEGRAND"),
        (HERE.replace("void)", "int)"), 2, {}, "expected void as the type of the state"),
        (HERE.replace("exp", "0 / log(0.0 * x[0] + 1) *"), 2, {}, "expected finite values"),
    ]:
        with pytest.raises(ValueError, match=message):
            integrate(text, [0] * box, [1] * box, device=device, **how)
    with pytest.raises(FileNotFoundError, match="no-such-file"):
        integrate(pathlib.Path("no-such-file.c"), [0], [1], device=device)


def compiler_of(path, script):
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o700)
    return path


def test_at_most_20_lines_of_a_compiler_are_shown(monkeypatch, tmp_path):
    compiler = compiler_of(tmp_path / "complain", "seq 100; exit 1")
    monkeypatch.setenv("CC", f"{compiler} -DX=1")
    with pytest.raises(ValueError) as raised:
        integrate(HERE, [0, 0], [1, 1])
    assert str(raised.value).splitlines() == [f"{compiler} cannot compile the text:", *map(str, range(1, 21))]


def test_a_missing_compiler_is_named(monkeypatch, tmp_path):
    monkeypatch.setenv("CC", "no-such-cc -O1")
    with pytest.raises(RuntimeError, match=r"\$CC is 'no-such-cc -O1', which is not there"):
        integrate(HERE, [0, 0], [1, 1])
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CC")
    with pytest.raises(RuntimeError, match="cc, gcc and clang are missing"):
        integrate(HERE, [0, 0], [1, 1])


def only(monkeypatch, folder, *names):
    """No programs are found but these."""
    (folder / "bin").mkdir()
    for name in names:
        if not shutil.which(name):
            pytest.skip(f"{name} is missing")
        (folder / "bin" / name).symlink_to(shutil.which(name))
    monkeypatch.setenv("PATH", str(folder / "bin"))
    monkeypatch.delenv("CC", raising=False)


WITH_DEVICES = pytest.mark.skipif(DEVICES == ["host:0"], reason="the host is the only device")


@WITH_DEVICES
def test_without_a_compiler_for_devices_the_host_integrates_and_logs_it(monkeypatch, caplog, tmp_path):
    expected = integrate(HERE, [0, 0], [1, 1], device="host", **HOW)
    only(monkeypatch, tmp_path, "cc", "as", "ld")
    missing = r"no compiler of OpenCL C: clang \(package clang\) is missing, and ocloc"
    with pytest.raises(RuntimeError, match=missing):
        integrate(HERE, [0, 0], [1, 1], device=DEVICES[0], **HOW)
    assert integrate(HERE, [0, 0], [1, 1], **HOW).value.tolist() == expected.value.tolist()
    assert any(record.name == "unihist" and "integrating on the host: no compiler" in record.getMessage()
               for record in caplog.records)


@WITH_DEVICES
def test_ocloc_compiles_for_devices_without_clang(monkeypatch, tmp_path):
    only(monkeypatch, tmp_path, "cc", "as", "ld", "ocloc")
    found = integrate(HERE, [0, 0], [1, 1], device=DEVICES[0], **HOW)
    assert np.all(np.abs(found.value - [PEAK, PEAK / 2]) < 5 * found.error)


def test_a_function_of_python_needs_the_host(device):
    if device == "host:0":
        assert integrate(lambda x: x[0], [0], [1], device=device).value == pytest.approx(0.5, rel=0.01)
    else:
        with pytest.raises(NotImplementedError, match="function"):
            integrate(lambda x: x[0], [0], [1], device=device)


def test_a_text_is_compiled_once_and_unloaded_once_it_is_discarded(monkeypatch, folder):
    calls, run = [], _compile._run
    monkeypatch.setattr(_compile, "_kept_host", functools.lru_cache(2)(_compile._compile_host))
    monkeypatch.setattr(_compile, "_run", lambda *line: calls.append(line) or run(*line))
    texts = [HERE.replace("0.25", f"0.{number}") for number in range(25, 30)]
    for text in texts[:2] * 2:
        integrate(text, [0, 0], [1, 1], device="host", **HOW)
    assert len(calls) == 2
    for text in texts:
        integrate(text, [0, 0], [1, 1], device="host", **{**HOW, "iterations": 1})
    with open("/proc/self/maps") as maps:
        loaded = {line.split()[5] for line in maps if "text.so" in line and str(folder) in line}
    assert len(calls) == len(texts) and len(loaded) == 2


SLOW = """
import os, signal, sys, threading, time, unihist
signal.signal(signal.SIGINT, signal.default_int_handler)
def press():
    while not os.path.exists(sys.argv[1]):
        time.sleep(0.01)
    os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=press, daemon=True).start()
try:
    unihist.integrate("text", [0], [1])
except KeyboardInterrupt:
    print("ended", os.listdir(os.environ["TMPDIR"]))
"""


def test_ctrl_c_ends_the_compiler_and_removes_its_files(tmp_path):
    folder, running = tmp_path / "scratch", tmp_path / "pid"
    folder.mkdir()
    compiler = compiler_of(tmp_path / "slow", f"sleep 600 & touch $TMPDIR/left; echo $! >{running}.new; "
                           f"mv {running}.new {running}; wait")
    done = subprocess.run([sys.executable, "-c", SLOW, running], capture_output=True, text=True, timeout=120,
                          env={**os.environ, "CC": str(compiler), "TMPDIR": str(folder)})
    assert done.stdout == "ended []\n", done.stderr
    with contextlib.suppress(ProcessLookupError):  # it has ended already
        assert select.select([os.pidfd_open(int(running.read_text()))], [], [], 60)[0]


def test_ctrl_c_during_the_start_of_a_compiler_ends_it_too(monkeypatch):
    started, before = [], signal.signal(signal.SIGINT, signal.default_int_handler)

    class Interrupted(subprocess.Popen):
        def __init__(self, *line, **how):
            super().__init__("exec sleep 600", shell=True, **how)
            started.append(self)
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0)  # Python handles signals here

    monkeypatch.setattr(_compile.subprocess, "Popen", Interrupted)
    try:
        with pytest.raises(KeyboardInterrupt):
            integrate(HERE, [0, 0], [1, 1], device="host")
    finally:
        signal.signal(signal.SIGINT, before)
    assert len(started) == 1 and started[0].poll() is not None


def test_ctrl_c_ends_an_iteration(interrupted):
    how = {"max_calls": 10**11, "iterations": 1}
    assert interrupted(lambda: integrate(HERE, [0, 0], [1, 1], **how)) < 5
    assert interrupted(lambda: unihist.integrate_many([HERE, HERE], [0, 0], [1, 1], **how)) < 5
    assert interrupted(lambda: unihist.integrate_many(SCALED, [0], [1], states=np.ones(10**5))) < 5
