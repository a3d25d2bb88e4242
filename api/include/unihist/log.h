/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file log.h
 * The log: what the library has to say beside what its calls return. It goes to standard error where UNIHIST_LOG in the
 * environment asks for it, else nowhere; or to a function of the program.
 */
#ifndef UNIHIST_LOG_H
#define UNIHIST_LOG_H

#include <unihist/base.h>

UH_BEGIN_C

/** What a message is about; the values are stable. A level includes those before it. */
typedef enum uh_log_level {
    UH_LOG_OFF = 0,   /**< no message */
    UH_LOG_ERROR = 1, /**< a call has failed: what uh_last_error tells */
    UH_LOG_WARN = 2,  /**< work goes on, but not as it was asked for */
    UH_LOG_INFO = 3,  /**< which devices, queues and modules there are */
    UH_LOG_TRACE = 4  /**< each submission, and each call of Level Zero with its result and its nanoseconds */
} uh_log_level;

/** Names are off, error, warn, info and trace. */
UH_API const char *uh_log_level_name(uh_log_level level);
UH_API uh_status uh_log_level_from_name(const char *name, uh_log_level *level);

/**
 * Takes a message, a text without an end of line that is lent until it returns. The thread that has something to tell
 * calls it, several at once, in the midst of the library's work: it must not call the library, nor wait for a thread
 * that may be in a call of the library.
 */
typedef void (*uh_log_function)(uh_log_level level, const char *message, void *context);

/**
 * Gives messages to a function, whatever UNIHIST_LOG is, in the whole process. On return no thread is in the function
 * that had them before, and none will be: its context may go. Any thread may call this, but not from within a function
 * that takes messages.
 *
 * @param level     messages of this level and those before it
 * @param function  what takes them; NULL: standard error as UNIHIST_LOG asks, as it is at first, whatever `level` is
 * @param context   what the function is given; lent until another takes its place
 * @return UH_ERROR_INVALID_ARGUMENT for a level that is none
 */
UH_API uh_status uh_set_log(uh_log_level level, uh_log_function function, void *context);

UH_END_C

#endif
