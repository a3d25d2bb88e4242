/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* for environ and pipe2 */
#include "tests/support.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <spawn.h>
#include <sys/wait.h>

#include "tests/splitmix.h"

#ifndef UNIHIST_TEST_DATA_DEFAULT
#define UNIHIST_TEST_DATA_DEFAULT "../shared/data"
#endif

const char *test_program = "", *test_running = "";

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

static struct listed_child {
    const char *file, *name;
    int (*run)(void);
} children[40];
static size_t nchildren;

void test_list_child(const char *file, const char *name, int (*run)(void)) {
    if (nchildren == sizeof children / sizeof *children)
        abort();
    children[nchildren++] = (struct listed_child){file, name, run};
}

/* Whether a file is the one whose test runs. */
static int is_running_file(const char *file) {
    const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;
    const size_t length = strlen(test_running);
    return strncmp(name, test_running, length) == 0 && strcmp(name + length, ".c") == 0;
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

void *test_at_end(void *object, void (*end)(void *object)) { return leave(object, end, 0); }

void *test_at_end_first(void *object, void (*end)(void *object)) { return leave(object, end, 1); }

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

size_t test_left(void) { return nleft; }

void test_end_from(size_t before) {
    for (int first = 1; first >= 0; first--)
        for (size_t i = nleft; i > before; i--)
            if (left[i - 1].first == first)
                left[i - 1].end(left[i - 1].object);
    nleft = before;
}

static int end_unit(void **state) {
    is_running = 0;
    test_end_from(0);
    return 0;
}

int test_act_as_child(const char *name) {
    for (size_t i = 0; i < nchildren; i++)
        if (is_running_file(children[i].file) && strcmp(children[i].name, name) == 0) {
            (void)begin_unit(NULL);
            const int code = children[i].run();
            (void)end_unit(NULL);
            return code;
        }
    return -1;
}

void test_at_once(size_t n, void *(*function)(void *argument), void *arguments, size_t size) {
    pthread_t *threads = test_memory(n * sizeof *threads);
    void *wrong = NULL, *returned;
    for (size_t i = 0; i < n; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, function, (char *)arguments + i * size), 0);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(pthread_join(threads[i], &returned), 0);
        wrong = returned ? returned : wrong;
    }
    free(test_take(threads));
    if (wrong)
        fail_msg("a thread fails: %s", (const char *)wrong);
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

int test_is_coarse(void) { return getenv("UNIHIST_TEST_COARSE") != NULL; }

uint64_t test_turn(void) {
    const char *turn = getenv("UNIHIST_TEST_TURN");
    return turn ? strtoull(turn, NULL, 10) : 0;
}

size_t test_first_of(size_t step) { return test_is_coarse() ? (size_t)(test_turn() % step) : 0; }

uint64_t test_random_u64(uint64_t *state) { return splitmix_next(state); }

double test_random_f64(uint64_t *state) { return (double)(test_random_u64(state) >> 11) * 0x1p-53; }

int test_ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void test_near(double got, double expected, double distance) {
    if (!(fabs(got - expected) <= distance))
        fail_msg("%.17g is not within %g of %.17g", got, distance, expected);
}

size_t *test_order(size_t n, uint64_t seed) {
    size_t *order = test_memory(n * sizeof *order);
    for (size_t i = 0; i < n; i++) {
        const size_t j = (size_t)(test_random_u64(&seed) % (i + 1));
        order[i] = order[j];
        order[j] = i;
    }
    return order;
}

/* ---- the program as a child of itself ---- */

/* Whether one of `settings`, "NAME=value" or "NAME", is of the same variable. */
static int is_among(const char *const *settings, const char *variable) {
    const size_t length = strcspn(variable, "=");
    while (*settings && (strncmp(*settings, variable, length) != 0 || strcspn(*settings, "=") != length))
        settings++;
    return *settings != NULL;
}

/* This process's variables as `settings` change them, of which the last one of a name counts. Returns NULL without
 * memory; the texts are those of the process and the settings. */
static const char **changed_environment(const char *const *settings) {
    static const char *const always[] = {"UNIHIST_TEST_CHILD=1", NULL};
    size_t size = 2, used = 0;
    for (char **variable = environ; *variable; variable++)
        size++;
    for (const char *const *setting = settings; *setting; setting++)
        size++;
    const char **list = malloc(size * sizeof *list);
    if (!list)
        return NULL;
    list[used++] = always[0];
    for (char **variable = environ; *variable; variable++)
        if (!is_among(settings, *variable) && !is_among(always, *variable))
            list[used++] = *variable;
    for (; *settings; settings++)
        if (strchr(*settings, '=') && !is_among(settings + 1, *settings))
            list[used++] = *settings;
    list[used] = NULL;
    return list;
}

/* Reads both pipes to their ends, so that the child never waits for a full one. */
static void read_both(const int *ends, struct test_child *child) {
    char *texts[2] = {child->out, child->err};
    size_t used[2] = {0, 0};
    struct pollfd polled[2] = {{ends[0], POLLIN, 0}, {ends[1], POLLIN, 0}};
    while (polled[0].fd >= 0 || polled[1].fd >= 0) {
        if (poll(polled, 2, -1) < 0)
            break;
        for (int i = 0; i < 2; i++) {
            char buffer[1024];
            if (polled[i].fd < 0 || !polled[i].revents)
                continue;
            ssize_t n = read(polled[i].fd, buffer, sizeof buffer);
            if (n <= 0) {
                polled[i].fd = -1;
                continue;
            }
            size_t room = sizeof child->out - 1 - used[i];
            size_t kept = (size_t)n < room ? (size_t)n : room;
            memcpy(texts[i] + used[i], buffer, kept);
            used[i] += kept;
        }
    }
}

/* Not by fork(): a thread of a driver may hold a lock of the sanitizers' malloc, which the child would wait for. */
static int start(const char *mode, const char *const *environment, const int *ends, pid_t *pid) {
    const char *const arguments[] = {test_program, test_running, mode, NULL};
    const char **const variables = changed_environment(environment);
    posix_spawn_file_actions_t actions;
    if (!variables)
        return ENOMEM;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[0], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
    const int failed = posix_spawn(pid, test_program, &actions, NULL, (char *const *)(uintptr_t)arguments,
                                   (char *const *)(uintptr_t)variables);
    posix_spawn_file_actions_destroy(&actions);
    free(variables);
    return failed;
}

void test_run_child(const char *mode, const char *const *environment, struct test_child *child) {
    int out[2], err[2], status = 0;
    pid_t pid;
    memset(child, 0, sizeof *child);
    child->exit_code = -1;
    if (pipe2(out, O_CLOEXEC) != 0)
        return;
    if (pipe2(err, O_CLOEXEC) != 0) {
        close(out[0]);
        close(out[1]);
        return;
    }
    const int failed = start(mode, environment, (const int[]){out[1], err[1]}, &pid);
    close(out[1]);
    close(err[1]);
    if (!failed) {
        read_both((const int[]){out[0], err[0]}, child);
        if (waitpid(pid, &status, 0) == pid && WIFEXITED(status))
            child->exit_code = WEXITSTATUS(status);
    }
    close(out[0]);
    close(err[0]);
}

const struct test_child *test_expect_child(const char *mode, const char *const *environment, int exit_code,
                                           const char *out, const char *err) {
    static struct test_child child;
    test_run_child(mode, environment, &child);
    if (child.exit_code != exit_code || !strstr(child.out, out) || !strstr(child.err, err))
        fail_msg("%s, %s: exit code %d, expected %d and \"%s\", \"%s\" in:\n%s%s", mode, *environment, child.exit_code,
                 exit_code, out, err, child.out, child.err);
    return &child;
}

size_t test_read_numbers(const char *text, unsigned long *numbers, size_t room) {
    size_t count = 0;
    while (*text) {
        if (*text < '0' || *text > '9') {
            text++;
            continue;
        }
        char *end = NULL;
        unsigned long number = strtoul(text, &end, 10);
        if (count < room)
            numbers[count] = number;
        count++;
        text = end;
    }
    return count;
}
