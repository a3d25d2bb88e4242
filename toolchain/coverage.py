#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""coverage.py SOURCE BUILD: the lines of each source file that the tests ran, from gcc's .gcda files under BUILD.

A line counts once, however often its file was compiled (a kernel is compiled once for each x86-64 level).
"""
import gzip
import json
import pathlib
import subprocess
import sys
import tempfile

FOLDERS = ("api", "kernels", "runtime", "perf")


def lines_of(source, build):
    """Maps each file to its executable lines, and whether each was run."""
    lines = {}
    data = [str(path) for path in build.rglob("*.gcda")]
    if not data:
        sys.exit(f"coverage.py: no .gcda files under {build}; build the preset 'coverage' and run its tests first")
    with tempfile.TemporaryDirectory() as scratch:
        for start in range(0, len(data), 50):
            subprocess.run(["gcov", "--json-format", "--hash-filenames", *data[start:start + 50]], cwd=scratch,
                           check=True, stdout=subprocess.DEVNULL)
        for report in pathlib.Path(scratch).glob("*.gcov.json.gz"):
            with gzip.open(report) as stream:
                content = json.load(stream)
            for file in content["files"]:
                path = pathlib.Path(content["current_working_directory"], file["file"]).resolve()
                if path.is_relative_to(source) and path.relative_to(source).parts[0] in FOLDERS:
                    seen = lines.setdefault(str(path.relative_to(source)), {})
                    for line in file["lines"]:
                        number = line["line_number"]
                        seen[number] = seen.get(number, False) or line["count"] > 0
    return lines


def ranges(numbers):
    """12 13 14 20 as "12-14 20"."""
    parts = []
    for number in sorted(numbers):
        if parts and number == parts[-1][1] + 1:
            parts[-1][1] = number
        else:
            parts.append([number, number])
    return " ".join(str(a) if a == b else f"{a}-{b}" for a, b in parts)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    source, build = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
    lines = lines_of(source, build)
    width = max(len(name) for name in lines)
    print(f"{'file':{width}}  lines    run      %  not run")
    total = run = 0
    for name, seen in sorted(lines.items()):
        hit = sum(seen.values())
        total, run = total + len(seen), run + hit
        missed = ranges(number for number, was_run in seen.items() if not was_run)
        print(f"{name:{width}}  {len(seen):5}  {hit:5}  {100 * hit / max(len(seen), 1):5.1f}  {missed}")
    print(f"{'all':{width}}  {total:5}  {run:5}  {100 * run / max(total, 1):5.1f}")


if __name__ == "__main__":
    main()
