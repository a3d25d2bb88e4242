# SPDX-License-Identifier: Apache-2.0
"""Compiles texts of <unihist/integrand.h> at run time, as the command does (api/cli/compile.c): for the host with the
machine's C compiler, for devices with clang and llvm-spirv or Intel's ocloc. Headers come from the package; results are
in a temporary folder, which is always removed."""
from __future__ import annotations

import _ctypes
import contextlib
import ctypes
import functools
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from typing import Any, Union

from . import _native
from ._native import ffi

Source = Union[str, pathlib.Path]  # a text, or a file with one

INCLUDE = pathlib.Path(_native.__file__).with_name("include")
KEPT = 32  # compiled texts that are kept; files may include others, and are compiled each time
LINES = 20  # of a compiler's messages
LLVM = range(40, 13, -1)  # versions, as in UnihistKernelTools.cmake
HOST = ["-std=gnu11", "-O3", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math", "-shared", "-fPIC", "-w"]
CLANG = ["-x", "cl", "-cl-std=CL3.0", "-target", "spir64", "-O2", "-Xclang", "-disable-llvm-passes",
         "-ffp-contract=off", "-fgnu89-inline", "-w", "-emit-llvm", "-c", "-Xclang"]
EXTENSIONS = "-cl-ext=-__opencl_c_generic_address_space,-__opencl_c_pipes,-__opencl_c_device_enqueue"


class Missing(RuntimeError):
    """A compiler is missing."""


def _name(source: Source) -> str:
    return "the text" if isinstance(source, str) else f"'{source}'"


@contextlib.contextmanager
def _folder(source: Source) -> Iterator[tuple[str, str]]:
    """A folder to compile in, and the file of the text: in this folder, or a given file, which may include its
    neighbours."""
    with tempfile.TemporaryDirectory(prefix="unihist-") as folder:
        if isinstance(source, str):
            pathlib.Path(folder, "text.c").write_text(source)
            yield folder, "text.c"
        else:
            with source.open("rb"):  # reports a file that cannot be read
                yield folder, str(source.resolve())


def _end(process: subprocess.Popen[str]) -> None:
    """Ends a compiler and its child processes, so that none writes into a folder that is being removed."""
    for number, patience in ((signal.SIGTERM, 2), (signal.SIGKILL, None)):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.communicate(timeout=patience)
            return


@contextlib.contextmanager
def _interrupt_waits() -> Iterator[None]:
    """Delays Ctrl-C to the end of the block, so that the handle of a starting process is not lost."""
    handler = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(handler):
        yield
        return
    noted: list[tuple[int, Any]] = []
    signal.signal(signal.SIGINT, lambda number, frame: noted.append((number, frame)))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
        if noted:
            handler(*noted[0])


def _run(folder: str, source: Source, *line: str) -> None:
    """Runs a compiler. FileNotFoundError if it is missing; ValueError, with its messages, if it fails."""
    process = None
    try:
        with _interrupt_waits():
            process = subprocess.Popen(line, cwd=folder, env={**os.environ, "TMPDIR": folder}, stdin=subprocess.DEVNULL,
                                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                                       start_new_session=True)
        said = process.communicate()[0]
    except BaseException:
        if process:
            _end(process)
        raise
    if process.returncode:
        raise ValueError("\n".join([f"{line[0]} cannot compile {_name(source)}:", *said.splitlines()[:LINES]]))


def _compile_host(source: Source, level: str, named: str, has_state: bool) -> Any:
    """`named` is $CC: a compiler, possibly with options."""
    stateless = [] if has_state else ["-DUH_INTEGRAND_STATELESS"]
    compilers = [named.split()] if named.split() else [["cc"], ["gcc"], ["clang"]]
    wide = ["-mprefer-vector-width=512"] if level == "v4" else []
    with _folder(source) as (folder, file):
        for compiler in compilers:
            with contextlib.suppress(FileNotFoundError):
                _run(folder, source, *compiler, *HOST, *stateless, f"-march=x86-64-{level}", *wide, "-I", str(INCLUDE),
                     "-o", "text.so", "-x", "c", file, "-lm")
                return _load(folder, source)
    raise Missing(f"no C compiler: $CC is '{named}', which is not there" if named.split() else
                  "no C compiler: cc, gcc and clang are missing (package gcc)")


def _load(folder: str, source: Source) -> Any:
    try:
        library = ctypes.CDLL(os.path.join(folder, "text.so"))
        symbol = ctypes.c_char.in_dll(library, "uh_integrand_here")
    except OSError as why:
        raise ValueError(f"{_name(source)}: {why}") from why
    except ValueError as why:
        raise ValueError(f"{_name(source)}: expected UH_INTEGRAND(function, dims, values, void) at its end") from why
    integrand = ffi.cast("uh_integrand_host *", ctypes.addressof(symbol))
    unload, handle = _ctypes.dlclose, library._handle  # this module's names are gone when the interpreter ends
    return ffi.gc(integrand, lambda _: unload(handle))


def _llvm() -> tuple[str, str]:
    """The newest clang with a translator of the same version, or those without a version in their names."""
    for version in LLVM:
        clang, translator = f"clang-{version}", f"llvm-spirv-{version}"
        if shutil.which(clang) and shutil.which(translator):
            return clang, translator
    for name, package in (("clang", "clang"), ("llvm-spirv", "llvm-spirv-NN for clang's version NN")):
        if not shutil.which(name):
            raise Missing(f"{name} (package {package})")
    return "clang", "llvm-spirv"


def _compile_device(source: Source, fp64: bool) -> bytes:
    """SPIR-V."""
    try:
        clang, translator = _llvm()
    except Missing as missing:
        if not shutil.which("ocloc"):
            raise Missing(f"no compiler of OpenCL C: {missing} is missing, and ocloc (package "
                          "intel-opencl-icd)") from None
        clang = translator = ""
    with _folder(source) as (folder, file):
        lines = ["" if fp64 else "#define UHI_FP32 1\n", f'#define UNIHIST_INTEGRAND "{file}"\n',
                 '#include "kernels/integrate/integrand.cl"\n']
        pathlib.Path(folder, "kernel.cl").write_text("".join(lines))
        single = [] if fp64 else ["-cl-single-precision-constant"]
        if clang:
            _run(folder, source, clang, *CLANG, EXTENSIONS + ("" if fp64 else ",-cl_khr_fp64,-__opencl_c_fp64"),
                 *single, "-I", ".", "-I", str(INCLUDE), "-o", "kernel.bc", "kernel.cl")
            _run(folder, source, translator, "--spirv-max-version=1.2", "--spirv-fp-contract=off", "-o", "kernel.spv",
                 "kernel.bc")
        else:  # OpenCL C 1.2: ocloc knows a device's features of 3.0 only with a driver
            options = " ".join(["-cl-std=CL1.2 -w", *single, "-I", folder, "-I", str(INCLUDE)])
            _run(folder, source, "ocloc", "compile", "-q", "-spv_only", "-device", "pvc" if fp64 else "tgllp",
                 "-file", "kernel.cl", "-output", "kernel", "-options", options)
        return next(pathlib.Path(folder).glob("*.spv")).read_bytes()


_kept_host = functools.lru_cache(KEPT)(_compile_host)
_kept_device = functools.lru_cache(KEPT)(_compile_device)


def compiled_for_host(source: Source, level: str, has_state: bool) -> Any:
    """The `uh_integrand_host *` of a text for an x86-64 level, unloaded with the last reference to it."""
    return (_kept_host if isinstance(source, str) else _compile_host)(source, level, os.environ.get("CC", ""), has_state)


def compiled_for_device(source: Source, fp64: bool) -> bytes:
    """The SPIR-V of a text, for devices with or without float64."""
    return (_kept_device if isinstance(source, str) else _compile_device)(source, fp64)
