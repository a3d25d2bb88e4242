/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* for environ and pipe2 */
#include "tests/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

const char *test_program = "", *test_running = "";

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
