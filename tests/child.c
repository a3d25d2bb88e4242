/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/child.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

const char *test_program = "", *test_running = "";

static void become(const char *mode, const char *const *environment) {
    for (; *environment; environment++) {
        const char *value = strchr(*environment, '=');
        char name[64] = "";
        if (!value) {
            unsetenv(*environment);
        } else if ((size_t)(value - *environment) < sizeof name) {
            memcpy(name, *environment, (size_t)(value - *environment));
            setenv(name, value + 1, 1);
        }
    }
    setenv("UNIHIST_TEST_CHILD", "1", 1);
    execl(test_program, test_program, test_running, mode, (char *)NULL);
    _exit(127);
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

void test_run_child(const char *mode, const char *const *environment, struct test_child *child) {
    int out[2], err[2], status = 0;
    memset(child, 0, sizeof *child);
    child->exit_code = -1;
    if (pipe(out) != 0 || pipe(err) != 0)
        return;
    pid_t pid = fork();
    if (pid == 0) {
        dup2(out[1], STDOUT_FILENO);
        dup2(err[1], STDERR_FILENO);
        close(out[0]);
        close(out[1]);
        close(err[0]);
        close(err[1]);
        become(mode, environment);
    }
    close(out[1]);
    close(err[1]);
    if (pid > 0) {
        const int ends[2] = {out[0], err[0]};
        read_both(ends, child);
        if (waitpid(pid, &status, 0) == pid && WIFEXITED(status))
            child->exit_code = WEXITSTATUS(status);
    }
    close(out[0]);
    close(err[0]);
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
