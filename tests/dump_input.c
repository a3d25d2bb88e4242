/* SPDX-License-Identifier: Apache-2.0 */
/* dump_input [--column C] [--dtype T] [--chunk BYTES] [--passes N] FILE...: for test_input_numpy.py. Reads each file
 * (N times, keeping it) as the command does and writes a line "DTYPE COUNT" and the elements. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/cli/input/inputs.h"

static int dump(char *path, const struct cli_input_options *options, int passes, struct cli_error *error) {
    struct cli_inputs *inputs = NULL;
    struct cli_numbers all = {.n = 0};
    uint64_t count;
    int rc = cli_inputs_open(&path, 1, options, &inputs, error);
    for (int pass = 0; rc == 0 && pass < passes; pass++) {
        cli_numbers_free(&all);
        rc = cli_inputs_read(inputs, SIZE_MAX, &all, error);
    }
    if (rc == 0 && cli_inputs_count(inputs, &count) && count != all.n)
        rc = cli_fail(error, "%s: was said to have another number of elements than it gave", path);
    if (rc == 0) {
        printf("%s %zu\n", uh_enum_name(UH_ENUM_DTYPE, all.dtype), all.n);
        if (all.n > 0 && fwrite(all.data, uh_dtype_size(all.dtype), all.n, stdout) != all.n)
            rc = cli_fail(error, "standard output: cannot be written");
    }
    cli_numbers_free(&all);
    cli_inputs_close(inputs);
    return rc;
}

int main(int argc, char **argv) {
    struct cli_input_options options = {0};
    struct cli_error error;
    int passes = 1;
    for (int i = 1; i < argc; i++) {
        if (i + 1 < argc && strcmp(argv[i], "--column") == 0) {
            options.column = argv[++i];
        } else if (i + 1 < argc && strcmp(argv[i], "--dtype") == 0) {
            options.dtype = argv[++i];
        } else if (i + 1 < argc && strcmp(argv[i], "--chunk") == 0) {
            options.chunk_bytes = strtoul(argv[++i], NULL, 10);
        } else if (i + 1 < argc && strcmp(argv[i], "--passes") == 0) {
            passes = (int)strtol(argv[++i], NULL, 10);
            options.several_passes = passes > 1;
        } else if (dump(argv[i], &options, passes, &error) != 0) {
            fprintf(stderr, "%s\n", error.text);
            return 1;
        }
    }
    return fflush(stdout) == 0 ? 0 : 1;
}
