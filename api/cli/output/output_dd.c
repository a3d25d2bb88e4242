/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/output/output_dd.h"

#include <inttypes.h>
#include <string.h>

#include "api/cli/output/atomic.h"
#include "api/cli/output/output.h"
#include "api/cli/output/output_formats.h"
#include "api/cli/output/output_saved.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, ".npy arrays are written as they lie in memory");

/* ---- .npy ------------------------------------------------------------------------------------------------------- */

static const char *find_descr(const struct cli_result_dd *result) {
    if (result->density)
        return "'<f8'";
    switch (result->storage) {
    case UH_STORAGE_SUM: return "'<f8'";
    case UH_STORAGE_WEIGHTED: return "[('sum', '<f8'), ('sum_squares', '<f8')]";
    case UH_STORAGE_MEAN: return "[('count', '<u8'), ('mean', '<f8'), ('m2', '<f8')]";
    case UH_STORAGE_U8: return "'|u1'";
    case UH_STORAGE_U16: return "'<u2'";
    default: return "'<u8'";
    }
}

/* Writes the header: the dictionary ends in blanks and a newline where the data begin, at a multiple of 64 bytes. */
static void write_npy_header(FILE *file, const struct cli_result_dd *result) {
    enum { HEADER = 5 * 64 }; /* enough for the longest type and eight axes of 10 digits */
    static const char magic[] = {'\x93', 'N', 'U', 'M', 'P', 'Y', 1, 0};
    char header[HEADER + 1];
    memset(header, ' ', sizeof header);
    memcpy(header, magic, sizeof magic);
    int used = 10 + snprintf(header + 10, sizeof header - 10, "{'descr': %s, 'fortran_order': False, 'shape': (",
                             find_descr(result));
    for (size_t a = 0; a < result->naxes; a++)
        used += snprintf(header + used, sizeof header - (size_t)used, "%zu,%s", result->axis[a].bins,
                         a + 1 < result->naxes ? " " : "), }");
    header[used] = ' ';
    size_t length = ((size_t)used + 1 + 63) / 64 * 64;
    header[8] = (char)((length - 10) & 255);
    header[9] = (char)((length - 10) >> 8);
    header[length - 1] = '\n';
    fwrite(header, 1, length, file);
}

static void write_fields(FILE *file, const struct cli_result_dd *result) {
    for (size_t i = 0; i < result->cells && !ferror(file); i++) {
        if (result->storage == UH_STORAGE_WEIGHTED) {
            const double fields[2] = {result->sums[i], result->squares[i]};
            fwrite(fields, sizeof fields, 1, file);
        } else {
            const double fields[2] = {result->means[i], result->deviations[i]};
            fwrite(&result->counts[i], sizeof result->counts[i], 1, file);
            fwrite(fields, sizeof fields, 1, file);
        }
    }
}

static void write_narrow(FILE *file, const uint64_t *counts, size_t cells, size_t bytes) {
    /* The low bytes come first in memory. */
    for (size_t i = 0; i < cells && !ferror(file); i++)
        fwrite(&counts[i], 1, bytes, file);
}

static void write_npy(FILE *file, const struct cli_result_dd *result) {
    write_npy_header(file, result);
    if (result->density)
        fwrite(result->density, sizeof *result->density, result->cells, file);
    else if (result->storage == UH_STORAGE_SUM)
        fwrite(result->sums, sizeof *result->sums, result->cells, file);
    else if (result->storage == UH_STORAGE_WEIGHTED || result->storage == UH_STORAGE_MEAN)
        write_fields(file, result);
    else if (result->storage == UH_STORAGE_COUNT)
        fwrite(result->counts, sizeof *result->counts, result->cells, file);
    else
        write_narrow(file, result->counts, result->cells, result->storage == UH_STORAGE_U8 ? 1 : 2);
}

/* ---- .csv ------------------------------------------------------------------------------------------------------- */

static void write_number(FILE *file, double value) {
    char text[CLI_OUTPUT_NUMBER_SIZE];
    cli_output_number(text, value);
    fputs(text, file);
}

static void write_cell(FILE *file, const struct cli_result_dd *result, size_t cell) {
    const double *columns[3] = {result->density, NULL, NULL};
    if (!result->density) {
        columns[0] = result->sums ? result->sums : result->means;
        columns[1] = result->sums ? result->squares : result->deviations;
    }
    if (result->counts && !result->density)
        fprintf(file, ",%" PRIu64, result->counts[cell]);
    for (size_t i = 0; columns[i]; i++) {
        fputc(',', file);
        write_number(file, columns[i][cell]);
    }
}

static void write_csv(FILE *file, const struct cli_result_dd *result) {
    static const char *const names[] = {
        [UH_STORAGE_COUNT] = ",count",        [UH_STORAGE_SUM] = ",sum",  [UH_STORAGE_WEIGHTED] = ",sum,sum_squares",
        [UH_STORAGE_MEAN] = ",count,mean,m2", [UH_STORAGE_U8] = ",count", [UH_STORAGE_U16] = ",count"};
    size_t bin[UH_MAX_AXES] = {0};
    for (size_t a = 0; a < result->naxes; a++)
        fprintf(file, "%sleft%zu,right%zu", a ? "," : "", a, a);
    fprintf(file, "%s\n", result->density ? ",density" : names[result->storage]);
    for (size_t i = 0; i < result->cells && !ferror(file); i++) {
        for (size_t a = 0; a < result->naxes; a++) {
            if (a)
                fputc(',', file);
            write_number(file, result->axis[a].edges[bin[a]]);
            fputc(',', file);
            write_number(file, result->axis[a].edges[bin[a] + 1]);
        }
        write_cell(file, result, i);
        fputc('\n', file);
        for (size_t a = result->naxes; a-- > 0 && ++bin[a] == result->axis[a].bins;)
            bin[a] = 0;
    }
}

/* ---- which ------------------------------------------------------------------------------------------------------ */

int cli_output_write_dd(const char *path, const struct cli_result_dd *result, struct cli_error *error) {
    static const char *const extensions[] = {".npy", ".csv", ".json"};
    static void (*const writers[])(FILE *, const struct cli_result_dd *) = {write_npy, write_csv,
                                                                            cli_output_write_json_dd};
    if (cli_output_check(path, error))
        return -1;
    int format = cli_output_extension(path, extensions, 3);
    if (format < 0)
        return cli_output_write_saved_dd(path, result->histogram, error);
    struct cli_atomic *atomic = cli_atomic_open(path, error);
    if (!atomic)
        return -1;
    writers[format](cli_atomic_file(atomic), result);
    return cli_atomic_commit(atomic, error);
}
