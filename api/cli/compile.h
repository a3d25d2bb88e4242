/* SPDX-License-Identifier: Apache-2.0 */
/* Texts of <unihist/integrand.h>, compiled while the command runs: for the host by the machine's C compiler, for
 * devices by clang and llvm-spirv or by Intel's libocloc. The headers are in the command; what is made is in a folder
 * in $TMPDIR that is gone on return, also where a signal ends the command. */
#ifndef CLI_COMPILE_H
#define CLI_COMPILE_H

#include <unihist/integrate.h>

#include "api/cli/error.h"

/* A text, in a file or in memory; the other one is NULL. */
struct cli_text {
    const char *file, *text;
};

/* The headers and the kernels that compilers read, by the path that they have in the project; NULL ends them. */
struct cli_compile_file {
    const char *path, *begin, *end;
};
extern const struct cli_compile_file cli_compile_files[];

/* Compiles for an x86-64 level ("v2", "v3", "v4") and loads the result, which dlclose(*library) drops. A compiler's
 * first lines go to standard error where it fails. Returns the integrand, or NULL with a message. */
const uh_integrand_host *cli_compile_host(const struct cli_text *text, const char *level, void **library,
                                          struct cli_error *error);

/* Compiles for devices with float64, or without. The caller frees `spirv` of the program. 0, or -1 with a message. */
int cli_compile_device(const struct cli_text *text, int fp64, uh_program *program, struct cli_error *error);

#endif
