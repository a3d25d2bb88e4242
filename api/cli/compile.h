/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles sources for <unihist/integrand.h> while the command runs: for the host by the machine's C compiler, for
 * devices by clang and llvm-spirv or by Intel's libocloc. The command contains the headers; the output is in a folder
 * in $TMPDIR that is removed on return, also if a signal ends the command. */
#pragma once

#include <unihist/integrand.h>

#include "api/cli/error.h"

/* Source text in a file or in memory; the other member is NULL. */
struct cli_text {
    const char *file, *text;
};

/* Headers and kernels for the compilers, with their paths in the project; a NULL path ends the list. */
struct cli_compile_file {
    const char *path, *begin, *end;
};
extern const struct cli_compile_file cli_compile_files[];
extern const char *const cli_compile_kernel; /* the path of one of them */

/* Compiles for an x86-64 level ("v2", "v3", "v4") and loads the result; dlclose(*library) unloads it. If the compiler
 * fails, its first lines go to standard error. Returns the integrand, or NULL with a message. */
const uh_integrand_host *cli_compile_host(const struct cli_text *text, const char *level, void **library);

/* Compiles for devices with or without float64. The caller frees `spirv` of the program. */
int cli_compile_device(const struct cli_text *text, int fp64, uh_program *program);

/* Checks an expression, which the command's help describes, token by token, and writes it as such a source. `dims`:
 * number of axes; 0 is replaced by the number of coordinates in the expression, at least one. Returns the text, which
 * the caller frees, or NULL with a message that gives the position of the error. */
char *cli_expression_text(const char *expression, size_t *dims);
