/* SPDX-License-Identifier: Apache-2.0 */
/* UNIHIST_LOG, each time in a child process: it is read once. And programs that take the log. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <time.h>

#include <unihist/base.h>

#include "runtime/log.h"
#include "runtime/status.h"
#include "tests/fixture.h"

static void say_all(void) {
    uhi_log(UH_LOG_ERROR, "an %s", "error");
    uhi_log(UH_LOG_WARN, "a warning");
    uhi_log(UH_LOG_INFO, "an information");
    uhi_log(UH_LOG_TRACE, "a trace");
}

TEST_CHILD(levels) {
    say_all();
    uhi_log(UH_LOG_OFF, "never");
    printf("%d", (int)uhi_log_level());
    return 0;
}

/* A little of everything that the library can do, some of it wrong. */
TEST_CHILD(work) {
    uh_device *device = NULL;
    void *memory = NULL;
    assert_int_equal(uh_device_select("no such device", &device), UH_ERROR_NOT_FOUND);
    assert_int_equal(uh_device_get(SIZE_MAX, &device), UH_ERROR_INVALID_ARGUMENT);
    uh_queue *queue = test_queue(0, 0);
    test_good(uh_malloc(test_host(), UH_MEMORY_SHARED, 100, 0, &memory));
    test_good(uh_fill(queue, memory, "a", 1, 100, NULL));
    test_good(uh_free(memory));
    return 0;
}

TEST_CHILD(long) {
    char text[4096 - sizeof "uh_long: " + 1];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    uhi_fail(UH_ERROR_IO, "uh_long", NULL, "%s", text);
    return 0;
}

/* Writing to a closed standard error sets errno. */
TEST_CHILD(closed) {
    close(STDERR_FILENO);
    errno = 42;
    uhi_fail(UH_ERROR_IO, "uh_call", NULL, "unheard");
    return errno == 42 ? 0 : 1;
}

static const struct test_child *run(const char *mode, const char *level) {
    return test_expect_child(mode, TEST_ENVIRONMENT(level), 0, "", "");
}

/* Standard error contains this. */
static void logs(const char *mode, const char *level, const char *text) {
    test_expect_child(mode, TEST_ENVIRONMENT(level), 0, "", text);
}

UNIT_TEST(each_level_prints_itself_and_what_is_worse) {
    static const char *const lines[] = {"unihist: error: an error\n", "unihist: warn: a warning\n",
                                        "unihist: info: an information\n", "unihist: trace: a trace\n"};
    static const char *const levels[] = {"UNIHIST_LOG=error", "UNIHIST_LOG=warn", "UNIHIST_LOG=info",
                                         "UNIHIST_LOG=trace"};
    char expected[256] = "";
    size_t used = 0;
    for (size_t i = 0; i < 4; i++) {
        used += (size_t)snprintf(expected + used, sizeof expected - used, "%s", lines[i]);
        const struct test_child *child = run("levels", levels[i]);
        assert_string_equal(child->err, expected);
        assert_int_equal(child->out[0], '1' + (int)i);
    }
}

UNIT_TEST(nothing_is_printed_when_the_variable_is_unset_or_empty) {
    static const char *const unset[] = {"UNIHIST_LOG", "UNIHIST_LOG="};
    for (size_t i = 0; i < 2; i++) {
        const struct test_child *child = run("levels", unset[i]);
        assert_string_equal(child->err, "");
        assert_string_equal(child->out, "0");
        child = run("work", unset[i]);
        assert_string_equal(child->err, "");
        assert_string_equal(child->out, "");
    }
}

UNIT_TEST(another_text_is_warned_of_once_and_means_warn) {
    assert_string_equal(run("levels", "UNIHIST_LOG=loud")->err,
                        "unihist: warn: UNIHIST_LOG is \"loud\", expected error, warn, info or trace; using "
                        "warn\nunihist: error: an error\nunihist: warn: a warning\n");
}

UNIT_TEST(a_failed_call_is_logged_as_an_error_with_its_message_and_what_is_not_found_as_information) {
    logs("work", "UNIHIST_LOG=info", "unihist: info: uh_device_select: selector is \"no such device\"");
    const char *err = run("work", "UNIHIST_LOG=error")->err;
    assert_non_null(strstr(err, "unihist: error: uh_device_get: index is "));
    assert_non_null(strstr(err, "(invalid argument)\n"));
    assert_ptr_equal(strchr(err, '\n'), err + strlen(err) - 1);
}

UNIT_TEST(info_names_devices_and_queues_and_trace_names_submissions) {
    logs("work", "UNIHIST_LOG=info", "unihist: info: device host:0: ");
    logs("work", "UNIHIST_LOG=info", "unihist: info: queue on host:0 with ");
    assert_null(strstr(run("work", "UNIHIST_LOG=info")->err, "trace"));
    logs("work", "UNIHIST_LOG=trace", "unihist: trace: uh_malloc: 100 bytes at ");
    logs("work", "UNIHIST_LOG=trace", "unihist: trace: uh_fill: 100 bytes, ");
    logs("work", "UNIHIST_LOG=trace", "unihist: trace: uh_free: 100 bytes at ");
}

UNIT_TEST(the_longest_message_is_one_whole_line) {
    const char *err = run("long", "UNIHIST_LOG=error")->err;
    assert_int_equal(strspn(strchr(err, 'x'), "x"), 4095 - strlen("uh_long: "));
    assert_string_equal(strrchr(err, 'x') + 1, " (input or output failed)\n");
}

UNIT_TEST(a_log_that_cannot_be_written_changes_nothing) {
    assert_string_equal(run("closed", "UNIHIST_LOG=trace")->err, "");
}

static void print(uh_log_level level, const char *message, void *context) {
    printf("%s%s: %s\n", (const char *)context, uh_enum_name(UH_ENUM_LOG_LEVEL, level), message);
    errno = EDOM;
}

TEST_CHILD(taken) {
    static const uh_log_level levels[] = {UH_LOG_INFO, UH_LOG_WARN, UH_LOG_OFF};
    static char texts[][3] = {"1 ", "2 ", "2 "};
    for (size_t i = 0; i < 3; i++) {
        test_good(uh_set_log(levels[i], print, texts[i]));
        assert_int_equal(uhi_log_level(), levels[i]);
        errno = EBADF;
        say_all();
        assert_int_equal(errno, EBADF);
    }
    assert_int_equal(uh_set_log((uh_log_level)5, print, texts[0]), UH_ERROR_INVALID_ARGUMENT);
    say_all();
    test_good(uh_set_log(UH_LOG_TRACE, NULL, NULL));
    say_all();
    return 0;
}

UNIT_TEST(a_function_gets_its_level_with_any_variable_and_standard_error_has_it_afterwards) {
    const struct test_child *child = run("taken", "UNIHIST_LOG=error");
    assert_string_equal(child->out, "1 error: an error\n1 warn: a warning\n1 info: an information\n"
                                    "2 error: an error\n2 warn: a warning\n");
    assert_string_equal(child->err, "unihist: error: an error\n");
    assert_string_equal(run("taken", "UNIHIST_LOG")->err, "");
}

UNIT_TEST(a_level_out_of_range_is_refused) {
    test_invalid(uh_set_log((uh_log_level)5, print, NULL), "uh_set_log: level is 5");
    test_invalid(uh_set_log((uh_log_level)-1, print, NULL), "uh_set_log: level is -1");
}

static atomic_int ended; /* whether threads that log are to end */

static void *go_on_logging(void *unused) {
    while (!atomic_load(&ended))
        uhi_log(UH_LOG_WARN, "again");
    return unused;
}

/* The context is the number of calls, and negative once it has been taken away. */
static void count_call(uh_log_level level, const char *message, void *context) {
    atomic_long *calls = context;
    nanosleep(&(struct timespec){0, 50000}, NULL);
    if (level == UH_LOG_WARN && strcmp(message, "again") == 0 && atomic_load(calls) >= 0)
        atomic_fetch_add(calls, 1);
    else
        atomic_store(calls, -2000000); /* never again what it is left as */
}

UNIT_TEST(a_function_that_has_been_replaced_is_not_called_any_more) {
    enum { THREADS = 3, TIMES = 200 };
    pthread_t thread[THREADS];
    atomic_long calls[TIMES];
    atomic_store(&ended, 0);
    for (int i = 0; i < TIMES; i++)
        atomic_store(&calls[i], 0);
    test_good(uh_set_log(UH_LOG_WARN, count_call, &calls[0]));
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, go_on_logging, NULL), 0);
    for (int i = 0; i < TIMES; i++) {
        while (atomic_load(&calls[i]) == 0)
            sched_yield();
        if (i + 1 < TIMES)
            test_good(uh_set_log(UH_LOG_WARN, count_call, &calls[i + 1]));
        else
            test_good(uh_set_log(UH_LOG_OFF, NULL, NULL));
        assert_true(atomic_exchange(&calls[i], -1000000) > 0);
    }
    atomic_store(&ended, 1);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(thread[i], NULL), 0);
    for (int i = 0; i < TIMES; i++)
        assert_int_equal(atomic_load(&calls[i]), -1000000);
}

static sem_t has_started, may_end;

static void wait_within(uh_log_level level, const char *message, void *context) {
    sem_post(&has_started);
    sem_wait(&may_end);
}

static void *log_once(void *unused) {
    uhi_log(UH_LOG_WARN, "one");
    return unused;
}

UNIT_TEST(a_forked_process_does_not_wait_for_a_thread_that_it_has_not) {
    pthread_t thread;
    int status = 0;
    sem_init(&has_started, 0, 0);
    sem_init(&may_end, 0, 0);
    test_good(uh_set_log(UH_LOG_WARN, wait_within, NULL));
    assert_int_equal(pthread_create(&thread, NULL, log_once, NULL), 0);
    sem_wait(&has_started);
    const pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        alarm(20);
        _exit(uh_set_log(UH_LOG_OFF, NULL, NULL) == UH_SUCCESS ? 0 : 1);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    sem_post(&may_end);
    assert_int_equal(pthread_join(thread, NULL), 0);
    test_good(uh_set_log(UH_LOG_OFF, NULL, NULL));
    assert_int_equal(status, 0);
}
