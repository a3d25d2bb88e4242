/* SPDX-License-Identifier: Apache-2.0 */
#include "perf/error.h"

#include <unihist/base.h>

#include <stdarg.h>
#include <stdio.h>

volatile sig_atomic_t perf_interrupted;

static void note(int signal_number) {
    perf_interrupted = signal_number;
}

void perf_note_signals(void) {
    const struct sigaction action = {.sa_handler = note};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
}

int perf_library_failed(struct perf_error *error) {
    return perf_fail(error, "%s", uh_last_error());
}

int(perf_fail)(struct perf_error *error, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    return PERF_FAILURE;
}
