/* SPDX-License-Identifier: Apache-2.0 */
/* UNIHIST_LOG, each time in a child process: it is read once. */
#include "tests/support.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <unihist/kernel.h>

#include "runtime/log.h"
#include "runtime/status.h"
#include "tests/child.h"

TEST_CHILD(levels) {
    uhi_log(UHI_LOG_ERROR, "an %s", "error");
    uhi_log(UHI_LOG_WARN, "a warning");
    uhi_log(UHI_LOG_INFO, "an information");
    uhi_log(UHI_LOG_TRACE, "a trace");
    uhi_log(UHI_LOG_OFF, "never");
    printf("%d", (int)uhi_log_level());
    return 0;
}

/* A little of everything that the library can do, some of it wrong. */
TEST_CHILD(work) {
    uh_device *device = NULL;
    uh_queue *queue = NULL;
    void *memory = NULL;
    const char zero = 0;
    int failures = uh_device_select("no such device", &device) != UH_ERROR_NOT_FOUND;
    failures += uh_device_select("host", &device) != UH_SUCCESS;
    failures += uh_queue_create(device, NULL, &queue) != UH_SUCCESS;
    failures += uh_malloc(device, UH_MEMORY_SHARED, 100, 0, &memory) != UH_SUCCESS;
    failures += uh_fill(queue, memory, &zero, 1, 100, NULL, 0, NULL) != UH_SUCCESS;
    failures += uh_free(memory) != UH_SUCCESS;
    failures += uh_queue_destroy(queue) != UH_SUCCESS;
    return failures;
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

static void run(const char *mode, const char *level, struct test_child *child) {
    const char *environment[] = {level, NULL};
    test_run_child(mode, environment, child);
    assert_int_equal(child->exit_code, 0);
}

UNIT_TEST(each_level_prints_itself_and_what_is_worse) {
    static const char *const lines[] = {"unihist: error: an error\n", "unihist: warn: a warning\n",
                                        "unihist: info: an information\n", "unihist: trace: a trace\n"};
    static const char *const levels[] = {"UNIHIST_LOG=error", "UNIHIST_LOG=warn", "UNIHIST_LOG=info",
                                         "UNIHIST_LOG=trace"};
    char expected[256] = "";
    size_t used = 0;
    for (size_t i = 0; i < 4; i++) {
        struct test_child child;
        used += (size_t)snprintf(expected + used, sizeof expected - used, "%s", lines[i]);
        run("levels", levels[i], &child);
        assert_string_equal(child.err, expected);
        assert_int_equal(child.out[0], '1' + (int)i);
    }
}

UNIT_TEST(nothing_is_printed_when_the_variable_is_unset_or_empty) {
    static const char *const unset[] = {"UNIHIST_LOG", "UNIHIST_LOG="};
    for (size_t i = 0; i < 2; i++) {
        struct test_child child;
        run("levels", unset[i], &child);
        assert_string_equal(child.err, "");
        assert_string_equal(child.out, "0");
        run("work", unset[i], &child);
        assert_string_equal(child.err, "");
        assert_string_equal(child.out, "");
    }
}

UNIT_TEST(another_text_is_warned_of_once_and_means_warn) {
    struct test_child child;
    run("levels", "UNIHIST_LOG=loud", &child);
    assert_string_equal(child.err, "unihist: warn: UNIHIST_LOG is \"loud\", expected error, warn, info or trace; using "
                                   "warn\nunihist: error: an error\nunihist: warn: a warning\n");
}

UNIT_TEST(a_failed_call_is_logged_as_an_error_with_its_message) {
    struct test_child child;
    run("work", "UNIHIST_LOG=error", &child);
    assert_non_null(strstr(child.err, "unihist: error: uh_device_select: selector is \"no such device\""));
    assert_non_null(strstr(child.err, "(not found)\n"));
    assert_ptr_equal(strchr(child.err, '\n'), child.err + strlen(child.err) - 1);
}

UNIT_TEST(info_names_devices_and_queues_and_trace_names_submissions) {
    struct test_child child;
    run("work", "UNIHIST_LOG=info", &child);
    assert_non_null(strstr(child.err, "unihist: info: device host:0: "));
    assert_non_null(strstr(child.err, "unihist: info: queue on host:0 with "));
    assert_null(strstr(child.err, "trace"));
    run("work", "UNIHIST_LOG=trace", &child);
    assert_non_null(strstr(child.err, "unihist: trace: uh_malloc: 100 bytes at "));
    assert_non_null(strstr(child.err, "unihist: trace: uh_fill: 100 bytes, "));
    assert_non_null(strstr(child.err, "unihist: trace: uh_free: 100 bytes at "));
}

UNIT_TEST(the_longest_message_is_one_whole_line) {
    struct test_child child;
    run("long", "UNIHIST_LOG=error", &child);
    assert_int_equal(strspn(strchr(child.err, 'x'), "x"), 4095 - strlen("uh_long: "));
    assert_string_equal(strrchr(child.err, 'x') + 1, " (input or output failed)\n");
}

UNIT_TEST(a_log_that_cannot_be_written_changes_nothing) {
    struct test_child child;
    run("closed", "UNIHIST_LOG=trace", &child);
    assert_string_equal(child.err, "");
}
