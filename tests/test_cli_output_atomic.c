/* SPDX-License-Identifier: Apache-2.0 */
/* Output files appear only when whole, and nothing else is ever left behind. */
#define _XOPEN_SOURCE 700 /* SIGXFSZ's friends, symlink */
#include "tests/files.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "api/cli/output/atomic.h"
#include "api/cli/output/output.h"

#define NOBODY 65534

UNIT_TEST(nothing_is_there_under_the_name_before_the_commit) {
    const char *path = files_path("a.csv");
    struct cli_atomic *atomic = cli_atomic_open(path, NULL);
    assert_non_null(atomic);
    fputs("whole\n", cli_atomic_file(atomic));
    fflush(cli_atomic_file(atomic));
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(cli_atomic_commit(atomic, NULL), 0);
    char *content = files_read(path, NULL);
    assert_string_equal(content, "whole\n");
    free(content);
    assert_int_equal(files_count(1), 1);
}

UNIT_TEST(a_new_file_has_the_permissions_that_the_mask_leaves) {
    struct stat status;
    mode_t mask = umask(027);
    struct cli_atomic *atomic = cli_atomic_open(files_path("a.csv"), NULL);
    assert_int_equal(cli_atomic_commit(atomic, NULL), 0);
    umask(mask);
    assert_int_equal(stat(files_path("a.csv"), &status), 0);
    assert_int_equal(status.st_mode & 0777, 0640);
    files_count(1);
}

/* A program's or a library's own handler. */
static void leave_when_nothing_is_left(int number) {
    _exit(files_count(0) == 0 ? 40 + number : 92);
}

/* In a child: opens two files, writes, and dies of `number`, which `action` handled before. Returns how it ended. */
static int die_of(int number, void (*action)(int)) {
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct rlimit none = {0, 0};
        setrlimit(RLIMIT_CORE, &none);
        signal(number, action);
        struct cli_atomic *first = cli_atomic_open(files_path("one.csv"), NULL);
        struct cli_atomic *second = cli_atomic_open(files_path("two.csv"), NULL);
        if (!first || !second)
            _exit(90);
        fputs("half", cli_atomic_file(first));
        fflush(cli_atomic_file(first));
        if (files_count(0) != 2)
            _exit(91);
        kill(getpid(), number);
        cli_atomic_abort(first);
        cli_atomic_abort(second);
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

UNIT_TEST(a_signal_leaves_nothing_and_still_kills) {
    static const int numbers[] = {SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM, SIGXCPU, SIGXFSZ};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        int status = die_of(numbers[i], SIG_DFL);
        assert_true(WIFSIGNALED(status));
        assert_int_equal(WTERMSIG(status), numbers[i]);
        assert_int_equal(files_count(1), 0);
    }
}

UNIT_TEST(an_ignored_signal_stays_ignored) {
    int status = die_of(SIGHUP, SIG_IGN);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_int_equal(files_count(1), 0);
}

UNIT_TEST(another_handler_of_a_signal_comes_next) {
    int status = die_of(SIGINT, leave_when_nothing_is_left);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 40 + SIGINT);
    assert_int_equal(files_count(1), 0);
}

UNIT_TEST(the_signals_are_as_before_when_no_file_is_open) {
    struct sigaction action;
    cli_atomic_abort(cli_atomic_open(files_path("a.csv"), NULL));
    assert_int_equal(sigaction(SIGINT, NULL, &action), 0);
    assert_true(action.sa_handler == SIG_DFL);
}

UNIT_TEST(a_directory_that_cannot_be_written_to_is_named) {
    assert_int_equal(chmod(files_directory, 0555), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct cli_error error = {.text = ""};
        if (getuid() == 0 && (setgid(NOBODY) != 0 || setuid(NOBODY) != 0))
            _exit(3);
        if (cli_atomic_check(files_path("a.csv"), &error) != -1 || !strstr(error.text, files_directory) ||
            !strstr(error.text, strerror(EACCES)))
            _exit(1);
        _exit(cli_atomic_open(files_path("a.csv"), &error) ? 2 : 0);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(chmod(files_directory, 0755), 0);
    assert_int_equal(status, 0);
    assert_int_equal(files_count(1), 0);
}

/* As many cells as are never read: what is too large is refused before. */
UNIT_TEST(an_archive_beyond_4_gib_is_refused) {
    static uint64_t counts[1];
    static const double edges[1] = {0};
    const struct cli_result result = {
        .naxes = 1, .axis[0].bins = (size_t)1 << 28, .axis[0].edges = edges, .counts = counts};
    struct cli_error error = {.text = ""};
    assert_int_equal(cli_output_npz(NULL, &result, &error), -1);
    assert_non_null(strstr(error.text, "4 GiB"));
}

TEST_AROUND(test_cli_output_atomic, files_setup, files_teardown)
