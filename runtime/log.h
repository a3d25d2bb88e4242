/* SPDX-License-Identifier: Apache-2.0 */
/* The log: lines on standard error, as many as UNIHIST_LOG asks for; none when it is unset or empty. */
#ifndef UHI_LOG_H
#define UHI_LOG_H

enum uhi_log_level { UHI_LOG_OFF = 0, UHI_LOG_ERROR = 1, UHI_LOG_WARN = 2, UHI_LOG_INFO = 3, UHI_LOG_TRACE = 4 };

/* Returns the level that UNIHIST_LOG asks for, read once: for work that is done only to be logged. */
enum uhi_log_level uhi_log_level(void);

/* Writes "unihist: LEVEL: MESSAGE" as one line if the level is asked for. Keeps errno. */
__attribute__((format(printf, 2, 3))) void uhi_log(enum uhi_log_level level, const char *format, ...);

#endif
