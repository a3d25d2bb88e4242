/* SPDX-License-Identifier: Apache-2.0 */
/* How the parts of unihist-perf report what went wrong: a text for the user, printed once, by main. */
#ifndef PERF_ERROR_H
#define PERF_ERROR_H

#include <signal.h>

/* What unihist-perf exits with, and what every part that can fail returns. */
enum perf_exit { PERF_OK = 0, PERF_FAILURE = 1, PERF_USAGE = 2 };

struct perf_error {
    char text[1024];
};

/* Not 0 once a signal has asked for the end. What waits or repeats looks at it; whatever fails then was interrupted. */
extern volatile sig_atomic_t perf_interrupted;

/* From now on SIGINT, SIGTERM and SIGHUP are noted. */
void perf_note_signals(void);

/* Stores the text and returns PERF_FAILURE, so that `return perf_fail(error, ...)` reads well. */
__attribute__((format(printf, 2, 3))) int perf_fail(struct perf_error *error, const char *format, ...);

#ifdef __clang_analyzer__ /* it judges one file at a time, and cannot see that this returns PERF_FAILURE */
#define perf_fail(error, ...) (perf_fail(error, __VA_ARGS__), PERF_FAILURE)
#endif

/* perf_fail with the library's last message. */
int perf_library_failed(struct perf_error *error);

/* The same for a mistake on the command line: returns PERF_USAGE. */
#define perf_usage(...) ((void)perf_fail(__VA_ARGS__), PERF_USAGE)

#endif
