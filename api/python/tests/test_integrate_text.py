# SPDX-License-Identifier: Apache-2.0
"""Integrals of texts in C, compiled at run time, against what they are and what the command finds."""
import functools
import math
import os
import pathlib
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
HOW = {"seed": 7, "max_calls": 20_000, "iterations": 6, "relative_error": 1e-9}


@pytest.fixture(autouse=True)
def folder(monkeypatch, tmp_path):
    """Where compilers work, which is left empty, and nothing kept."""
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
            pytest.skip(f"nothing here compiles for devices: {missing} is missing")
    return request.param


def test_a_text_is_integrated(device):
    found = integrate(HERE, [0, 0], [1, 1], device=device, **HOW)
    assert found.value == pytest.approx([PEAK, PEAK / 2], rel=0.01) and found.covariance.shape == (2, 2)
    assert np.all(np.abs(found.value - [PEAK, PEAK / 2]) < 5 * found.error) and found.iterations == 6
    told = []
    integrate(HERE, [0, 0], [1, 1], device=device, progress=lambda *at: told.append(at), **HOW)
    assert told == [(i + 1, 6) for i in range(6)]


def test_a_text_has_the_bits_that_the_command_finds(device, tmp_path):
    if not COMMAND:
        pytest.skip("UNIHIST_TEST_COMMAND names no command")
    file = tmp_path / "peaks.c"
    file.write_text(HERE)
    for box in ("0,1,0,1", "-inf,inf,0,inf"):
        sides = [float(side) for side in box.split(",")]
        done = subprocess.run(
            [COMMAND, "integrate", "--file", file, f"--box={box}", "--seed", "7", "--max-calls", "20000", "--iterations",
             "6", "--epsrel", "1e-9", "--device", device],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True)
        told = np.array([line.split() for line in done.stdout.splitlines()], float)
        for source, threads in ((HERE, None), (file, 1)):
            found = integrate(source, sides[::2], sides[1::2], device=device, threads=threads, **HOW)
            assert found.value.tolist() == told[:, 0].tolist() and found.error.tolist() == told[:, 1].tolist()


def test_a_file_may_include_what_lies_beside_it(device, tmp_path):
    (tmp_path / "half.h").write_text("#define HALF 0.5\n")
    file = tmp_path / "line.c"
    file.write_text('#include <unihist/integrand.h>\n#include "half.h"\nstatic void line(const UH_REAL *x, UH_REAL '
                    "*value, UH_GLOBAL const void *state) { value[0] = HALF * x[0]; }\nUH_INTEGRAND(line, 1, 1, void)\n")
    assert integrate(file, [0], [2], device=device, seed=1).value == pytest.approx(1, rel=0.01)
    (tmp_path / "half.h").write_text("#define HALF 1.5\n")
    assert integrate(file, [0], [2], device=device, seed=1).value == pytest.approx(3, rel=0.01)


def test_each_of_many_calls_gives_the_integral_of_its_own_text(device):
    text = ("#include <unihist/integrand.h>\nstatic void line(const UH_REAL *x, UH_REAL *value, UH_GLOBAL const void "
            "*state) { value[0] = (UH_REAL)FACTOR * x[0]; }\nUH_INTEGRAND(line, 1, 1, void)\n")
    for seed, factor in enumerate(np.random.default_rng(1).integers(1, 6, 100).tolist()):
        found = integrate(text.replace("FACTOR", f"{factor}.0"), [0], [2], device=device, seed=seed, iterations=2,
                          max_calls=2000)
        assert found.value == pytest.approx(2 * factor, rel=0.1)


def test_what_is_wrong_is_named(device):
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


def test_a_compiler_complains_at_most_20_lines(monkeypatch, tmp_path):
    compiler = tmp_path / "complain"
    compiler.write_text("#!/bin/sh\nseq 100\nexit 1\n")
    compiler.chmod(0o700)
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
    """These programs are all that there are."""
    (folder / "bin").mkdir()
    for name in names:
        if not shutil.which(name):
            pytest.skip(f"there is no {name}")
        (folder / "bin" / name).symlink_to(shutil.which(name))
    monkeypatch.setenv("PATH", str(folder / "bin"))
    monkeypatch.delenv("CC", raising=False)


WITH_DEVICES = pytest.mark.skipif(DEVICES == ["host:0"], reason="there is no device but the host")


@WITH_DEVICES
def test_without_a_compiler_for_devices_the_host_integrates_and_says_so(monkeypatch, caplog, tmp_path):
    expected = integrate(HERE, [0, 0], [1, 1], device="host", **HOW)
    only(monkeypatch, tmp_path, "cc", "as", "ld")
    missing = r"nothing here compiles OpenCL C: clang \(package clang\) is missing, and ocloc"
    with pytest.raises(RuntimeError, match=missing):
        integrate(HERE, [0, 0], [1, 1], device=DEVICES[0], **HOW)
    assert integrate(HERE, [0, 0], [1, 1], **HOW).value.tolist() == expected.value.tolist()
    assert any(record.name == "unihist" and "integrating on the host: nothing here" in record.getMessage()
               for record in caplog.records)


@WITH_DEVICES
def test_ocloc_compiles_for_devices_where_clang_does_not(monkeypatch, tmp_path):
    only(monkeypatch, tmp_path, "cc", "as", "ld", "ocloc")
    found = integrate(HERE, [0, 0], [1, 1], device=DEVICES[0], **HOW)
    assert np.all(np.abs(found.value - [PEAK, PEAK / 2]) < 5 * found.error)


def test_a_function_of_python_needs_the_host(device):
    if device == "host:0":
        assert integrate(lambda x: x[0], [0], [1], device=device).value == pytest.approx(0.5, rel=0.01)
    else:
        with pytest.raises(NotImplementedError, match="function"):
            integrate(lambda x: x[0], [0], [1], device=device)


def test_a_text_is_compiled_once_and_unloaded_when_it_is_forgotten(monkeypatch, folder):
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


def ended(stat):
    """Whether a process has, or does in a moment."""
    for _ in range(3000):
        try:
            if stat.read_text().rsplit(")", 1)[1].split()[0] in "ZX":
                return True
        except (FileNotFoundError, ProcessLookupError):
            return True
        time.sleep(0.02)
    return False


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


def test_ctrl_c_ends_the_compiler_and_removes_what_it_has_written(tmp_path):
    compiler, folder, at_work = tmp_path / "slow", tmp_path / "scratch", tmp_path / "pid"
    folder.mkdir()
    compiler.write_text(f"#!/bin/sh\nsleep 600 &\ntouch $TMPDIR/left\necho $! >{at_work}.new\n"
                        f"mv {at_work}.new {at_work}\nwait\n")
    compiler.chmod(0o700)
    done = subprocess.run([sys.executable, "-c", SLOW, at_work], capture_output=True, text=True, timeout=120,
                          env={**os.environ, "CC": str(compiler), "TMPDIR": str(folder)})
    assert done.stdout == "ended []\n", done.stderr
    assert ended(pathlib.Path("/proc", at_work.read_text().strip(), "stat"))


def test_ctrl_c_while_a_compiler_is_started_ends_it_too(monkeypatch, tmp_path):
    begun, signs = [], signal.signal(signal.SIGINT, signal.default_int_handler)

    class Interrupted(subprocess.Popen):
        def __init__(self, *line, **how):
            super().__init__("exec sleep 600", shell=True, **how)
            begun.append(self)
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0)  # here Python looks for signals

    monkeypatch.setattr(_compile.subprocess, "Popen", Interrupted)
    try:
        with pytest.raises(KeyboardInterrupt):
            integrate(HERE, [0, 0], [1, 1], device="host")
    finally:
        signal.signal(signal.SIGINT, signs)
    assert len(begun) == 1 and begun[0].poll() is not None


def test_ctrl_c_ends_an_iteration():
    script = SLOW.replace('"text", [0], [1]', "sys.stdin.read(), [0, 0], [1, 1], max_calls=10**11, iterations=1")
    script = script.replace("not os.path.exists(sys.argv[1])", "'text.so' not in open('/proc/self/maps').read()")
    script = script.replace("    os.kill", "    begin = time.process_time()\n    while time.process_time() < begin + 0.2:\n"
                            "        time.sleep(0.01)\n    os.kill")
    done = subprocess.run([sys.executable, "-c", script], input=HERE, capture_output=True, text=True, timeout=120)
    assert done.stdout == "ended []\n", done.stderr
