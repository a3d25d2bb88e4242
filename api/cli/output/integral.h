/* SPDX-License-Identifier: Apache-2.0 */
/* Results of integrals for output and drawing. Everything is borrowed. */
#ifndef CLI_INTEGRAL_H
#define CLI_INTEGRAL_H

#include <unihist/integrate.h>

#include "api/cli/display/text.h"
#include "api/cli/error.h"

struct cli_integral {
    const char *expression, *file; /* one is NULL */
    const uh_integrate_options *options;
    const uh_integral *integral; /* with values and covariance */
    size_t values;
    const uh_iteration *iteration; /* integral->iterations entries */
    const uh_grid_properties *grid;
    const char *device;
    uint32_t threads; /* of the host, 0 on a device */
    double seconds;
};

/* Writes the result as JSON, to standard output if `path` is "-"; unihist-format(5) names the members. */
int cli_integral_write(const char *path, const struct cli_integral *found, struct cli_error *error);

/* Prints a line of the table of iterations, before the first one its header. */
void cli_integral_print_iteration(const uh_iteration *one);

/* Prints one line per integral, for a terminal or for programs. */
void cli_integral_print(const struct cli_terminal *terminal, const struct cli_integral *found);

/* Prints further facts about the result. */
void cli_integral_print_words(const struct cli_integral *found);

#endif
