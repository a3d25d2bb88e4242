/* SPDX-License-Identifier: Apache-2.0 */
/* How the parts of unihist-perf report what went wrong: a text for the user, printed once, by main. */
#ifndef PERF_ERROR_H
#define PERF_ERROR_H

/* What unihist-perf exits with, and what every part that can fail returns. */
enum perf_exit { PERF_OK = 0, PERF_FAILURE = 1, PERF_USAGE = 2 };

struct perf_error {
    char text[1024];
};

/* Stores the text and returns PERF_FAILURE, so that `return perf_fail(error, ...)` reads well. */
__attribute__((format(printf, 2, 3))) int perf_fail(struct perf_error *error, const char *format, ...);

/* The same for a mistake on the command line: returns PERF_USAGE. */
__attribute__((format(printf, 2, 3))) int perf_usage(struct perf_error *error, const char *format, ...);

#endif
