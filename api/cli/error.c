/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/error.h"

#include <stdarg.h>
#include <stdio.h>

#include <unihist/base.h>

int(cli_fail)(struct cli_error *error, const char *format, ...) {
    if (error) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(error->text, sizeof error->text, format, arguments);
        va_end(arguments);
        error->usage = error->is_shared = 0;
    }
    return -1;
}

int cli_fail_library(struct cli_error *error) { return cli_fail(error, "%s", uh_last_error_info()->text); }
