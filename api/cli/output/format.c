/* SPDX-License-Identifier: Apache-2.0 */
/* What the writers of all formats share. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "api/cli/output/atomic.h"
#include "api/cli/output/output.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, ".npy arrays are written as they lie in memory");

const double cli_quantile_parts[CLI_QUANTILES] = {0.05, 0.25, 0.5, 0.75, 0.95};

/* ---- names ------------------------------------------------------------------------------------------------------ */

static int ends_in(const char *path, const char *extension) {
    const size_t length = strlen(path), tail = strlen(extension);
    return length > tail && path[length - tail - 1] != '/' && strcasecmp(path + length - tail, extension) == 0;
}

int cli_output_format(const char *path, const char *const extensions[], size_t count, struct cli_error *error) {
    char names[64] = "";
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        if (ends_in(path, extensions[i]))
            return (int)i;
        const char *before = i == 0 ? "" : i + 1 < count ? ", " : " or ";
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", before, extensions[i]);
    }
    return cli_fail(error, "cannot write '%s': expected a name ending in %s", path, names);
}

int cli_output_check_format(const char *path, const char *const extensions[], size_t count, struct cli_error *error) {
    return cli_output_format(path, extensions, count, error) < 0 ? -1 : cli_atomic_check(path, error);
}

/* ---- numbers and columns ---------------------------------------------------------------------------------------- */

int cli_output_number(char text[CLI_OUTPUT_NUMBER_SIZE], double value) {
    const char *word = isnan(value) ? "nan" : isinf(value) ? (value < 0 ? "-inf" : "inf") : NULL;
    if (word)
        return snprintf(text, CLI_OUTPUT_NUMBER_SIZE, "%s", word);
    /* Whatever has at most 15 digits, %.15g finds (C17 5.2.4.2.2, DBL_DIG), but for subnormal numbers, which have
     * fewer bits. */
    int length = 0;
    for (int digits = fabs(value) < DBL_MIN ? 1 : DBL_DIG; digits <= DBL_DECIMAL_DIG; digits++) {
        length = snprintf(text, CLI_OUTPUT_NUMBER_SIZE, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    return length;
}

size_t cli_output_columns(const struct cli_result *result, struct cli_column columns[CLI_COLUMNS]) {
    const size_t bytes = result->storage == UH_STORAGE_U8 ? 1 : result->storage == UH_STORAGE_U16 ? 2 : 8;
    const int own = !result->density && !cli_result_is_cumulative(result);
    const struct cli_column all[CLI_COLUMNS] = {
        {"counts", "count", result->counts, NULL, bytes, own},
        {"sums", "sum", NULL, result->sums, 8, own},
        {"sum_squares", "sum_squares", NULL, result->squares, 8, own},
        {"means", "mean", NULL, result->means, 8, own},
        {"m2", "m2", NULL, result->deviations, 8, own},
        {"cumulative", "cumulative", result->cumulative, result->running, 8, 1},
        {"density", "density", NULL, result->density, 8, 1},
    };
    size_t n = 0;
    for (size_t i = 0; i < CLI_COLUMNS; i++)
        if (all[i].integers || all[i].numbers)
            columns[n++] = all[i];
    return n;
}

/* ---- .npy ------------------------------------------------------------------------------------------------------- */

/*
 * Format 1.0 of NumPy's numpy.lib.format: magic, version, header length, and a Python dictionary padded with spaces so
 * that the data begin at a multiple of 64 bytes. For one dimension and a plain type the dictionary takes 57 to 76
 * bytes; NumPy too keeps room for an axis of 21 digits.
 */
void cli_output_npy_header(FILE *file, const char *descr, const size_t *shape, size_t dimensions) {
    enum { HEADER = 5 * 64 }; /* enough for the longest type and eight axes of 20 digits */
    static const char magic[] = {'\x93', 'N', 'U', 'M', 'P', 'Y', 1, 0};
    char header[HEADER + 1];
    memset(header, ' ', sizeof header);
    memcpy(header, magic, sizeof magic);
    int used =
        10 + snprintf(header + 10, sizeof header - 10, "{'descr': %s, 'fortran_order': False, 'shape': (", descr);
    for (size_t i = 0; i < dimensions; i++)
        used += snprintf(header + used, sizeof header - (size_t)used, i ? ", %zu" : "%zu", shape[i]);
    used += snprintf(header + used, sizeof header - (size_t)used, dimensions == 1 ? ",), }" : "), }");
    header[used] = ' ';
    const size_t length = ((size_t)used + 1 + 63) / 64 * 64;
    header[8] = (char)((length - 10) & 255);
    header[9] = (char)((length - 10) >> 8);
    header[length - 1] = '\n';
    fwrite(header, 1, length, file);
}
