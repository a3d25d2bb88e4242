# SPDX-License-Identifier: Apache-2.0
"""Every public header compiles alone, twice in a row, as strict C11 and as C++17, with the compilers that are here."""
import os
import pathlib
import shutil
import subprocess
import unittest

INCLUDE = pathlib.Path(__file__).resolve().parent.parent / "api/include"
COMPILERS = [c for c, cxx in (("gcc", "g++"), ("clang", "clang++")) if shutil.which(c) and shutil.which(cxx)]
LANGUAGES = ["-x c -std=c11 -Wstrict-prototypes", "-x c++ -std=c++17 -Wextra-semi",
             "-x c++ -std=c++17 -fno-exceptions -Wold-style-cast"]
WARNINGS = "-Wall -Wextra -Wconversion -Wshadow -pedantic -pedantic-errors -Werror -fsyntax-only".split()
if not COMPILERS:
    raise unittest.SkipTest("neither gcc and g++ nor clang and clang++ are here")


def compile_twice(compiler, language, header):
    return subprocess.run([compiler, *language.split(), *WARNINGS, "-I", INCLUDE, "-"], text=True, capture_output=True,
                          input=f"#include <unihist/{header}>\n" * 2, check=False)


class Headers(unittest.TestCase):
    def test_every_public_header_compiles_alone_as_strict_c11_and_cxx17(self):
        headers = sorted(path.name for path in (INCLUDE / "unihist").glob("*.h"))
        self.assertGreaterEqual(len(headers), 3)
        if not os.environ.get("UNIHIST_KERNELS"):  # a build without Level Zero, whose headers ze.h needs
            headers.remove("ze.h")
        for header in headers:
            for compiler in COMPILERS:
                for language in LANGUAGES:
                    with self.subTest(header=header, compiler=compiler, language=language):
                        result = compile_twice(compiler, language, header)
                        self.assertEqual(result.returncode, 0, result.stderr)

    def test_a_header_that_does_not_exist_does_not_compile(self):
        for compiler in COMPILERS:
            self.assertNotEqual(compile_twice(compiler, LANGUAGES[0], "nosuch.h").returncode, 0)
