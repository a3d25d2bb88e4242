/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support.h"

#include <pthread.h>
#include <time.h>

#include "tests/child.h"
#include "tests/splitmix.h"

#ifndef UNIHIST_TEST_DATA_DEFAULT
#define UNIHIST_TEST_DATA_DEFAULT "../shared/data"
#endif

static struct unit {
    const char *file;
    int line;
    struct CMUnitTest test;
} units[400];
static size_t nunits;

void test_list_unit(const char *file, int line, struct CMUnitTest test) {
    if (nunits == sizeof units / sizeof *units)
        abort();
    units[nunits++] = (struct unit){file, line, test};
}

static struct child {
    const char *file, *name;
    int (*run)(void);
} children[40];
static size_t nchildren;

void test_list_child(const char *file, const char *name, int (*run)(void)) {
    if (nchildren == sizeof children / sizeof *children)
        abort();
    children[nchildren++] = (struct child){file, name, run};
}

/* Whether a file is the one whose test runs. */
static int is_running_file(const char *file) {
    const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;
    const size_t length = strlen(test_running);
    return strncmp(name, test_running, length) == 0 && strcmp(name + length, ".c") == 0;
}

int (*test_child_named(const char *name))(void) {
    for (size_t i = 0; i < nchildren; i++)
        if (is_running_file(children[i].file) && strcmp(children[i].name, name) == 0)
            return children[i].run;
    return NULL;
}

static int by_line(const void *a, const void *b) {
    return ((const struct unit *)a)->line - ((const struct unit *)b)->line;
}

/* What the running unit test leaves to be ended. */
static pthread_mutex_t left_lock = PTHREAD_MUTEX_INITIALIZER;
static struct left {
    void *object;
    void (*end)(void *object);
    int first;
} left[2000];
static size_t nleft;
static int is_running;

static void *leave(void *object, void (*end)(void *object), int first) {
    pthread_mutex_lock(&left_lock);
    if (nleft == sizeof left / sizeof *left)
        abort();
    if (is_running)
        left[nleft++] = (struct left){object, end, first};
    pthread_mutex_unlock(&left_lock);
    return object;
}

void *test_at_end(void *object, void (*end)(void *object)) {
    return leave(object, end, 0);
}

void *test_at_end_first(void *object, void (*end)(void *object)) {
    return leave(object, end, 1);
}

void *test_take(void *object) {
    pthread_mutex_lock(&left_lock);
    size_t at = 0;
    while (at < nleft && left[at].object != object)
        at++;
    if (at < nleft)
        memmove(&left[at], &left[at + 1], (--nleft - at) * sizeof *left);
    pthread_mutex_unlock(&left_lock);
    return object;
}

static int begin_unit(void **state) {
    (void)state;
    nleft = 0;
    is_running = 1;
    return 0;
}

void *test_memory(size_t size) {
    void *memory = calloc(1, size ? size : 1);
    if (!memory)
        abort();
    return test_at_end(memory, free);
}

size_t test_left(void) {
    return nleft;
}

void test_end_from(size_t before) {
    for (int first = 1; first >= 0; first--)
        for (size_t i = nleft; i > before; i--)
            if (left[i - 1].first == first)
                left[i - 1].end(left[i - 1].object);
    nleft = before;
}

static int end_unit(void **state) {
    (void)state;
    is_running = 0;
    test_end_from(0);
    return 0;
}

int test_run_units(CMFixtureFunction set_up, CMFixtureFunction tear_down) {
    struct CMUnitTest of_file[sizeof units / sizeof *units];
    size_t count = 0;
    /* A compiler may run constructors in any order. */
    qsort(units, nunits, sizeof *units, by_line);
    for (size_t i = 0; i < nunits; i++)
        if (is_running_file(units[i].file)) {
            of_file[count] = units[i].test;
            of_file[count].setup_func = begin_unit;
            of_file[count++].teardown_func = end_unit;
        }
    if (count == 0) {
        printf("%s has no unit tests\n", test_running);
        return 1;
    }
    return _cmocka_run_group_tests("tests", of_file, count, set_up, tear_down);
}

const char *test_data_directory(void) {
    const char *directory = getenv("UNIHIST_TEST_DATA");
    if (!directory || !*directory)
        directory = UNIHIST_TEST_DATA_DEFAULT;
    return access(directory, R_OK | X_OK) == 0 ? directory : NULL;
}

int test_is_coarse(void) {
    return getenv("UNIHIST_TEST_COARSE") != NULL;
}

uint64_t test_turn(void) {
    const char *turn = getenv("UNIHIST_TEST_TURN");
    return turn ? strtoull(turn, NULL, 10) : 0;
}

size_t test_first_of(size_t step) {
    return test_is_coarse() ? (size_t)(test_turn() % step) : 0;
}

uint64_t test_random_u64(uint64_t *state) {
    return splitmix_next(state);
}

double test_random_f64(uint64_t *state) {
    return (double)(test_random_u64(state) >> 11) * 0x1p-53;
}

uint64_t test_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * UINT64_C(1000000000) + (uint64_t)t.tv_nsec;
}
