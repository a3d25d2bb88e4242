# SPDX-License-Identifier: Apache-2.0
"""The files that an operation needs: a toy is added to a copy of the sources, and the tests that every operation has find it.

    test_toy_operation.py SOURCES CMAKE C-COMPILER

tests/toy/ has its files, as they lie in the sources. Next to them it is a row of the registry and a line of the umbrella
header; the tests' table, the build and the tools read the registry."""
import os
import re
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

from script import new_folder

SOURCES, CMAKE, COMPILER = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
del sys.argv[1:]
TOY = SOURCES / "tests" / "toy"
MAX_NEW, MAX_EDITED = 8, 4
EDITS = {
    "kernels/registry.def": (r"(UH_OPERATION\(sample\)\n)", r"\1UH_OPERATION(toy)\n"),
    "api/include/unihist/unihist.h": (r"(#include <unihist/save.h>\n)", r"\1#include <unihist/toy.h>\n"),
}


def run(*words, cwd=None):
    done = subprocess.run([str(word) for word in words], cwd=cwd, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    if done.returncode:
        raise AssertionError(f"{words}: {done.returncode}\n{done.stdout[-6000:]}")
    return done.stdout


def first_variant(text):
    """The first variant of a list of them. Other operations' kernels are compiled in every build, and the toy's tests
    launch none of them."""
    row = re.search(r"(?m)^[^#\n]+\n", text)[0]
    return re.sub(r"(\w+=[^,\s]+)\S*", r"\1", row)


class Toy(unittest.TestCase):
    def setUp(self):
        self.scratch = new_folder(self)
        for name in ("api", "kernels", "runtime", "tests", "perf", "toolchain"):
            shutil.copytree(SOURCES / name, self.scratch / name, ignore=shutil.ignore_patterns("__pycache__", "toy"))
        for name in ("CMakeLists.txt", "README.md", "CHANGELOG.md", "LICENSE"):
            shutil.copy(SOURCES / name, self.scratch)
        for path in self.scratch.glob("kernels/*/*.variants"):
            if path.stem != "common":
                path.write_text(first_variant(path.read_text()))

    def add(self):
        new = [path.relative_to(TOY) for path in TOY.rglob("*") if path.is_file()]
        for path in new:
            self.assertFalse((self.scratch / path).exists(), path)
        shutil.copytree(TOY, self.scratch, dirs_exist_ok=True)
        for path, (pattern, replacement) in EDITS.items():
            text = (self.scratch / path).read_text()
            self.assertEqual(len(re.findall(pattern, text)), 1, path)
            (self.scratch / path).write_text(re.sub(pattern, replacement, text))
        return new

    def test_a_toy_takes_few_files_and_its_tests_run_on_host_and_soft_gpu(self):
        new = self.add()
        self.assertLessEqual(len(new), MAX_NEW, new)
        self.assertLessEqual(len(EDITS), MAX_EDITED)
        build = self.scratch / "build"
        # Without optimization, where gcc cannot see what is set in which case, and for one x86-64 level: the library's own
        # code is tested elsewhere.
        run(CMAKE, "-S", self.scratch, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
            "-DCMAKE_C_FLAGS_RELEASE=-O0 -Wno-error=maybe-uninitialized", "-DUNIHIST_HOST_LEVELS=best",
            f"-DCMAKE_C_COMPILER={COMPILER}", "-DUNIHIST_WERROR=ON", "-DUNIHIST_BUILD_CLI=OFF",
            "-DUNIHIST_BUILD_PERF=OFF")
        listed = re.findall(r"Test +#\d+: (\S*_toy_\S*)", run("ctest", "--test-dir", build, "-N"))
        for rung in ("v2", "v3", "v4"):
            self.assertIn(f"results_toy_{rung}", listed)
        soft = [name for name in listed if "_soft" in name]
        if os.environ.get("UNIHIST_SOFT_GPU"):
            self.assertIn("results_toy_soft", soft)
            self.assertIn("faults_toy_soft_tiny", soft)
        run(CMAKE, "--build", build, "--target", "tests_described", *(["soft_gpu"] if soft else []))
        chosen = [name for name in listed if re.match("(results|faults)_", name)]
        output = run("ctest", "--test-dir", build, "--output-on-failure", "--no-tests=error", "-R",
                   "^(" + "|".join(chosen) + ")$")
        self.assertIn(f"100% tests passed, 0 tests failed out of {len(chosen)}", output)
        print(f"{len(new)} new files, {len(EDITS)} edited, {len(chosen)} tests passed: {', '.join(chosen)}")
