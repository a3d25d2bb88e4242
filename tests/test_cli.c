/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of the command that its tests in Python cannot reach: handlers of signals, folders and sizes of output
 * files, and Stone's rule in pieces. */
#include "tests/files.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

#include "api/cli/extent.h"
#include "api/cli/output/output.h"
#include "tests/fixture.h"

#define NOBODY 65534

/* A program's or a library's own handler. */
static void leave_when_nothing_is_left(int number) {
    _exit(files_in(files_directory, NULL, 0) == 0 ? 40 + number : 92);
}

/* Installs a handler that runs within kill(), where it may call any function. */
static void handle(int number, void (*action)(int)) { signal(number, action); }

UNIT_TEST(another_handler_of_a_signal_comes_next) {
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        handle(SIGINT, leave_when_nothing_is_left);
        struct cli_atomic one, two;
        if (cli_atomic_open(&one, files_path("one.csv")) || cli_atomic_open(&two, files_path("two.csv")))
            _exit(90);
        if (files_in(files_directory, NULL, 0) != 2)
            _exit(91);
        kill(getpid(), SIGINT);
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 40 + SIGINT);
    assert_int_equal(files_in(files_directory, NULL, 0), 0);
}

UNIT_TEST(a_directory_that_cannot_be_written_to_is_named) {
    assert_int_equal(chmod(files_directory, 0555), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (getuid() == 0 && (setgid(NOBODY) != 0 || setuid(NOBODY) != 0))
            _exit(3);
        if (cli_atomic_check(files_path("a.csv"), 0) != -1 || !strstr(cli_error.text, files_directory) ||
            !strstr(cli_error.text, strerror(EACCES)))
            _exit(1);
        struct cli_atomic atomic;
        _exit(cli_atomic_open(&atomic, files_path("a.csv")) == 0 ? 2 : 0);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(chmod(files_directory, 0755), 0);
    assert_int_equal(status, 0);
    assert_int_equal(files_in(files_directory, NULL, 0), 0);
}

/* As many cells as are never read: what is too large is refused before. */
UNIT_TEST(an_archive_beyond_4_gib_is_refused) {
    static uint64_t counts[1];
    static const double edges[1] = {0};
    const struct cli_result result = {
        .naxes = 1, .axis[0].bins = (size_t)1 << 28, .axis[0].edges = edges, .counts = counts};
    assert_int_equal(cli_output_npz(NULL, &result), -1);
    assert_non_null(strstr(cli_error.text, "4 GiB"));
}

TEST_AROUND(test_cli, files_setup, files_teardown)
