/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes results to files; the name's extension says which format. What has one axis of values or integers is flat.
 *
 *   .npy   one array, of as many dimensions as there are axes: uint64 counts (uint8 or uint16 ones of the saturating
 *          storages), float64 sums; of `weighted` and `mean` a structured array of the fields sum, sum_squares
 *          (float64) and count (uint64), mean, m2 (float64). Densities or running sums instead where the result holds
 *          them, densities first.
 *   .csv   a line of names and one line a cell: `left,right` for each axis, with its number behind unless the result is
 *          flat, or the integer of a bin that is one; then `count`, `sum`, `sum,sum_squares` or `count,mean,m2`, or
 *          `cumulative`, `density` or both instead.
 *   .json  one object: the edges of a flat result, or `axes` and `shape`; what is said of all; then lists as deep as
 *          there are axes: `counts`, `sums`, `sum_squares`, `means`, `m2`, `cumulative`, `density`, as far as there
 * are. .uh    the histogram itself, see unihist-format(5): the counts, also where the result holds densities or sums
 *
 * Counts are written with all their digits, in JSON too (some readers of JSON round numbers beyond 2^53). Other
 * numbers have the fewest digits that read back as the same float64. JSON has no infinities and no NaN: there they
 * are the strings "inf", "-inf" and "nan", which float() and numpy.asarray(..., dtype=float) take. In CSV they are
 * the same words.
 *
 * LC_NUMERIC must be "C", as it is unless setlocale() changes it. Files appear only when whole
 * (api/cli/output/atomic.h): what fails returns -1 with a line in `error`, and no file is left or changed then.
 */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include <stdint.h>
#include <stdio.h>

#include "api/cli/error.h"
#include "api/cli/output/result.h"

/* Returns 0 when a result can be written to `path`: its extension is known, .uh only with `saves`, and its directory
 * writable; else -1. */
int cli_output_check(const char *path, int saves, struct cli_error *error);

/* Writes a result to `path`; .uh where it holds a histogram. Returns 0 or -1. */
int cli_output_write(const char *path, const struct cli_result *result, struct cli_error *error);

/* ---- long rows of integers, a piece at a time: bin indices, samples ------------------------------------------------
 *
 *   .npy         one array of the integers' type
 *   .csv, .txt   one integer a line, as on standard output
 */

/* A file in the making, or what goes to standard output. */
struct cli_output_integers;

/* Returns 0 when such a file can be written to `path`: its extension is known and its directory writable; else -1. */
int cli_output_integers_check(const char *path, struct cli_error *error);

/* Begins a file of integers of `dtype`: UH_U32, UH_U64, UH_I32 or UH_I64; standard output where `path` is NULL. Returns
 * NULL with a line in `error`; else the caller ends it with commit or abort. */
struct cli_output_integers *cli_output_integers_open(const char *path, uh_dtype dtype, struct cli_error *error);

/* Appends `n` integers. Returns 0 or -1; after a failure only abort is left to call. */
int cli_output_integers_append(struct cli_output_integers *integers, const void *data, size_t n,
                               struct cli_error *error);

/* Completes the file, or flushes standard output, and frees `integers`. Returns 0, or -1 and no file is left behind. */
int cli_output_integers_commit(struct cli_output_integers *integers, struct cli_error *error);

/* Removes what was written to a file and frees `integers`; NULL is allowed. */
void cli_output_integers_abort(struct cli_output_integers *integers);

/* ---- the counts of `unihist histo`: the picture that Parboil writes, and an array ----------------------------------
 */

/* Returns 0 when the files can be written: their names end in .bmp and .npy, their directories are writable, and the
 * picture is small enough for its format. Either path may be NULL. Else -1. The sizes may be 0 for not known yet. */
int cli_wafer_check(const char *bmp, const char *npy, size_t width, size_t height, struct cli_error *error);

/* Writes height rows of width counts. Either path may be NULL. Returns 0 or -1. */
int cli_wafer_write(const char *bmp, const char *npy, const uint8_t *counts, size_t width, size_t height,
                    struct cli_error *error);

/* ---- what the writers share; failed writes are left to the stream's error flag --------------------------------------
 */

/* Returns the row of `extensions` (`count` of them, such as ".npy") that `path` ends in, or -1 with a line that names
 * them. */
int cli_output_format(const char *path, const char *const extensions[], size_t count, struct cli_error *error);

/* Returns 0 when a file of one of these names can be written to `path`, else -1. */
int cli_output_check_format(const char *path, const char *const extensions[], size_t count, struct cli_error *error);

/* The bytes that cli_output_number needs. */
#define CLI_OUTPUT_NUMBER_SIZE 32

/* Writes the fewest digits that read back as `value`, or "inf", "-inf" or "nan", into `text`. Returns the length. */
int cli_output_number(char text[CLI_OUTPUT_NUMBER_SIZE], double value);

/* Writes the header of a .npy array: `descr` is such as "'<u8'". Of one dimension it is always 128 bytes. */
void cli_output_npy_header(FILE *file, const char *descr, const size_t *shape, size_t dimensions);

/* A column of the cells, as it is written. */
struct cli_column {
    const char *key, *name;   /* in JSON, and elsewhere */
    const uint64_t *integers; /* one of both is not NULL */
    const double *numbers;
    size_t bytes; /* of an element in .npy */
    int shown;    /* not only in JSON */
};

enum { CLI_COLUMNS = 7 };

/* Lists the columns that a result holds; returns how many there are. */
size_t cli_output_columns(const struct cli_result *result, struct cli_column columns[CLI_COLUMNS]);

void cli_output_json(FILE *file, const struct cli_result *result);

/* Writes facts as members of an object: `first` stands in front of the first one, `between` in front of the others. */
void cli_output_facts(FILE *file, const char *first, const char *between, const struct cli_fact *facts, size_t n);

#endif
