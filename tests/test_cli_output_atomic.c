/* SPDX-License-Identifier: Apache-2.0 */
/* Output files appear only when whole, and nothing else is ever left behind. */
#define _XOPEN_SOURCE 700 /* SIGXFSZ's friends, symlink */
#include "tests/cli_files.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "api/cli/output/atomic.h"

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

UNIT_TEST(an_abort_leaves_nothing_and_keeps_the_file_that_was_there) {
    const char *path = files_path("a.csv");
    files_write("a.csv", "old", 3);
    struct cli_atomic *atomic = cli_atomic_open(path, NULL);
    fputs("new", cli_atomic_file(atomic));
    cli_atomic_abort(atomic);
    cli_atomic_abort(NULL);
    char *content = files_read(path, NULL);
    assert_string_equal(content, "old");
    free(content);
    assert_int_equal(files_count(1), 1);
}

UNIT_TEST(a_commit_keeps_the_permissions_of_the_file_it_replaces) {
    const char *path = files_path("a.csv");
    struct stat status;
    files_write("a.csv", "old", 3);
    assert_int_equal(chmod(path, 0640), 0);
    struct cli_atomic *atomic = cli_atomic_open(path, NULL);
    assert_int_equal(cli_atomic_commit(atomic, NULL), 0);
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0640);
    assert_int_equal(status.st_size, 0);
    files_count(1);
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

UNIT_TEST(a_link_is_kept_and_the_file_behind_it_replaced) {
    struct stat status;
    files_write("target.csv", "old", 3);
    assert_int_equal(symlink("target.csv", files_path("link.csv")), 0);
    struct cli_atomic *atomic = cli_atomic_open(files_path("link.csv"), NULL);
    fputs("new", cli_atomic_file(atomic));
    assert_int_equal(cli_atomic_commit(atomic, NULL), 0);
    assert_int_equal(lstat(files_path("link.csv"), &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    char *content = files_read(files_path("target.csv"), NULL);
    assert_string_equal(content, "new");
    free(content);
    assert_int_equal(files_count(1), 2);
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

UNIT_TEST(a_full_disk_is_an_error_and_leaves_the_old_file) {
    files_write("a.csv", "old", 3);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct rlimit small = {1000, 1000};
        struct cli_error error = {""};
        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &small);
        struct cli_atomic *atomic = cli_atomic_open(files_path("a.csv"), &error);
        for (int i = 0; i < 100000; i++)
            fputs("0123456789", cli_atomic_file(atomic));
        if (cli_atomic_commit(atomic, &error) != -1)
            _exit(1);
        _exit(strstr(error.text, files_path("a.csv")) && strstr(error.text, strerror(EFBIG)) ? 0 : 2);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    char *content = files_read(files_path("a.csv"), NULL);
    assert_string_equal(content, "old");
    free(content);
    assert_int_equal(files_count(1), 1);
}

UNIT_TEST(a_directory_that_cannot_be_written_to_is_named) {
    assert_int_equal(chmod(files_directory, 0555), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct cli_error error = {""};
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

UNIT_TEST(what_is_no_place_for_a_file_is_refused) {
    struct cli_error error;
    assert_int_equal(mkfifo(files_path("pipe.csv"), 0600), 0);
    assert_int_equal(symlink("nowhere", files_path("dangling.csv")), 0);
    const char *paths[] = {"missing/a.csv", "pipe.csv/a.csv", "pipe.csv", "dangling.csv", "", "."};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        error.text[0] = 0;
        assert_int_equal(cli_atomic_check(files_path(paths[i]), &error), -1);
        assert_non_null(strstr(error.text, files_path(paths[i])));
        assert_null(cli_atomic_open(files_path(paths[i]), &error));
    }
    assert_int_equal(cli_atomic_check("", &error), -1);
    assert_int_equal(files_count(1), 2);
}

UNIT_TEST(a_check_makes_no_file) {
    assert_int_equal(cli_atomic_check(files_path("a.csv"), NULL), 0);
    assert_int_equal(files_count(0), 0);
}

TEST_MAIN(test_cli_output_atomic) {
    return TEST_RUN(files_setup, files_teardown);
}
