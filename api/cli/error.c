/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/error.h"

#include <stdarg.h>
#include <stdio.h>

#include <unihist/base.h>

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

int cli_fail_library(void) { return cli_fail("%s", uh_last_error_info()->text); }
