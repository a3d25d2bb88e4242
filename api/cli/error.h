/* SPDX-License-Identifier: Apache-2.0 */
/* The command's last failure: a text for the user, printed once, by cli_main. Functions return 0, or -1 with a message
 * there, unless their comments say otherwise. */
#pragma once

#include <stddef.h>

enum cli_exit { CLI_OK = 0, CLI_FAILURE = 1, CLI_USAGE = 2 };

struct cli_error {
    char text[1024];
    int usage;     /* the command line is wrong */
    int is_shared; /* all processes know it (group.h) */
};
extern _Thread_local struct cli_error cli_error; /* of this thread */

/* Stores the text, which may contain the last one, and returns -1, for `return cli_fail(...)`. */
__attribute__((format(printf, 1, 2))) int cli_fail(const char *format, ...);

#ifdef __clang_analyzer__ /* it analyses one file at a time, so it cannot see in error.c that this is never 0 */
#define cli_fail(...) (cli_fail(__VA_ARGS__), -1)
#endif

/* Marks the last failure as an invalid command line; returns -1. */
static inline int cli_as_usage(void) {
    cli_error.usage = 1;
    return -1;
}

#define cli_usage(...) (cli_fail(__VA_ARGS__), cli_as_usage())

/* Returns the memory; if it is NULL, ends the command with a message, as cli_interrupt_end does. */
__attribute__((returns_nonnull)) void *cli_have(void *memory);

/* Returns memory at the begin of a cache line, or ends the command. */
void *cli_aligned(size_t bytes);

/* Returns a formatted text, which the caller frees. */
__attribute__((format(printf, 1, 2))) char *cli_format(const char *format, ...);

/* Appends a formatted text to a text in `size` bytes, after `between` unless that text is empty, and cuts it to fit. */
__attribute__((format(printf, 4, 5))) void cli_append(char *text, size_t size, const char *between, const char *format,
                                                      ...);

/* Stores the library's last message, without the name of the call, and returns -1. */
int cli_fail_library(void);

/* Prints "unihist COMMAND: warning: TEXT" to standard error, once for all processes. */
__attribute__((format(printf, 1, 2))) void cli_warn(const char *format, ...);
