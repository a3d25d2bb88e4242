/* SPDX-License-Identifier: Apache-2.0 */
/* What unihist-perf runtime can be told. */
#ifndef PERF_SETTINGS_RUNTIME_H
#define PERF_SETTINGS_RUNTIME_H

#include "perf/jobs_runtime.h"
#include "perf/options.h"

struct runtime_settings {
    struct perf_options common;
    const char *device; /* NULL: a GPU, or the host where there is none */
    size_t batch;
    int job[PERF_JOB_COUNT]; /* not 0: wanted */
    int check;
};

/* Reads the arguments; what they do not say is as the help tells. */
int perf_runtime_settings(struct runtime_settings *settings, int argc, char **argv, struct perf_error *error);

/* Prints the help. */
void perf_runtime_help(void);

/* A job's name, such as "launch", and what it is. */
const char *perf_job_name(enum perf_job job);
const char *perf_job_text(enum perf_job job);

#endif
