/* SPDX-License-Identifier: Apache-2.0 */
/* The inputs of a histogram as the coordinates of points: of one axis, whose values are those of all inputs one after
 * the other; or of several, an input each, or the columns of one input's rows. */
#ifndef CLI_COORDINATES_H
#define CLI_COORDINATES_H

#include <stddef.h>

#include "api/cli/error.h"
#include "api/cli/input/inputs.h"
#include "api/cli/options.h"

/* Zero it, open, use, close. */
struct cli_coordinates {
    struct cli_points points; /* ready but for the values */
    struct cli_inputs *sources[UH_MAX_AXES];
    size_t nsources;
    char names[UH_MAX_AXES][256]; /* of the axes */
};

/* Opens the inputs, for several passes where `several_passes` is not 0, and finds how many axes there are; `integers`:
 * text is integers where nothing else is said. 0, or -1 or CLI_USAGE with a message. */
int cli_coordinates_open(struct cli_coordinates *coordinates, const struct cli_arguments *arguments, int integers,
                         int several_passes, struct cli_error *error);

/* Frees everything; may be called at any stage. */
void cli_coordinates_close(struct cli_coordinates *coordinates);

#endif
