/* SPDX-License-Identifier: Apache-2.0 */
/* Writes results to files in the format of --format or of the name's extension, as unihist-histogram(1) and
 * unihist-format(5) describe.
 *
 * Counts have all digits, in JSON too (some readers of JSON round numbers beyond 2^53). In JSON infinities and NaN are
 * the strings "inf", "-inf" and "nan". LC_NUMERIC must be "C", as it is unless setlocale() changes it. Files appear
 * only when complete (atomic.h): a failure leaves or changes no file. */
#pragma once

#include "api/cli/output/atomic.h"
#include "api/cli/output/result.h"

/* Endings of file names, in the order of cli_output_format's results. The first one of others than the first two is the
 * format of streams whose names have none. */
#define CLI_OUTPUT_RESULT    ".npy, .csv or .json"
#define CLI_OUTPUT_HISTOGRAM ".npy, .csv, .json, .npz or .uh"
#define CLI_OUTPUT_INTEGERS  ".txt, .csv or .npy"
enum { CLI_INTEGERS_NPY = 2 };

/* Returns the index in `names` of the format: the given one unless it is NULL, or the ending of `path`; -1 with a line
 * that lists them, as usage. */
int cli_output_format(const char *path, const char *format, const char *names);

/* Returns 0 if `path` can be written in one of these formats (cli_atomic_check); otherwise -1. */
int cli_output_check(const char *path, const char *format, const char *names);

/* Writes a result to `path`; .uh if it has a histogram. */
int cli_output_write(const char *path, const char *format, const struct cli_result *result);

/* ---- long lists of integers, a piece at a time: bin indices, samples -----------------------------------------------
 *
 *   .npy         one array of the integers' type
 *   .csv, .txt   one integer per line, as on standard output
 */

/* A file being written; zero: none. cli_atomic_abort(&integers->atomic) gives it up. */
struct cli_output_integers {
    struct cli_atomic atomic;
    FILE *kept; /* a stream that waits in memory for their number, which comes first; or NULL */
    char *memory;
    size_t bytes;
    uh_dtype dtype;
    int text;     /* one per line, otherwise .npy */
    size_t count; /* integers written, or all of them: */
    int known;
    /* May be set once it is open: the shape of an array of as many elements, at most 50 characters such as "(3, 4)",
     * and whether its first index varies fastest. NULL: one dimension. */
    const char *shape;
    int is_column_major;
};

/* The number of integers, and the first one of this process if all write the file together (group.h). */
struct cli_share {
    uint64_t first, all;
    int together;
};

/* Starts a file of integers of `dtype`: UH_U32, UH_U64, UH_I32 or UH_I64. `share`: NULL if their number is unknown. */
int cli_output_integers_open(struct cli_output_integers *integers, const char *path, const char *format, uh_dtype dtype,
                             const struct cli_share *share);

/* Appends `n` integers. Returns 0 or -1; after a failure only abort may be called. */
int cli_output_integers_append(struct cli_output_integers *integers, const void *data, size_t n);

/* Completes the file. Returns 0, or -1 and leaves no file. */
int cli_output_integers_commit(struct cli_output_integers *integers);

/* ---- common functions of the writers; failed writes are left to the stream's error flag -------------------------- */

#define CLI_OUTPUT_NUMBER_SIZE 32

/* Writes the fewest digits that read back as `value`, or "inf", "-inf" or "nan", into `text`. Returns the length. */
int cli_output_number(char text[CLI_OUTPUT_NUMBER_SIZE], double value);

/* Returns the name of a bin of an axis of categories: its value, in `text`, or "other". */
const char *cli_output_category(const struct cli_axis *axis, size_t bin, char text[CLI_OUTPUT_NUMBER_SIZE]);
void cli_output_little(unsigned char *to, uint64_t value, size_t bytes);

struct cli_column {
    const char *key, *name;   /* in JSON and .npz, and in other formats */
    const uint64_t *integers; /* one of the two is not NULL */
    const double *numbers;
    size_t bytes; /* of an element in .npy */
    int shown;    /* also outside JSON and .npz */
};

enum { CLI_COLUMNS = 7 };
size_t cli_output_columns(const struct cli_result *result, struct cli_column columns[CLI_COLUMNS]);

/* Writes an element of a column; `quoted`: infinities and NaN are strings. */
void cli_output_element(FILE *file, const struct cli_column *column, size_t i, int quoted);

/* Writes the header of a .npy array, unless the file is NULL, and returns its bytes; `descr` is, for example, "'<u8'".
 * With one dimension it is always 128 bytes. `crc`: NULL, or updated. */
size_t cli_output_npy_header(FILE *file, uint32_t *crc, const char *descr, const size_t *shape, size_t dimensions);
int cli_output_npy(FILE *file, const void *what);
int cli_output_npz(FILE *file, const void *what);

/* Write a text in quotes, NULL as null; numbers, at least one, in brackets. */
void cli_output_text(FILE *file, const char *text);
void cli_output_list(FILE *file, const double *numbers, size_t n);

/* Write facts: as members of an object, with `first` before the first one and `between` before the others; as a whole
 * object in one line, after `before`. */
void cli_output_facts(FILE *file, const char *first, const char *between, const struct cli_fact *facts, size_t n);
void cli_output_object(FILE *file, const char *before, const struct cli_fact *facts, size_t n);
