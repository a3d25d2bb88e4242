/* SPDX-License-Identifier: Apache-2.0 */
/* dump_input [--column C] [--dtype T] [--chunk BYTES] [--passes N] FILE...: for test_input_numpy.py. Reads each file
 * (N times, keeping it) as the command does and writes a line "DTYPE COUNT" and the elements. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/cli/input/input.h"

static int dump(const char *path, const struct cli_input_options *options, int passes, struct cli_error *error) {
    struct cli_input *input = NULL;
    void *data = NULL;
    size_t n = 0;
    int rc = cli_input_open(path, options, &input, error);
    for (int pass = 0; rc == 0 && pass < passes; pass++) {
        free(data);
        data = NULL;
        rc = pass > 0 ? cli_input_rewind(input, error) : 0;
        if (rc == 0)
            rc = cli_input_drain(input, &data, &n, error);
    }
    if (rc == 0 && cli_input_facts(input)->is_counted && cli_input_facts(input)->count != n)
        rc = cli_fail(error, "%s: was said to have another number of elements than it gave", path);
    if (rc == 0) {
        uh_dtype dtype = cli_input_facts(input)->dtype;
        printf("%s %zu\n", uh_dtype_name(dtype), n);
        if (n > 0 && fwrite(data, uh_dtype_size(dtype), n, stdout) != n)
            rc = cli_fail(error, "standard output: cannot be written");
    }
    free(data);
    cli_input_close(input);
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
