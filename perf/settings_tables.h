/* SPDX-License-Identifier: Apache-2.0 */
/* What unihist-perf tables can be told. */
#ifndef PERF_SETTINGS_TABLES_H
#define PERF_SETTINGS_TABLES_H

#include "perf/options.h"
#include "perf/paper_tables.h"

struct tables_settings {
    struct perf_options common;
    const char *device; /* a selector of the library, or "all" */
    const char *out;
    int wanted[PAPER_TABLES]; /* not 0: wanted */
};

/* Reads the arguments; what they do not say is as the help tells. */
int perf_tables_settings(struct tables_settings *settings, int argc, char **argv, struct perf_error *error);

/* Prints the help. */
void perf_tables_help(void);

#endif
