/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/output/output_saved.h"

#include <stdio.h>
#include <stdlib.h>

#include "api/cli/library.h"
#include "api/cli/output/atomic.h"

/* Like all outputs of the command, the file goes with a signal that ends it; so not by uh_histogram_save. */
static int write_bytes(const char *path, const void *bytes, size_t size, struct cli_error *error) {
    struct cli_atomic *atomic = cli_atomic_open(path, error);
    if (!atomic)
        return -1;
    fwrite(bytes, 1, size, cli_atomic_file(atomic));
    return cli_atomic_commit(atomic, error);
}

int cli_output_write_saved(const char *path, uh_histogram *histogram, struct cli_error *error) {
    size_t size;
    if (uh_histogram_save_bytes(histogram, NULL, 0, &size))
        return cli_fail_library(error);
    void *bytes = malloc(size);
    int result = !bytes ? cli_fail(error, "cannot write '%s': out of memory", path)
                 : uh_histogram_save_bytes(histogram, bytes, size, &size) ? cli_fail_library(error)
                                                                          : write_bytes(path, bytes, size, error);
    free(bytes);
    return result;
}

int cli_output_write_saved_dd(const char *path, uh_histogramdd *histogram, struct cli_error *error) {
    size_t size;
    if (uh_histogramdd_save_bytes(histogram, NULL, 0, &size))
        return cli_fail_library(error);
    void *bytes = malloc(size);
    int result = !bytes ? cli_fail(error, "cannot write '%s': out of memory", path)
                 : uh_histogramdd_save_bytes(histogram, bytes, size, &size) ? cli_fail_library(error)
                                                                            : write_bytes(path, bytes, size, error);
    free(bytes);
    return result;
}
