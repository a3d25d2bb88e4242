/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/output/output.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <unihist/save.h>

#include "api/cli/output/atomic.h"

/* ---- .npy ------------------------------------------------------------------------------------------------------- */

static const char *npy_type(const struct cli_column *column) {
    return column->numbers ? "'<f8'" : column->bytes == 1 ? "'|u1'" : column->bytes == 2 ? "'<u2'" : "'<u8'";
}

static void write_npy(FILE *file, const struct cli_result *result) {
    struct cli_column column[CLI_COLUMNS];
    const size_t held = cli_output_columns(result, column), cells = cli_result_cells(result);
    size_t shape[UH_MAX_AXES], n = 0;
    char descr[128];
    int used = 0;
    for (size_t i = 0; i < held; i++)
        if (result->density ? column[i].numbers == result->density : column[i].shown)
            column[n++] = column[i];
    for (size_t i = 0; i < n && n > 1; i++)
        used += snprintf(descr + used, sizeof descr - (size_t)used, "%s('%s', %s)%s", i ? ", " : "[", column[i].name,
                         npy_type(&column[i]), i + 1 < n ? "" : "]");
    for (size_t a = 0; a < result->naxes; a++)
        shape[a] = result->axis[a].bins;
    cli_output_npy_header(file, n > 1 ? descr : npy_type(column), shape, result->naxes);
    if (n == 1 && column->bytes == 8) {
        fwrite(column->numbers ? (const void *)column->numbers : column->integers, 8, cells, file);
        return;
    }
    for (size_t cell = 0; cell < cells && !ferror(file); cell++)
        for (size_t i = 0; i < n; i++) /* the low bytes come first in memory */
            fwrite(column[i].numbers ? (const void *)&column[i].numbers[cell] : &column[i].integers[cell], 1,
                   column[i].bytes, file);
}

/* ---- .csv ------------------------------------------------------------------------------------------------------- */

/* Where on an axis the line's cell lies, as text. */
struct place {
    size_t bin;
    char left[CLI_OUTPUT_NUMBER_SIZE], right[CLI_OUTPUT_NUMBER_SIZE];
};

/* Moves on to a bin: the next one, or 0. */
static void place_at(struct place *place, const struct cli_axis *axis, size_t bin) {
    place->bin = bin;
    if (axis->integers) {
        snprintf(place->left, sizeof place->left, "%" PRId64, (int64_t)((uint64_t)axis->first + bin));
        return;
    }
    if (bin == 0)
        cli_output_number(place->left, axis->edges[0]);
    else
        memcpy(place->left, place->right, sizeof place->left);
    cli_output_number(place->right, axis->edges[bin + 1]);
}

static void write_csv_names(FILE *file, const struct cli_result *result, const struct cli_column *column, size_t n) {
    for (size_t a = 0; a < result->naxes; a++)
        if (result->axis[a].integers)
            fputs(result->axis[a].name, file);
        else if (result->flat)
            fputs("left,right", file);
        else
            fprintf(file, "%sleft%zu,right%zu", a ? "," : "", a, a);
    for (size_t i = 0; i < n; i++)
        if (column[i].shown)
            fprintf(file, ",%s", column[i].name);
    fputc('\n', file);
}

static void write_csv(FILE *file, const struct cli_result *result) {
    struct cli_column column[CLI_COLUMNS];
    const size_t n = cli_output_columns(result, column), cells = cli_result_cells(result);
    struct place place[UH_MAX_AXES];
    char number[CLI_OUTPUT_NUMBER_SIZE];
    write_csv_names(file, result, column, n);
    for (size_t a = 0; a < result->naxes && cells; a++)
        place_at(&place[a], &result->axis[a], 0);
    for (size_t cell = 0; cell < cells && !ferror(file); cell++) {
        for (size_t a = 0; a < result->naxes; a++)
            fprintf(file, result->axis[a].integers ? "%s%s" : "%s%s,%s", a ? "," : "", place[a].left, place[a].right);
        for (size_t i = 0; i < n; i++) {
            if (!column[i].shown)
                continue;
            if (column[i].numbers)
                cli_output_number(number, column[i].numbers[cell]);
            else
                snprintf(number, sizeof number, "%" PRIu64, column[i].integers[cell]);
            fprintf(file, ",%s", number);
        }
        fputc('\n', file);
        for (size_t a = result->naxes; a-- > 0 && cell + 1 < cells;) {
            const int last = place[a].bin + 1 == result->axis[a].bins;
            place_at(&place[a], &result->axis[a], last ? 0 : place[a].bin + 1);
            if (!last)
                break;
        }
    }
}

/* ---- .uh -------------------------------------------------------------------------------------------------------- */

/* Like all outputs of the command, the file goes with a signal that ends it; so not by uh_histogram_save. */
static int write_saved(const char *path, const struct cli_result *result, struct cli_error *error) {
    size_t size;
    if (uh_histogram_save_bytes(result->histogram, NULL, 0, &size))
        return cli_fail_library(error);
    void *bytes = malloc(size);
    struct cli_atomic *atomic = NULL;
    if (!bytes)
        cli_fail(error, "cannot write '%s': out of memory", path);
    else if (uh_histogram_save_bytes(result->histogram, bytes, size, &size))
        cli_fail_library(error);
    else if ((atomic = cli_atomic_open(path, error)))
        fwrite(bytes, 1, size, cli_atomic_file(atomic));
    free(bytes);
    return atomic ? cli_atomic_commit(atomic, error) : -1;
}

/* ---- which ------------------------------------------------------------------------------------------------------ */

enum { SAVED = 3 };

static const char *const extensions[] = {".npy", ".csv", ".json", ".uh"};

int cli_output_check(const char *path, int saves, struct cli_error *error) {
    return cli_output_check_format(path, extensions, saves ? SAVED + 1 : SAVED, error);
}

int cli_output_write(const char *path, const struct cli_result *result, struct cli_error *error) {
    static void (*const writers[SAVED])(FILE *, const struct cli_result *) = {write_npy, write_csv, cli_output_json};
    const int saves = result->histogram != NULL;
    const int format = cli_output_format(path, extensions, saves ? SAVED + 1 : SAVED, error);
    if (format == SAVED)
        return write_saved(path, result, error);
    struct cli_atomic *atomic = format < 0 ? NULL : cli_atomic_open(path, error);
    if (!atomic)
        return -1;
    writers[format](cli_atomic_file(atomic), result);
    return cli_atomic_commit(atomic, error);
}
