/* SPDX-License-Identifier: Apache-2.0 */
/* The log: lines on standard error, as many as UNIHIST_LOG asks for; none when it is unset or empty. Or messages to
 * what uh_set_log was given. */
#ifndef UHI_LOG_H
#define UHI_LOG_H

#include <unihist/log.h>

enum uhi_log_level {
    UHI_LOG_OFF = UH_LOG_OFF,
    UHI_LOG_ERROR = UH_LOG_ERROR,
    UHI_LOG_WARN = UH_LOG_WARN,
    UHI_LOG_INFO = UH_LOG_INFO,
    UHI_LOG_TRACE = UH_LOG_TRACE
};

extern const char *const uhi_log_level_names[UHI_LOG_TRACE + 1];

/* Returns the level that uh_set_log or UNIHIST_LOG, read once, asks for: for work that is done only to be logged. */
enum uhi_log_level uhi_log_level(void);

/* uh_set_log, of a level that is one. */
void uhi_log_give(uh_log_level level, uh_log_function function, void *context);

/* Writes "unihist: LEVEL: MESSAGE" as one line, or hands the message on, if the level is asked for. Keeps errno. */
__attribute__((format(printf, 2, 3))) void uhi_log(enum uhi_log_level level, const char *format, ...);

#endif
