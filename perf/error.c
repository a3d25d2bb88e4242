/* SPDX-License-Identifier: Apache-2.0 */
#include "perf/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

volatile sig_atomic_t perf_interrupted;
void (*perf_before_end)(void);
const char *perf_program = "unihist-perf", *perf_measurement;

static void note(int signal_number) { perf_interrupted = signal_number; }

void perf_note_signals(void) {
    const struct sigaction action = {.sa_handler = note};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
}

/* Leaves memory and objects to the system, so that no leaks are looked for. */
void perf_end(int status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
    fprintf(stderr, "%s: ", perf_program);
    if (status == PERF_FAILURE && perf_interrupted) {
        fputs("interrupted", stderr);
    } else {
        if (perf_measurement)
            fprintf(stderr, "%s: ", perf_measurement);
        vfprintf(stderr, format, arguments);
    }
    va_end(arguments);
    fputc('\n', stderr);
    fflush(NULL);
    if (perf_before_end)
        perf_before_end();
    _exit(status);
}

void perf_check(uh_status status) {
    if (status)
        perf_fail("%s", uh_last_error());
}

void *perf_memory(size_t count, size_t size) {
    void *made = calloc(count ? count : 1, size);
    if (!made)
        perf_fail("out of memory for %zu times %zu bytes", count, size);
    return made;
}

double perf_peak_memory(int again) {
    static const char name[] = "VmHWM:";
    char line[128];
    double kibibytes = 0;
    FILE *file = again ? fopen("/proc/self/clear_refs", "w") : NULL;
    if (file) {
        fputs("5", file);
        fclose(file);
    }
    file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, name, sizeof name - 1) == 0)
            kibibytes = strtod(line + sizeof name - 1, NULL);
    if (file)
        fclose(file);
    return 1024 * kibibytes;
}
