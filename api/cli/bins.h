/* SPDX-License-Identifier: Apache-2.0 */
/* Options --edges, --bins, --range, --distribution, --method, --flow-bins and --unit of one axis, and the axis made
 * from them. */
#pragma once

#include "api/cli/extent.h"
#include <unihist/bins.h>

#include "api/cli/input/calendar.h"
#include "api/cli/options.h"

struct cli_distribution {
    int given;
    uh_distribution distribution;
    double *numbers; /* of a table */
};

/* The axes of an earlier result, owned. */
struct cli_earlier {
    size_t naxes;
    uh_axis *axis[UH_MAX_AXES];
};

#define CLI_MAX_CHOSEN 1000000 /* bins of rules that take a number, and of the calendar */

enum cli_bins_kind {
    CLI_BINS_RULE,
    CLI_BINS_BASE2,
    CLI_BINS_EQUAL,
    CLI_BINS_LOG,
    CLI_BINS_CDF,
    CLI_BINS_INTEGERS,
    CLI_BINS_CALENDAR,
    CLI_BINS_EDGES,
    CLI_BINS_EARLIER
};

/* Why a rule made its bins. */
struct cli_why {
    uh_bins_properties values;
    uh_rule_result result;
    uh_distribution fit; /* of equal_probability */
};

/* Zero-initialize; free with cli_bins_free. */
struct cli_bins {
    enum cli_bins_kind kind;
    uh_rule rule;               /* CLI_BINS_RULE, */
    double p0;                  /* of blocks, or 0, */
    uh_distribution_kind fit;   /* and of equal_probability */
    struct cli_why *why;        /* receives the reasons, or NULL; may be set */
    size_t count;               /* CLI_BINS_EQUAL, _LOG, _CDF, _RULE, _BASE2 (0 by default) */
    struct cli_step step;       /* CLI_BINS_CALENDAR, */
    const char *step_name;      /* and its name */
    struct cli_numbers edges;   /* CLI_BINS_EDGES; the axis repeats a single edge */
    int categories;             /* the edges are category values */
    struct cli_earlier earlier; /* CLI_BINS_EARLIER: of a file; all its axes, or the one that is named */
    const char *source;         /* the option's word for it, borrowed */
    int ranged, strict;         /* --range is given; is strict */
    int times;                  /* bins or range are given as dates */
    int unit;                   /* --unit time: numbers are times */
    double range[2];
    struct cli_distribution distribution;
    uh_method method;
    uh_flow_bins flow_bins;
};

/* Reads the options of an axis: the word of its index, or the last word. There must be at least `min_edges` edges. */
int cli_bins_read(const struct cli_arguments *arguments, size_t axis, size_t min_edges, struct cli_bins *bins);
void cli_bins_free(struct cli_bins *bins);

/* Reads the word of an option that gives edges: a file or a list of numbers. */
int cli_bins_read_edges(const struct cli_arguments *arguments, const char *option, const char *text, size_t min_edges,
                        struct cli_bins *bins);
uh_status cli_bins_create(const struct cli_bins *bins, uh_closed closed, uh_axis **axis);
int cli_bins_need_data(const struct cli_bins *bins);
uh_closed cli_bins_closed(const struct cli_arguments *arguments);

/* Returns whether the axis of these elements of the inputs is one of time; -1 with a message if the bins are, but the
 * values are known to be numbers. */
int cli_bins_are_times(const struct cli_bins *bins, const struct cli_inputs *inputs, size_t element);
int cli_bins_unit(const struct cli_arguments *arguments, size_t axis);
int cli_bins_range(const char *text, struct cli_bins *bins);

/* Finds the range, or the smallest and largest value, 0 without values. */
int cli_bins_extent(const struct cli_bins *bins, struct cli_inputs *inputs, uh_queue *queue, double range[2]);

/* Make an axis of given calendar steps that contain the range or, with their ends, the values; and of those of which
 * there are about `wanted`. */
int cli_bins_steps(const struct cli_bins *bins, const struct cli_step *step, const double range[2], uh_axis **axis);
int cli_bins_nice_times(const struct cli_bins *bins, double wanted, const double range[2], uh_axis **axis);

/* Read a rule: its name and options after colons. Returns 0, or -1 with a message; 1 for another text. Make the axis of
 * a rule, in one pass, or several if there are too many values (bins_chosen.c). */
int cli_bins_read_rule(const char *text, struct cli_bins *bins);
int cli_bins_chosen(const struct cli_bins *bins, struct cli_inputs *inputs, uh_closed closed, uh_axis **axis);

/* Makes the axis of the buckets of an exponential histogram, in one pass (bins_base2.c). */
int cli_bins_base2(const struct cli_bins *bins, struct cli_inputs *inputs, uh_queue *queue, uh_axis **axis);

/* Makes the axis of number `number`; the caller destroys it. */
int cli_bins_axis(const struct cli_bins *bins, size_t number, struct cli_inputs *inputs, uh_queue *queue,
                  uh_closed closed, uh_axis **axis);

/* Makes the axes of an earlier result from the bytes in `edges` of a file that the command wrote: .uh, .npz, .json or
 * .csv (earlier.c). `closed`: if the file does not say it; a .csv does not say the flow bins and categories either,
 * which are those of the options. Returns 1; 0 if it is no result; -1 with a message that does not name the file. */
int cli_bins_earlier(const char *path, uh_closed closed, struct cli_bins *bins);
uh_status cli_earlier_copy(const uh_axis *axis, uh_axis **made);
