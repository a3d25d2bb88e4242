/* SPDX-License-Identifier: Apache-2.0 */
/* Writes histograms as they are, for `unihist merge` and uh_histogram_load: see unihist-format(5). */
#ifndef CLI_OUTPUT_SAVED_H
#define CLI_OUTPUT_SAVED_H

#include <unihist/save.h>

#include "api/cli/error.h"

/* Write a file that appears when it is whole. Return 0, or -1 with a line in `error`. */
int cli_output_write_saved(const char *path, uh_histogram *histogram, struct cli_error *error);
int cli_output_write_saved_dd(const char *path, uh_histogramdd *histogram, struct cli_error *error);

#endif
