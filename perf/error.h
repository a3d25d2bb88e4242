/* SPDX-License-Identifier: Apache-2.0 */
/* A failure ends the program with a text for the user. */
#pragma once

#include <signal.h>
#include <stddef.h>

#include <unihist/base.h>

/* Exit statuses: a failure; a mistake on the command line. */
enum { PERF_FAILURE = 1, PERF_USAGE = 2 };

/* Not 0 after a signal to end. Code that waits or repeats reads it; any failure is then reported as an interruption. */
extern volatile sig_atomic_t perf_interrupted;

void perf_note_signals(void);

/* What texts begin with: the program and its present work, such as "unihist-perf random"; the measurement, or NULL. */
extern const char *perf_program, *perf_measurement;

/* Called at the end, after the text; NULL: nothing is. */
extern void (*perf_before_end)(void);

/* End the program with the text and an exit status. */
__attribute__((format(printf, 2, 3))) _Noreturn void perf_end(int status, const char *format, ...);
#define perf_fail(...)  perf_end(PERF_FAILURE, __VA_ARGS__)
#define perf_usage(...) perf_end(PERF_USAGE, __VA_ARGS__)

/* Fails with the library's last message. */
void perf_check(uh_status status);

/* Zeroed memory, which the caller frees. */
void *perf_memory(size_t count, size_t size);

/* Most bytes of memory that this process has had, 0 if the system does not say; since the call with `again`, if
 * the system can do so. */
double perf_peak_memory(int again);
