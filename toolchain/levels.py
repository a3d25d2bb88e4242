#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""levels.py: says on which CPU, and when, the tests of each x86-64 level last ran whole (tests/levels.txt), and which
operations' code for the host has changed since. Exit code 77 if one has.
levels.py --skip LEVEL: says so where this CPU does not have the level. Exit code 77.
levels.py --run LEVEL [BUILD]: runs them on this CPU, by the build in build/check or BUILD, and writes that down.
The code of an operation is kernels/OPERATION/OPERATION_host*.c and all of the project that these include, without
comments and white space."""
import datetime
import hashlib
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(os.environ.get("UNIHIST_LEVELS_ROOT") or pathlib.Path(__file__).resolve().parent.parent)
TABLE = ROOT / "tests" / "levels.txt"
HEAD = "# Written by toolchain/levels.py --run: x86-64 level, operation, digest of its code for the host, day, CPU.\n"


def closure(path, seen):
    """The file and those of the project that it includes, under any condition."""
    if path in seen or not path.is_file():
        return
    text = path.read_text(encoding="utf-8")
    seen[path] = "".join(re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.DOTALL).split())
    for name in re.findall(r'^\s*#\s*include\s+["<]([^">]+)[">]', text, flags=re.MULTILINE):
        for folder in (path.parent, ROOT, ROOT / "api" / "include"):
            closure((folder / name).resolve(), seen)


def digests():
    """The digest of each operation's code."""
    found = {}
    for folder in sorted((ROOT / "kernels").iterdir()):
        hosts = sorted(folder.glob(folder.name + "_host*.c"))
        seen = {}
        for path in hosts:
            closure(path.resolve(), seen)
        if hosts:
            texts = "".join(f"{path.relative_to(ROOT.resolve())}\0{text}\0" for path, text in sorted(seen.items()))
            found[folder.name] = hashlib.sha256(texts.encode()).hexdigest()[:16]
    return found


def rows():
    """Level, operation, digest, day and CPU of each row."""
    lines = TABLE.read_text(encoding="utf-8").splitlines() if TABLE.exists() else []
    return [line.split(None, 4) for line in lines if line and not line.startswith("#")]


def describe(level):
    """One sentence; returns whether all of the code is as it was."""
    known = {operation: (digest, f"{day} on {cpu}") for own, operation, digest, day, cpu in rows() if own == level}
    now = digests()
    changed = [name for name, digest in now.items() if known.get(name, ("",))[0] != digest]
    runs = sorted({run for _, run in known.values()})
    since = f"its code has changed since: {'yes, of ' + ', '.join(changed) if changed else 'no'}"
    print(f"{level}: {'last ran whole ' + ' and '.join(runs) + '; ' + since if runs else 'has not run anywhere'}")
    return not changed


def this_cpu():
    fields = dict(re.findall(r"^(model name|cpu family|model)\s*: (.*)$", pathlib.Path("/proc/cpuinfo").read_text(
        encoding="utf-8").split("\n\n")[0], flags=re.MULTILINE))
    return f"{fields['model name']} (family {fields['cpu family']}, model {fields['model']})"


def run(level, build):
    before = digests()
    environment = {name: value for name, value in os.environ.items() if name not in ("UNIHIST_TEST_COARSE", "UNIHIST_ONCE")}
    done = subprocess.run(["ctest", "--test-dir", build, "-R", f"_{level}$", "--no-tests=error", "--output-on-failure"],
                          env=environment, stdout=subprocess.PIPE, text=True, check=False)
    print(done.stdout, end="")
    if done.returncode or "Skipped" in done.stdout or digests() != before:
        sys.exit(f"levels.py: not all tests of {level} have passed, which is not written down")
    day = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
    table = [row for row in rows() if row[0] != level]
    table += [[level, operation, digest, day, this_cpu()] for operation, digest in before.items()]
    TABLE.write_text(HEAD + "".join(" ".join(row) + "\n" for row in sorted(table)), encoding="utf-8")


def main():
    if len(sys.argv) in (3, 4) and sys.argv[1] == "--run" and re.fullmatch("v[234]", sys.argv[2]):
        run(sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else ROOT / "build" / "check")
        return 0
    if len(sys.argv) == 3 and sys.argv[1] == "--skip":
        print("skipped: this CPU does not have the level;", end=" ")
        describe(sys.argv[2])
        return 77
    if len(sys.argv) > 1:
        sys.exit(__doc__)
    return 0 if all([describe(level) for level in sorted({row[0] for row in rows()})]) else 77


if __name__ == "__main__":
    sys.exit(main())
