/* SPDX-License-Identifier: Apache-2.0 */
/* All inputs of one run, read one after the other or in step, as often as needed, with a progress bar. */
#pragma once

#include "api/cli/input/csv.h"
#include "api/cli/input/input.h"
#include "api/cli/input/kept.h"
#include "api/cli/input/number.h"

/* The texts of several inputs: the dialect of the last one that was read, and sums. */
struct cli_text_report {
    uint64_t texts;
    struct cli_dialect dialect;
    struct cli_csv_facts facts; /* the header's line is that of the last one */
};

struct cli_entry {
    const char *path;
    struct cli_input *input; /* stays open between passes if the path cannot be reopened */
    struct cli_input_facts facts;
};

struct cli_inputs {
    char dtypes[128];            /* names of the inputs' element types, each once, separated by commas */
    size_t element;              /* of rows, for cli_inputs_pass; may be set */
    int strict;                  /* values that are not finite are an error where their range is needed; may be set */
    int whole;                   /* of several processes each reads all, not its share; may be set before a pass */
    struct cli_inputs *weights;  /* one per value, for rules of bins; or NULL; may be set */
    int failed;                  /* reading has failed; the message then names the file and the place */
    struct cli_text_report text; /* of the last pass */
    uint64_t number;             /* of the next row among the rows of all processes: the first one passed, in a pass */
    int numbered;                /* `number` is known */
    uint32_t kinds[2];           /* of the columns, as in facts */

    /* Internal: */
    struct cli_input_options options;
    enum { CLI_NOT_KEPT, CLI_KEEPING, CLI_KEPT } keeping; /* of the values: not at all, in this pass, all are */
    struct cli_kept kept;
    size_t n;
    unsigned dtype_set; /* bit d: dtype d */
    size_t at;          /* of a pass: the entry being read */
    int reading;        /* it is open and started */
    size_t chunk;       /* the next one of those kept */
    uint64_t before;    /* bytes of the entries before it */
    const char *data;   /* rest of its last chunk */
    size_t left;        /* rows in it, with elements of `dtype` */
    uh_dtype dtype;
    uint64_t rows; /* passed so far */
    struct cli_entry entries[];
};

/* Opens every input once, so that an invalid one is found before any work, and keeps open those that cannot be reopened
 * (pipes, standard input). `paths`, and all that `options` points to, must outlive the inputs. Returns 0 and `*out`,
 * which the caller closes, or -1. */
int cli_inputs_open(char *const *paths, size_t npaths, const struct cli_input_options *options,
                    struct cli_inputs **out);
void cli_inputs_close(struct cli_inputs *inputs); /* or NULL */

/* Adds what a reader has read, if it is not NULL. */
void cli_text_report_add(struct cli_text_report *report, const struct cli_csv *csv);

/* Describes texts, such as "comma, header in line 1, 3 cells missing"; "" of none. Returns `text`. */
enum { CLI_REPORT_TEXT = 320 };
const char *cli_text_describe(const struct cli_text_report *report, char text[CLI_REPORT_TEXT]);

/* Return the facts of the first input, and its name in messages (borrowed). */
const struct cli_input_facts *cli_inputs_facts(const struct cli_inputs *inputs);
const char *cli_inputs_name(const struct cli_inputs *inputs);
int cli_inputs_have_dtype(const struct cli_inputs *inputs, uh_dtype dtype);

/* Returns 1 and the number of values of all inputs if each knows it before reading, otherwise 0. */
int cli_inputs_count(const struct cli_inputs *inputs, uint64_t *count);

/* Returns whether there are several processes, each with a part of the values. */
int cli_inputs_are_divided(const struct cli_inputs *inputs);

/* Sources of points: coordinates, one axis per input or all axes of one input's rows, and a value per point. The axes
 * share one source, or each has its own. */
struct cli_points {
    struct cli_inputs *sources[UH_MAX_AXES + 1]; /* all distinct ones, and after them `values` */
    size_t nsources, naxes;
    struct {
        struct cli_inputs *inputs;
        size_t element; /* of a row */
        char name[256];
    } axis[UH_MAX_AXES];
    struct cli_inputs *values; /* one per point, or NULL */
};

/* Takes the next points: an array per axis, and after them one of the values, if any: float32, float64, int32 or int64,
 * to which other integers are widened. Returns 0, or -1 with a message, which ends the pass. */
typedef int (*cli_points_function)(void *context, const uh_array *arrays);

/* Returns -1 with a message that names both if two inputs are known to hold different numbers of points, otherwise
 * 0. */
int cli_points_check(const struct cli_points *points);

/* Calls `each` for all points, some at a time. Of several processes each reads its share; inputs of points that cannot
 * be cut at the same points (text of several files) are read by each process, which takes some pieces. All processes
 * make the same passes, and fail together. `label` names the pass in the progress bar. Fails with a message that names
 * both if one input ends before another. Inputs not opened for several passes allow one. */
int cli_points_pass(const struct cli_points *points, const char *label, cli_points_function each, void *context);

/* The same over the one axis of the inputs: of rows, only one element. */
int cli_inputs_pass(struct cli_inputs *inputs, const char *label, cli_points_function each, void *context);

/* Reads all values, at most `max`, in such a pass. The caller frees `*all` in both cases. */
int cli_inputs_read(struct cli_inputs *inputs, size_t max, struct cli_numbers *all);

/* Reads a small whole array: .npy, or all numbers of a text as float64 (format: cli_csv_numbers). Returns 0, or -1 with
 * a message and nothing in `*all`. */
int cli_inputs_read_file(const char *path, struct cli_numbers *all);

/* The same in two steps: reads a .npy file, or the bytes of another file (`*bytes` is 1), a zero after them; and
 * converts such bytes of a text. */
int cli_inputs_read_bytes(const char *path, struct cli_numbers *all, int *bytes);
int cli_inputs_convert(const char *path, struct cli_numbers *all);

/* ---- points in memory (rows.c): rows of coordinates, those of several inputs one after the other. Of several
 * processes each has its part, in the order of processes (group.h). */

/* Free `data` with cli_rows_free. */
struct cli_rows {
    uh_dtype dtype; /* float32 if all inputs are (float16 too), otherwise float64 */
    void *data;     /* n rows of `width` coordinates */
    size_t n, width;
    uint64_t first, all; /* number of the first of them among the rows of all processes, and that of all rows */
    char names[CLI_CSV_COLUMNS]
              [64]; /* of the columns: from the first input's header or the options, otherwise x0, ... */
};

/* Reads all rows of all inputs, with a progress bar; `options` ask for rows. It is an error if no process has any; a
 * coordinate that is not finite is an error that names file and place. The caller frees the rows in both cases. */
int cli_rows_read(struct cli_rows *rows, char *const *paths, size_t npaths, const struct cli_input_options *options);
void cli_rows_free(struct cli_rows *rows);
