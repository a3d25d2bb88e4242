/* SPDX-License-Identifier: Apache-2.0 */
/* What --edges, --bins, --range, --distribution, --method and --flow-bins ask for of one axis, and the axis made of it.
 */
#ifndef CLI_BINS_H
#define CLI_BINS_H

#include <stddef.h>

#include <unihist/histogram.h>

#include "api/cli/error.h"
#include "api/cli/input/inputs.h"
#include "api/cli/input/number.h"
#include "api/cli/options.h"
#include "api/cli/rules/rules.h"

/* Reads numbers with commas between them, one for each of `types`: 'i' and 'u', 64-bit integers with a sign and
 * without, 'd', any number. 0, or -1. */
int cli_parameters_read(const char *text, const char *types, void *const *to);

/* Zero it; freed by cli_distribution_free. */
struct cli_distribution {
    int given;
    uh_distribution distribution;
    double *numbers; /* a table's */
};

/* Reads the argument of --distribution: exponential:LOCATION,SCALE, normal:MEAN,SD, lognormal:MU,SIGMA or table:FILE, a
 * file of pairs x, F(x). 0, or -1 with a message. */
int cli_distribution_parse(const char *text, struct cli_distribution *made, struct cli_error *error);

/* Makes `bins` bins of equal parts of the distribution, of all of it or, with `range`, of what lies between these two
 * numbers, which are the first edge and the last. The caller destroys the axis. 0, or -1 with a message. */
int cli_distribution_axis(const struct cli_distribution *made, size_t bins, const double *range, uh_closed closed,
                          uh_axis **axis, struct cli_error *error);

/* Puts one made for an option in the place of an axis, unless that failed. 0, or -1 with a message. */
int cli_axis_replace(uh_axis **axis, uh_status status, uh_axis **made, const char *option, struct cli_error *error);

void cli_distribution_free(struct cli_distribution *made);

/* Maximum number of bins of equal content. */
#define CLI_MAX_QUANTILES 1000000

enum cli_bins_kind {
    CLI_BINS_RULE,
    CLI_BINS_EQUAL,
    CLI_BINS_LOG,
    CLI_BINS_QUANTILE,
    CLI_BINS_CDF,
    CLI_BINS_INTEGERS,
    CLI_BINS_EDGES
};

/* Zero it; freed by cli_bins_free. */
struct cli_bins {
    enum cli_bins_kind kind;
    enum cli_rule rule;       /* CLI_BINS_RULE */
    size_t count;             /* CLI_BINS_EQUAL, _LOG, _QUANTILE, _CDF */
    struct cli_numbers edges; /* CLI_BINS_EDGES; the axis has a single one twice */
    int categories;           /* the edges are values of these */
    int ranged;
    double range[2];
    struct cli_distribution distribution;
    uh_method method;
    uh_flow_bins flow_bins;
};

/* Finds what the options say of an axis: the words of its number, or the last there are. Edges are at least
 * `min_edges`. 0, or -1 with a message. */
int cli_bins_read(const struct cli_arguments *arguments, size_t axis, size_t min_edges, struct cli_bins *bins,
                  struct cli_error *error);

/* Returns whether cli_bins_axis reads the inputs. */
int cli_bins_need_data(const struct cli_bins *bins);

/* Makes the axis; the caller destroys it. `*warning` is NULL or a static text that the user should see. 0, or -1 with a
 * message. */
int cli_bins_axis(const struct cli_bins *bins, struct cli_inputs *inputs, uh_queue *queue, uh_closed closed,
                  uh_axis **axis, const char **warning, struct cli_error *error);

void cli_bins_free(struct cli_bins *bins);

#endif
