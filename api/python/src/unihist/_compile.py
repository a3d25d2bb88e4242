# SPDX-License-Identifier: Apache-2.0
"""Texts of <unihist/integrand.h>, compiled while a program runs, as the command does it (api/cli/compile.c): for the host
by the machine's C compiler, for devices by clang and llvm-spirv or by Intel's ocloc. What compilers read lies in the
package; what they make, in a temporary folder that is gone afterwards, whatever happens."""
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

Source = Union[str, pathlib.Path]  # a text, or the file that holds one

INCLUDE = pathlib.Path(_native.__file__).with_name("include")
KEPT = 32  # texts of which what was made is kept; files may include others, and are compiled anew
LINES = 20  # of a compiler's complaints
LLVM = range(40, 13, -1)  # versions, as UnihistKernelTools.cmake has them
HOST = ["-std=gnu11", "-O3", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math", "-shared", "-fPIC",
        "-DUH_INTEGRAND_STATELESS", "-w"]
CLANG = ["-x", "cl", "-cl-std=CL3.0", "-target", "spir64", "-O2", "-Xclang", "-disable-llvm-passes",
         "-ffp-contract=off", "-fgnu89-inline", "-w", "-emit-llvm", "-c", "-Xclang"]
EXTENSIONS = "-cl-ext=-__opencl_c_generic_address_space,-__opencl_c_pipes,-__opencl_c_device_enqueue"


class Missing(RuntimeError):
    """There is no compiler."""


def _name(source: Source) -> str:
    return "the text" if isinstance(source, str) else f"'{source}'"


@contextlib.contextmanager
def _folder(source: Source) -> Iterator[tuple[str, str]]:
    """A folder to compile in, and the text's file by its name there, or where it is: it may include others beside it."""
    with tempfile.TemporaryDirectory(prefix="unihist-") as folder:
        if isinstance(source, str):
            pathlib.Path(folder, "text.c").write_text(source)
            yield folder, "text.c"
        else:
            with source.open("rb"):  # tells of one that cannot be read
                yield folder, str(source.resolve())


def _end(process: subprocess.Popen[str]) -> None:
    """Ends a compiler and what it has started, so that nothing is written any more when its folder goes."""
    for number, patience in ((signal.SIGTERM, 2), (signal.SIGKILL, None)):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.communicate(timeout=patience)
            return


@contextlib.contextmanager
def _interrupt_waits() -> Iterator[None]:
    """Ctrl-C comes at the end of the block: what a process that is being started is called by is not lost."""
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
    """Runs a compiler. FileNotFoundError where it is not there; ValueError, with what it says, where it refuses."""
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


def _compile_host(source: Source, level: str, named: str) -> Any:
    """`named` is $CC, which may have options behind the compiler's name."""
    compilers = [named.split()] if named.split() else [["cc"], ["gcc"], ["clang"]]
    wide = ["-mprefer-vector-width=512"] if level == "v4" else []
    with _folder(source) as (folder, file):
        for compiler in compilers:
            with contextlib.suppress(FileNotFoundError):
                _run(folder, source, *compiler, *HOST, f"-march=x86-64-{level}", *wide, "-I", str(INCLUDE),
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
    """A clang and a translator of the same version, the newest, or those without one."""
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
            raise Missing(f"nothing here compiles OpenCL C: {missing} is missing, and ocloc (package "
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
        else:  # OpenCL C 1.2, since ocloc knows a device's options of 3.0 only from a driver
            options = " ".join(["-cl-std=CL1.2 -w", *single, "-I", folder, "-I", str(INCLUDE)])
            _run(folder, source, "ocloc", "compile", "-q", "-spv_only", "-device", "pvc" if fp64 else "tgllp",
                 "-file", "kernel.cl", "-output", "kernel", "-options", options)
        return next(pathlib.Path(folder).glob("*.spv")).read_bytes()


_kept_host = functools.lru_cache(KEPT)(_compile_host)
_kept_device = functools.lru_cache(KEPT)(_compile_device)


def compiled_for_host(source: Source, level: str) -> Any:
    """The `uh_integrand_host *` of a text for an x86-64 level, which lives as long as it is referred to."""
    return (_kept_host if isinstance(source, str) else _compile_host)(source, level, os.environ.get("CC", ""))


def compiled_for_device(source: Source, fp64: bool) -> bytes:
    """A text's SPIR-V for devices with float64, or without."""
    return (_kept_device if isinstance(source, str) else _compile_device)(source, fp64)
