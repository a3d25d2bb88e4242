/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/output/output.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "api/cli/output/atomic.h"
#include "api/cli/output/output_formats.h"
#include "api/cli/output/output_saved.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, ".npy arrays are written as they lie in memory");

int cli_output_extension(const char *path, const char *const extensions[], int count) {
    size_t length = strlen(path);
    for (int i = 0; i < count; i++) {
        size_t tail = strlen(extensions[i]);
        if (length > tail && path[length - tail - 1] != '/' && strcasecmp(path + length - tail, extensions[i]) == 0)
            return i;
    }
    return -1;
}

enum { FORMATS = 4, SAVED = 3 };

static const char *const extensions[FORMATS] = {".npy", ".csv", ".json", ".uh"};
static void (*const writers[SAVED])(FILE *, const struct cli_result *) = {cli_output_write_npy, cli_output_write_csv,
                                                                          cli_output_write_json};

/* Returns the row of `extensions` for the path, or -1 with a line in `error`. */
static int find_format(const char *path, struct cli_error *error) {
    int format = cli_output_extension(path, extensions, FORMATS);
    return format >= 0 ? format
                       : cli_fail(error, "cannot write '%s': expected a name ending in .npy, .csv, .json or .uh", path);
}

int cli_output_check(const char *path, struct cli_error *error) {
    return find_format(path, error) < 0 ? -1 : cli_atomic_check(path, error);
}

int cli_output_write(const char *path, const struct cli_result *result, struct cli_error *error) {
    int format = find_format(path, error);
    if (format == SAVED)
        return result->weighted ? cli_output_write_saved_dd(path, result->weighted, error)
                                : cli_output_write_saved(path, result->histogram, error);
    struct cli_atomic *atomic = format < 0 ? NULL : cli_atomic_open(path, error);
    if (!atomic)
        return -1;
    writers[format](cli_atomic_file(atomic), result);
    return cli_atomic_commit(atomic, error);
}

/*
 * Format 1.0 of NumPy's numpy.lib.format: magic, version, header length, and a Python dictionary padded with spaces so
 * that the data begin at a multiple of 64 bytes. For one dimension that is always 128: the dictionary takes 57 to 76
 * bytes, and NumPy too keeps room for an axis of 21 digits.
 */
void cli_output_npy_header(FILE *file, const char *descr, size_t length) {
    char header[CLI_OUTPUT_NPY_HEADER + 1];
    memset(header, ' ', sizeof header);
    memcpy(header, "\x93NUMPY\x01\x00", 8);
    header[8] = (char)(CLI_OUTPUT_NPY_HEADER - 10);
    header[9] = 0;
    int used = snprintf(header + 10, sizeof header - 10, "{'descr': '%s', 'fortran_order': False, 'shape': (%zu,), }",
                        descr, length);
    header[10 + used] = ' ';
    header[CLI_OUTPUT_NPY_HEADER - 1] = '\n';
    fwrite(header, 1, CLI_OUTPUT_NPY_HEADER, file);
}

void cli_output_write_npy(FILE *file, const struct cli_result *result) {
    const double *numbers = result->density ? result->density : result->running ? result->running : result->sums;
    cli_output_npy_header(file, numbers ? "<f8" : "<u8", result->bins);
    if (numbers)
        fwrite(numbers, sizeof *numbers, result->bins, file);
    else
        fwrite(result->cumulative ? result->cumulative : result->counts, sizeof(uint64_t), result->bins, file);
}

void cli_output_write_csv(FILE *file, const struct cli_result *result) {
    char left[CLI_OUTPUT_NUMBER_SIZE], right[CLI_OUTPUT_NUMBER_SIZE], number[CLI_OUTPUT_NUMBER_SIZE];
    const uint64_t *integers = result->cumulative ? result->cumulative : result->density ? NULL : result->counts;
    const double *sums = result->running ? result->running : result->density ? NULL : result->sums;
    const char *name = cli_result_is_cumulative(result) ? ",cumulative" : sums ? ",sum" : ",count";
    fprintf(file, "left,right%s%s\n", integers || sums ? name : "", result->density ? ",density" : "");
    cli_output_number(left, result->edges[0]);
    for (size_t i = 0; i < result->bins && !ferror(file); i++) {
        cli_output_number(right, result->edges[i + 1]);
        fprintf(file, "%s,%s", left, right);
        if (integers)
            fprintf(file, ",%" PRIu64, integers[i]);
        if (sums) {
            cli_output_number(number, sums[i]);
            fprintf(file, ",%s", number);
        }
        if (result->density) {
            cli_output_number(number, result->density[i]);
            fprintf(file, ",%s", number);
        }
        fputc('\n', file);
        memcpy(left, right, sizeof left);
    }
}
