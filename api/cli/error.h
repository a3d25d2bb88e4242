/* SPDX-License-Identifier: Apache-2.0 */
/* Error reports of the command's parts: a text for the user, printed once, by main. A function with a struct cli_error
 * returns 0, or -1 with a message there, unless its comment says otherwise. */
#pragma once

/* Exit statuses of the command. */
enum cli_exit { CLI_OK = 0, CLI_FAILURE = 1, CLI_USAGE = 2 };

struct cli_error {
    char text[1024];
    int usage;     /* the command line is wrong */
    int is_shared; /* all processes know it (group.h) */
};

/* Stores the text and returns -1, for `return cli_fail(error, ...)`. `error` may be NULL. */
__attribute__((format(printf, 2, 3))) int cli_fail(struct cli_error *error, const char *format, ...);

#ifdef __clang_analyzer__ /* it analyses one file at a time, so it cannot see in error.c that this is never 0 */
#define cli_fail(...) (cli_fail(__VA_ARGS__), -1)
#endif

/* Marks the last failure as an invalid command line; returns -1. */
static inline int cli_as_usage(struct cli_error *error) {
    if (error)
        error->usage = 1;
    return -1;
}

/* cli_fail for an invalid command line. */
#define cli_usage(error, ...) (cli_fail(error, __VA_ARGS__), cli_as_usage(error))

/* Stores the library's last message, without the name of the call, and returns -1. */
int cli_fail_library(struct cli_error *error);
