/* SPDX-License-Identifier: Apache-2.0 */
/* The one table of options. */
#ifndef PERF_OPTIONS_TABLE_H
#define PERF_OPTIONS_TABLE_H

#include "perf/options.h"

enum value { NO_VALUE, ONE_VALUE, A_LIST };
enum { GOALS = 1, CALLS = 2, PLAN = 4, PAPER = 8 };

struct option {
    const char *name;
    enum value value;
    unsigned of, given;
    /* Takes the text, or one part of a list; `option` is the name with its dashes. */
    int (*take)(struct perf_options *options, const struct option *row, const char *option, const char *text,
                struct perf_error *error);
    size_t at, size; /* of what it sets in the options; a second list begins there anew */
    const char *metavar, *help;
    double low, high; /* of numbers */
    int whole;
    const char *(*word)(unsigned index); /* of take_words: what stands for a bit; NULL at the end */
    unsigned not_with;                   /* bits of what it means nothing to */
};

extern const struct option perf_options_table[];
extern const size_t perf_options_count;

static inline void *perf_option_field(struct perf_options *options, const struct option *row) {
    return (char *)options + row->at;
}

#endif
