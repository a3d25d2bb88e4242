# SPDX-License-Identifier: Apache-2.0
"""declare.py OUTPUT.c COMPILER [OPTION...]: writes cffi's module of what native.h declares. The compiler's preprocessor
reads the headers; what they take from the system is known to cffi, so empty files stand for those headers."""
import pathlib
import re
import subprocess
import sys
import tempfile

import cffi

# What C calls: Python's functions, as uh_integrand_function and members of options.
CALLED = """
extern "Python" void uhpy_integrand(size_t n, const double *const *x, double *const *value, const void *context);
extern "Python" int uhpy_progress(uint64_t done, uint64_t total, void *context);
extern "Python" int uhpy_report(const uh_iteration *iteration, void *context);
"""


def declarations(compiler, options):
    with tempfile.TemporaryDirectory() as empty:
        for header in ("math.h", "stddef.h", "stdint.h"):
            pathlib.Path(empty, header).touch()
        command = [compiler, "-E", "-P", "-U__GNUC__", "-nostdinc", "-I", empty, *options,
                   str(pathlib.Path(__file__).with_name("native.h"))]
        text = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    return re.sub(r"(?ms)^static inline .*?^}", "", text)  # which cffi does not take


def main():
    output, compiler, *options = sys.argv[1:]
    ffi = cffi.FFI()
    ffi.cdef(declarations(compiler, options))
    ffi.cdef(CALLED)
    ffi.set_source("unihist._native", '#include "api/python/native.h"')
    ffi.emit_c_code(output)


if __name__ == "__main__":
    main()
