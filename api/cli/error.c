/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* program_invocation_short_name, vasprintf */
#include "api/cli/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unihist/base.h>

#include "api/cli/interrupt.h"

_Thread_local struct cli_error cli_error;

int(cli_fail)(const char *format, ...) {
    struct cli_error made = {.usage = 0};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(made.text, sizeof made.text, format, arguments);
    va_end(arguments);
    cli_error = made;
    return -1;
}

void *cli_have(void *memory) {
    if (memory)
        return memory;
    fprintf(stderr, "%s: out of memory\n", program_invocation_short_name);
    cli_interrupt_end(CLI_FAILURE);
}

void *cli_aligned(size_t bytes) {
    void *memory = NULL;
    return cli_have(posix_memalign(&memory, 64, bytes ? bytes : 1) ? NULL : memory);
}

char *cli_format(const char *format, ...) {
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    const int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    return cli_have(length < 0 ? NULL : text);
}

void cli_append(char *text, size_t size, const char *between, const char *format, ...) {
    size_t used = strlen(text);
    va_list arguments;
    used += used ? (size_t)snprintf(text + used, size - used, "%s", between) : 0;
    va_start(arguments, format);
    if (used < size)
        vsnprintf(text + used, size - used, format, arguments);
    va_end(arguments);
}

int cli_fail_library(void) { return cli_fail("%s", uh_last_error_info()->text); }
