#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tidy.py BUILD JOBS: runs clang-tidy over the files on standard input, as BUILD compiles them, JOBS at a time. A file is
looked at once, at however many x86-64 levels it is compiled, and again when it, a header that it includes, its options
or .clang-tidy has changed (toolchain/once.py). One that BUILD does not compile is taken as the one beside it whose
name begins most alike: left to itself, clang-tidy would take one of any folder."""
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def headers(build):
    """Maps each object to the files of ours that it was made from, as ninja keeps them."""
    text = subprocess.run(["ninja", "-C", build, "-t", "deps"], capture_output=True, text=True, check=False).stdout
    found = {}
    for block in re.split(r"\n\n+", text):
        first, *lines = block.splitlines() or [""]
        files = [(build / line.strip()).resolve() for line in lines]
        found[first.split(": ", 1)[0]] = sorted(str(file) for file in files if file.is_relative_to(ROOT))
    return found


def main():
    build, jobs = pathlib.Path(sys.argv[1]).resolve(), int(sys.argv[2])
    known = headers(build)
    commands = {command["file"]: command for command in json.loads((build / "compile_commands.json").read_text())}
    names = sys.stdin.read().split()
    guessed = []
    for path in (ROOT / name for name in names if str(ROOT / name) not in commands):
        beside = [file for file in commands if pathlib.Path(file).parent == path.parent]
        if beside:
            like = commands[max(beside, key=lambda file: len(os.path.commonprefix([file, str(path)])))]
            guessed.append({**like, "file": str(path), "command": like["command"].replace(like["file"], str(path))})
    # One file a process: version 14 loses track of va_list in the second one.
    database = ROOT / "build" / "clang-tidy"
    database.mkdir(parents=True, exist_ok=True)
    (database / "compile_commands.json").write_text(json.dumps([*commands.values(), *guessed]))

    def look(name):
        path = str(ROOT / name)
        tidy = ["clang-tidy", "-p", str(database), "--quiet", path]
        command = commands.get(path)
        read = known.get(re.search(r" -o (\S+)", command["command"])[1]) if command else None
        if read:
            stamp = database / "passed" / name
            once = [sys.executable, "-I", "-S", str(ROOT / "toolchain" / "once.py"), str(stamp), *read,
                    str(ROOT / ".clang-tidy"), "--"]
            tidy = [*once, "env", "UNIHIST_TIDY=" + command["command"], *tidy]
        result = subprocess.run(tidy, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        if result.returncode:
            print(result.stdout, flush=True)
        return result.returncode != 0

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        wrong = sum(pool.map(look, names))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
