/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file log.h
 * Log messages of the library, in addition to the results of its calls. They go to standard error if the environment
 * variable UNIHIST_LOG is set, otherwise nowhere; or to a function of the program.
 */
#ifndef UNIHIST_LOG_H
#define UNIHIST_LOG_H

#include <unihist/base.h>

UH_BEGIN_C

/** Level of a message; the values are stable. A level includes those before it. */
typedef enum uh_log_level {
    UH_LOG_OFF = 0,   /**< no messages */
    UH_LOG_ERROR = 1, /**< a call has failed: the message of uh_last_error */
    UH_LOG_WARN = 2,  /**< work goes on, but not as requested */
    UH_LOG_INFO = 3,  /**< devices, queues and modules */
    UH_LOG_TRACE = 4  /**< each submission, and each call of Level Zero with its result and nanoseconds */
} uh_log_level;

/** Names are off, error, warn, info and trace. */
UH_API const char *uh_log_level_name(uh_log_level level);
UH_API uh_status uh_log_level_from_name(const char *name, uh_log_level *level);

/**
 * Receives a message, a string without a newline, valid until the function returns. It is called by the thread that
 * logs, by several at once, in the middle of the library's work: it must not call the library, nor wait for a thread
 * that may be in a call of the library.
 */
typedef void (*uh_log_function)(uh_log_level level, const char *message, void *context);

/**
 * Sends messages to a function, whatever UNIHIST_LOG is, in the whole process. On return no thread is in the previous
 * function, and none will be: its context may be freed. Any thread may call this, but not from within a log function.
 *
 * @param level     messages of this level and those before it
 * @param function  receives them; NULL: standard error according to UNIHIST_LOG, the initial state, whatever `level` is
 * @param context   passed to the function; must stay valid until another function is set
 * @return UH_ERROR_INVALID_ARGUMENT for an invalid level
 */
UH_API uh_status uh_set_log(uh_log_level level, uh_log_function function, void *context);

UH_END_C

#endif
