/* SPDX-License-Identifier: Apache-2.0 */
/* All inputs of one run, read one behind the other or in step, as often as needed, with a progress bar. */
#ifndef CLI_INPUTS_H
#define CLI_INPUTS_H

#include <stddef.h>
#include <stdint.h>

#include <unihist/histogram.h>

#include "api/cli/error.h"
#include "api/cli/input/input.h"
#include "api/cli/input/number.h"

struct cli_inputs;

/* -1 with a message where standard input is given more than once; else 0. */
int cli_inputs_check(char *const *paths, size_t npaths, struct cli_error *error);

/* Opens every input once, so that a bad one is found before any work, and keeps open those that cannot be opened again
 * (pipes, standard input). `paths`, and what `options` point to, must outlive the inputs. 0 and an `*out` that the
 * caller closes, or -1. */
int cli_inputs_open(char *const *paths, size_t npaths, const struct cli_input_options *options, struct cli_inputs **out,
                    struct cli_error *error);

/* Lends what the first input is. */
const struct cli_input_facts *cli_inputs_facts(const struct cli_inputs *inputs);

/* Lends the name of the first input, as messages call it. */
const char *cli_inputs_name(const struct cli_inputs *inputs);

/* Lends the names of the inputs' element types, each once, with commas between them. */
const char *cli_inputs_dtypes(const struct cli_inputs *inputs);

/* Returns whether an input's elements are of the type. */
int cli_inputs_have_dtype(const struct cli_inputs *inputs, uh_dtype dtype);

/* Returns 1 and how many values all inputs hold together where each can tell before it is read, else 0. */
int cli_inputs_count(const struct cli_inputs *inputs, uint64_t *count);

/* With several processes each reads its share in a pass, unless this says that each reads all: what is small, or what
 * depends on the order of all values. Inputs of points that cannot be cut at the same points (text of several files)
 * are read by each, which takes some pieces of them. All processes make the same passes, and fail together. */
void cli_inputs_divide(struct cli_inputs *inputs, int divided);

/* Returns whether there are several processes, of which each sees a part of the values. */
int cli_inputs_are_divided(const struct cli_inputs *inputs);

/* Returns 1 and which of all values is the first that a pass has just given; 0 where that is not known. */
int cli_inputs_number(const struct cli_inputs *inputs, uint64_t *number);

/* Returns whether reading has failed: the message then names the file and the place. */
int cli_inputs_failed(const struct cli_inputs *inputs);

/* Closes everything; NULL is allowed. */
void cli_inputs_close(struct cli_inputs *inputs);

/* ---- passes ------------------------------------------------------------------------------------------------------ */

/* Where points come from: coordinates, an axis an input or all axes of one input's rows, and a value for each point.
 * The inputs are lent; those of the axes are one, or each another. */
struct cli_points {
    size_t naxes;
    struct {
        struct cli_inputs *inputs;
        size_t element; /* of a row */
    } axis[UH_MAX_AXES];
    struct cli_inputs *values; /* or NULL: one value a point */
};

/* Takes the next points; `values` is NULL where there are none. Values are float32, float64, int32 or int64: other
 * integers were widened. Returns 0, or -1 with a message, which ends the pass. */
typedef int (*cli_points_each)(void *context, const uh_array *coordinates, const uh_array *values,
                               struct cli_error *error);

/* -1 with a message that names both where two inputs are known to hold different numbers of points; else 0. */
int cli_points_check(const struct cli_points *points, struct cli_error *error);

/* Calls `each` for all points, some at a time. `label` is what the progress bar calls the pass. Where one input ends
 * before another it fails with a message that names both. 0, or -1. Inputs that were not opened for several passes
 * allow one. */
int cli_points_pass(const struct cli_points *points, const char *label, cli_points_each each, void *context,
                    struct cli_error *error);

/* The same over the one axis that inputs are: of rows, one element alone, which is 0 until cli_inputs_choose. */
int cli_inputs_pass(struct cli_inputs *inputs, const char *label, cli_points_each each, void *context,
                    struct cli_error *error);
void cli_inputs_choose(struct cli_inputs *inputs, size_t element);

/* Reads all values, at most `max`, in such a pass. 0, or -1 with a message; the caller frees `*all` after either. */
int cli_inputs_read(struct cli_inputs *inputs, size_t max, struct cli_numbers *all, struct cli_error *error);

/* Reads a small whole array: .npy, or all the numbers of a text as float64 (cli_csv_numbers says how they may stand).
 * 0, or -1 with a message and nothing in `*all`. */
int cli_inputs_read_file(const char *path, struct cli_numbers *all, struct cli_error *error);

#endif
