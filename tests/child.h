/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the test program itself again as a child, with other environment variables, and keeps what it prints: for what
 * the library reads from the environment once. */
#ifndef TEST_CHILD_H
#define TEST_CHILD_H

#include <stddef.h>

/* The path of the program and the name of the test that this process runs, which a child is told; set by program.c. */
extern const char *test_program, *test_running;

/* What the child printed, cut to fit, and its exit code (-1: it was killed or could not run). */
struct test_child {
    int exit_code;
    char out[8192];
    char err[8192];
};

/* Runs `PROGRAM TEST MODE` with the variables of `environment` ("NAME=value"; "NAME" alone unsets; NULL ends the list):
 * the test's TEST_CHILD(MODE), or its TEST_MAIN with that argument. */
void test_run_child(const char *mode, const char *const *environment, struct test_child *child);

/* Reads up to `room` numbers out of a text, whatever stands between them. Returns how many there are. */
size_t test_read_numbers(const char *text, unsigned long *numbers, size_t room);

#endif
