/* SPDX-License-Identifier: Apache-2.0 */
/* The inputs of a histogram as the coordinates of points: of one axis, whose values are those of all inputs one after
 * the other; or of several, an input each, or the columns of one input's rows. */
#ifndef CLI_COORDINATES_H
#define CLI_COORDINATES_H

#include <stddef.h>

#include "api/cli/axes.h"
#include "api/cli/error.h"
#include "api/cli/input/inputs.h"

/* Zero it, say what is asked for, check, open, use, close. */
struct cli_coordinates {
    int axes; /* --axes: each input is an axis; one alone is rows */
    struct cli_words columns;
    size_t row; /* values of a row of raw binary, 0 where it is not told */

    struct cli_points points; /* ready but for the values */
    struct cli_inputs *sources[UH_MAX_AXES];
    size_t nsources;
    char names[UH_MAX_AXES][256]; /* of the axes */
};

/* Checks what is given together for so many inputs; `column` is that of --column, or NULL. 0, or CLI_USAGE with a
 * message. */
int cli_coordinates_check(const struct cli_coordinates *coordinates, const char *column, size_t npaths,
                          struct cli_error *error);

/* Returns whether the inputs decide how many axes there are; else there is one. */
int cli_coordinates_decide(const struct cli_coordinates *coordinates);

/* Opens the inputs, which `options` say how to read, and tells how many axes there are. 0, or -1 with a message. */
int cli_coordinates_open(struct cli_coordinates *coordinates, char **paths, size_t npaths,
                         const struct cli_input_options *options, struct cli_error *error);

/* Frees everything; may be called at any stage. */
void cli_coordinates_close(struct cli_coordinates *coordinates);

#endif
