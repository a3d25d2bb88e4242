#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tidy.py BUILD MADE JOBS: runs clang-tidy over the files on standard input, as BUILD compiles them, JOBS at a time. MADE
is a build folder whose objects tell which headers each file includes. A file is looked at once, at however many x86-64
levels it is compiled, and again when it, a header that it includes, its options or .clang-tidy has changed
(toolchain/once.py). One that BUILD does not compile is taken as the one in its folder whose name begins most alike: left
to itself, clang-tidy would take one of any folder.

In the deep tier (UNIHIST_TEST_TURN) it looks at the files that the commits of the three hours before HEAD have changed, or
a header of which they have, and at this turn's eighth of the others."""
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys

SHARES = 8
ROOT = pathlib.Path(__file__).resolve().parent.parent


def git(*words):
    return subprocess.run(["git", "-C", str(ROOT), *words], capture_output=True, text=True, check=False).stdout.strip()


def changed():
    """The files that have changed lately; nothing outside a clone."""
    since = int(git("log", "-1", "--format=%ct") or 0) - 3 * 3600
    before = git("rev-list", "-1", f"--before={since}", "HEAD")
    return {str(ROOT / name) for name in git("diff", "--name-only", before, "--").splitlines()} if before else set()


def headers(build):
    """Maps each source to the files of ours that it was compiled from, as ninja keeps them."""
    text = subprocess.run(["ninja", "-C", build, "-t", "deps"], capture_output=True, text=True, check=False).stdout
    found = {}
    for block in re.split(r"\n\n+", text):
        files = [(build / line.strip()).resolve() for line in block.splitlines()[1:]]
        ours = sorted(str(file) for file in files if file.is_relative_to(ROOT))
        if files:
            found[str(files[0])] = ours
    return found


def of_this_turn(names, known):
    """In the deep tier the names that have changed, and this turn's share."""
    turn = os.environ.get("UNIHIST_TEST_TURN")
    if turn is None:
        return names
    lately = changed()
    touched = {name for name in names if lately & {str(ROOT / name), *known.get(str(ROOT / name), [])}}
    share = set(sorted(names)[int(turn) % SHARES :: SHARES])
    print(f"{len(names)} files, of which {len(touched)} have changed and {len(share)} are of turn {turn}", flush=True)
    return [name for name in names if name in touched | share]


def main():
    build, made, jobs = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve(), int(sys.argv[3])
    known = headers(made)
    commands = {command["file"]: command for command in json.loads((build / "compile_commands.json").read_text())}
    names = of_this_turn(sys.stdin.read().split(), known)
    guessed = []
    for path in (ROOT / name for name in names if str(ROOT / name) not in commands):
        siblings = [file for file in commands if pathlib.Path(file).parent == path.parent]
        if siblings:
            like = commands[max(siblings, key=lambda file: len(os.path.commonprefix([file, str(path)])))]
            guessed.append({**like, "file": str(path), "command": like["command"].replace(like["file"], str(path))})
    # One file a process: version 14 loses track of va_list in the second one.
    database = ROOT / "build" / "clang-tidy"
    database.mkdir(parents=True, exist_ok=True)
    (database / "compile_commands.json").write_text(json.dumps([*commands.values(), *guessed]))

    def look(name):
        path = str(ROOT / name)
        tidy = ["clang-tidy", "-p", str(database), "--quiet", path]
        command = commands.get(path)
        read = known.get(path)
        if command and read:
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
