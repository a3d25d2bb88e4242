/* SPDX-License-Identifier: Apache-2.0 */
/* The writers of the formats, for output.c and output_integers.c. Failed writes are left to the stream's error flag. */
#ifndef CLI_OUTPUT_FORMATS_H
#define CLI_OUTPUT_FORMATS_H

#include <stdio.h>

#include "api/cli/output/result.h"
#include "api/cli/output/result_dd.h"

/* The bytes of every header that cli_output_npy_header writes. */
#define CLI_OUTPUT_NPY_HEADER 128

/* Writes the header of a 1-D .npy array (format 1.0): `descr` is such as "<u8". */
void cli_output_npy_header(FILE *file, const char *descr, size_t length);

/* Returns the row of `extensions` (`count` of them, such as ".npy") that `path` ends in, -1 where there is none. */
int cli_output_extension(const char *path, const char *const extensions[], int count);

void cli_output_write_npy(FILE *file, const struct cli_result *result);
void cli_output_write_csv(FILE *file, const struct cli_result *result);
void cli_output_write_json(FILE *file, const struct cli_result *result);
void cli_output_write_json_dd(FILE *file, const struct cli_result_dd *result);

/* Write a number or a text (null for NULL) as JSON has them. */
void cli_output_json_number(FILE *file, double value);
void cli_output_json_text(FILE *file, const char *text);

#endif
