#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""once.py STAMP [--makes FILE] [INPUT...] -- COMMAND...: runs a test, unless it has passed on these very inputs before.

It always runs unless UNIHIST_ONCE=1 is set, as toolchain/test does. Inputs are files and folders. What counts without
being named: the files on the command line, the variables that tests go by and the files that they name, the packages of
this system and its CPU. The stamp keeps a few fingerprints of runs that passed. A run in full stands for a coarse one
(UNIHIST_TEST_COARSE=1), but not the other way round. What is skipped (exit code 77) is tried again each time. FILE is
what the test leaves to another one: it is removed before each run, and without it the test runs.
"""
import hashlib
import os
import pathlib
import re
import resource
import subprocess
import sys

# The variables of the programs under test, the drivers and the tools; variables that ctest sets for a test begin with these.
PREFIXES = ("UNIHIST", "OMP_", "GOMP_", "KMP_", "SOFT_GPU", "ZE_", "ZES_", "ZET_", "POCL_", "OCL_", "ONEAPI_", "NEO",
            "IGC_", "AUB", "SetCommand", "ProductFamily", "HardwareInfo", "ASAN_", "UBSAN_", "LSAN_", "TSAN_", "LD_",
            "GLIBC_", "PYTHON", "CC", "CXX", "CFLAGS", "CMAKE", "GENERATOR")
NOT_INPUTS = ("UNIHIST_ONCE", "UNIHIST_TEST_COARSE", "UNIHIST_TEST_TURN", "UNIHIST_CHECK_JOBS")
KEPT = 6  # fingerprints in a stamp: going back to another branch finds its own


def files_of(path):
    if not path.is_dir():
        return [path]
    return sorted(file for file in path.rglob("*") if file.is_file() and "__pycache__" not in file.parts)


def digest_of(path):
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return "absent"


def machine():
    """The packages, of which libraries, drivers and compilers come, and the CPU."""
    cpu = pathlib.Path("/proc/cpuinfo").read_text(encoding="ascii", errors="replace").split("\n\n", 1)[0]
    kept = [line for line in cpu.splitlines() if line.startswith(("model name", "flags"))]
    packages = pathlib.Path("/var/lib/dpkg/status")
    return [*kept, str(os.cpu_count()), digest_of(packages if packages.exists() else pathlib.Path("/etc/ld.so.cache"))]


def fingerprint(inputs, command):
    whole = hashlib.sha256()
    variables = [f"{name}={value}" for name, value in sorted(os.environ.items())
                 if name.startswith(PREFIXES) and name not in NOT_INPUTS]
    for text in [*machine(), *variables, *command]:
        whole.update(f"{text}\0".encode())
    named = {word for text in [*variables, *command] for word in re.split("[ :|=]", text)
             if os.path.isabs(word) and os.path.isfile(word)}
    for path in map(pathlib.Path, [*inputs, *sorted(named)]):
        for file in files_of(path):
            whole.update(f"{file} {digest_of(file)}\0".encode())
    return whole.hexdigest()


def run(command, stamp):
    """Runs it, and keeps the seconds of CPU that it took, by which UnihistTests.cmake orders tests."""
    status = subprocess.run(command, check=False).returncode
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    stamp.parent.mkdir(parents=True, exist_ok=True)
    stamp.with_name(stamp.name + ".cost").write_text(f"{used.ru_utime + used.ru_stime:.1f}\n", encoding="ascii")
    return status


def main():
    if "--" not in sys.argv[2:]:
        sys.exit(__doc__)
    cut = sys.argv.index("--")
    stamp, inputs, command = pathlib.Path(sys.argv[1]), sys.argv[2:cut], sys.argv[cut + 1 :]
    made = None
    if inputs[:1] == ["--makes"]:
        made, inputs = pathlib.Path(inputs[1]), inputs[2:]
    missing = made is not None and not made.exists()
    asked = os.environ.get("UNIHIST_ONCE") == "1"
    known = stamp.read_text(encoding="ascii").split() if stamp.exists() else []
    now = fingerprint(inputs, command) if asked else ""
    coarse = "UNIHIST_TEST_COARSE" in os.environ
    if asked and not missing and (now in known or (coarse and now + "-coarse" in known)):
        print("passed on these very inputs before (toolchain/test --fresh repeats it)")
        return 0
    if made:
        made.unlink(missing_ok=True)
    status = run(command, stamp)
    if status == 0 and asked:
        entry = now + "-coarse" if coarse else now
        fresh = stamp.with_suffix(f".{os.getpid()}")
        fresh.write_text("\n".join([entry, *known][:KEPT]) + "\n", encoding="ascii")
        fresh.replace(stamp)
    return status if status >= 0 else 128 - status


if __name__ == "__main__":
    sys.exit(main())
