/* SPDX-License-Identifier: Apache-2.0 */
#include "perf/error.h"

#include <stdarg.h>
#include <stdio.h>

int perf_fail(struct perf_error *error, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    return PERF_FAILURE;
}

int perf_usage(struct perf_error *error, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    return PERF_USAGE;
}
