/* SPDX-License-Identifier: Apache-2.0 */
/* What every cmocka test needs: cmocka itself with the headers it wants first, those of C, and a few helpers. */
#pragma once

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* Callbacks do not use all of their parameters. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

#ifdef assert_uint_in_range /* cmocka 2 warns of the older name, and its newer one goes by signed numbers */
#undef assert_in_range
#define assert_in_range(value, least, most)                                                                            \
    _assert_uint_in_range((uintmax_t)(value), (uintmax_t)(least), (uintmax_t)(most), __FILE__, __LINE__)
#endif

/* One test among those of a file, test_NAME.c: `UNIT_TEST(what_is_so) { ... }`, where `state` is cmocka's. Several such
 * files are one program (program.c), which runs all of a file in their order. */
#define UNIT_TEST(name)                                                                                                \
    static void name(void **state);                                                                                    \
    __attribute__((constructor)) static void name##_is_listed(void) {                                                  \
        test_list_unit(__FILE__, __LINE__, (struct CMUnitTest)cmocka_unit_test(name));                                 \
    }                                                                                                                  \
    static void name(void **state)

/* What a file has instead of that where more is to be done: `TEST_MAIN(test_NAME) { ... }` returns the exit code, 77 to
 * skip; argv[0] is the program's path, and what follows is for the test. */
#define TEST_MAIN(name)                                                                                                \
    int name(int argc, char **argv);                                                                                   \
    int name(int argc, char **argv)

/* One that sets up before the first unit test and tears down after the last; a file has it or TEST_MAIN. */
#define TEST_AROUND(name, set_up, tear_down)                                                                           \
    TEST_MAIN(name) { return test_run_units(set_up, tear_down); }

/* What the test that runs does as a child of itself (test_run_child), asked for by that name: the exit code. */
#define TEST_CHILD(name)                                                                                               \
    static int child_##name(void);                                                                                     \
    __attribute__((constructor)) static void child_##name##_is_listed(void) {                                          \
        test_list_child(__FILE__, #name, child_##name);                                                                \
    }                                                                                                                  \
    static int child_##name(void)

void test_list_unit(const char *file, int line, struct CMUnitTest test);
void test_list_child(const char *file, const char *name, int (*run)(void));

/* Runs the unit tests of the selected file, as cmocka_run_group_tests does; a failure where it
 * has none. */
int test_run_units(CMFixtureFunction set_up, CMFixtureFunction tear_down);

/* Runs the child of that name in that file as a unit test, and returns its exit code; -1 if it is missing. */
int test_act_as_child(const char *name);

/* In a unit test or a child, has `end` called with an object when it is over, the last one first; elsewhere the caller
 * ends it. Returns the object. Any thread may call it. */
void *test_at_end(void *object, void (*end)(void *object));

/* The same before all of those: a queue, whose work may still use them. */
void *test_at_end_first(void *object, void (*end)(void *object));

/* Zeroed memory until then. */
void *test_memory(size_t size);

/* In a test of many rounds, ends what a round has left: test_end_from(before), with before = test_left() at its begin.
 */
size_t test_left(void);
void test_end_from(size_t before);

/* Takes an object back, as the test ends it itself: uh_free(test_take(memory)). */
void *test_take(void *object);

/* Runs `n` threads at once, each with the next of the arguments, of `size` bytes, and waits for them: the test fails
 * if one returns a text, which says what is wrong. */
void test_at_once(size_t n, void *(*function)(void *argument), void *arguments, size_t size);

/* Where data that no one here made lies ($UNIHIST_TEST_DATA, or shared/data next to the project), or NULL: the test
 * then skips, saying so. */
const char *test_data_directory(void);

/* Whether a coarse run is requested (UNIHIST_TEST_COARSE, which toolchain/test sets): every kind of case, few of each.
 */
int test_is_coarse(void);

/* Which of a coarse run's shares it is (UNIHIST_TEST_TURN, 0 by default): commits take turns, as toolchain/test sets
 * it. And of cases of which a coarse run takes every step-th, the first one, from 0; 0 in a full run. */
uint64_t test_turn(void);
size_t test_first_of(size_t step);

/* ---- the program itself again, as a child with other environment variables: for what the library reads once ---- */

/* The path of the program and the name of the test that this process runs, which a child gets; set by program.c. */
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

/* The same, for test_expect_child(mode, TEST_ENVIRONMENT("NAME=value"), ...): the test fails if the exit code is
 * another one, or if `out` or `err` is not in what the child printed, which is returned and valid until the next call.
 */
const struct test_child *test_expect_child(const char *mode, const char *const *environment, int exit_code,
                                           const char *out, const char *err);
#define TEST_ENVIRONMENT(...) ((const char *const[]){__VA_ARGS__, NULL})

/* Reads up to `room` numbers out of a text, with any text between them. Returns how many there are. */
size_t test_read_numbers(const char *text, unsigned long *numbers, size_t room);

/* ---- data, turns, skipping ---- */

/* Ends the unit test as skipped, and says why. */
#define skip_because(...)                                                                                              \
    do {                                                                                                               \
        print_message("skipped: " __VA_ARGS__);                                                                        \
        print_message("\n");                                                                                           \
        skip();                                                                                                        \
    } while (0)

/* A generator for test inputs (tests/splitmix.h). */
uint64_t test_random_u64(uint64_t *state);

/* Uniform in [0, 1). */
double test_random_f64(uint64_t *state);

/* Which of n elements comes where after they were shuffled; memory until the unit test ends. */
size_t *test_order(size_t n, uint64_t seed);

/* The order of doubles, for qsort. */
int test_ascending(const void *a, const void *b);

/* Fails the test unless a number is within a distance of another. */
void test_near(double got, double expected, double distance);
