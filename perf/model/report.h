/* SPDX-License-Identifier: Apache-2.0 */
/* What unihist-model prints: tables in Markdown, each headed by what it is. */
#ifndef PERF_MODEL_REPORT_H
#define PERF_MODEL_REPORT_H

#include "perf/model/predict.h"

/* What the command line says. A list that is empty stands for the usual ones. */
struct model_options {
    const struct model_device *device; /* NULL: each that has figures */
    const char *folder;                /* of isa-DEVICE.txt */
    enum model_operation_number operation;
    int type; /* a uh_dtype, or -1: the operation's own */
    size_t k; /* 0: 100 and 1000 */
    double h;
    int bins, data;    /* an enum case_bins, case_data, or -1: the paper's bins; uniform, sorted, narrow, one bin */
    const char *table; /* of the paper, such as IV; NULL: all of GPUs */
    int method;        /* or -1: auto, mesh, binary */
};

/* One operation: a line a case. */
int model_report_cases(const struct model_options *options, struct perf_error *error);

/* What kernels are meant to reach, beside what is predicted. PERF_FAILURE where that is below a floor. */
int model_report_goals(const struct model_options *options, struct perf_error *error);

/* The paper's tables of GPUs, a line a figure: table, method, k, h, millions of points a second, what binds. */
int model_report_tables(const struct model_options *options, struct perf_error *error);

/* Every kernel that has figures: what issue and, with lanes at random, local memory allow. */
int model_report_kernels(const struct model_options *options, struct perf_error *error);

/* Reads messages from standard input, a line each: "load" or "atomic", then addresses; prints their cycles. */
int model_report_banks(const struct model_options *options, struct perf_error *error);

#endif
