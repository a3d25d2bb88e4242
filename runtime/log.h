/* SPDX-License-Identifier: Apache-2.0 */
/* The log: lines on standard error up to the level in UNIHIST_LOG (none if unset or empty), or messages to the function
 * given to uh_set_log. */
#pragma once

#include <unihist/base.h>

extern const char *const uhi_log_level_names[UH_LOG_TRACE + 1];

/* Returns the level from uh_set_log or UNIHIST_LOG (read once), so that work needed only for the log can be skipped. */
uh_log_level uhi_log_level(void);

/* uh_set_log with a valid level. */
void uhi_log_set_function(uh_log_level level, uh_log_function function, void *context);

/* Writes "unihist: LEVEL: MESSAGE" as one line, or passes the message on, if the level is enabled. Keeps errno. */
__attribute__((format(printf, 2, 3))) void uhi_log(uh_log_level level, const char *format, ...);
