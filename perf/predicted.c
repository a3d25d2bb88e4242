/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* memfd_create */
#include "perf/predicted.h"

#include <errno.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

int perf_is_of_gpu(size_t table) {
    const struct paper_device_text *device = table < PAPER_HISTOGRAMS ? paper_device_of(table) : NULL;
    return device == &paper_devices[PAPER_LAPTOP_GPU] || device == &paper_devices[PAPER_SERVER_GPU];
}

/* The program: model/unihist-model beside this one. Returns 0 where it is not there. */
static int find_model(char path[PATH_MAX]) {
    const char name[] = "model/unihist-model";
    const ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - sizeof name);
    if (length <= 0)
        return 0;
    path[length] = '\0';
    snprintf(strrchr(path, '/') + 1, sizeof name, "%s", name);
    return access(path, X_OK) == 0;
}

/* Runs it for a table; what it says goes to `output`. Returns its exit status, or -1. */
static int run_model(char *path, size_t table, int output) {
    char command[] = "tables", option[] = "--table", number[8];
    char *arguments[] = {path, command, option, number, NULL};
    posix_spawn_file_actions_t actions;
    pid_t child;
    int ended = 0;
    snprintf(number, sizeof number, "%s", paper_number(table));
    if (posix_spawn_file_actions_init(&actions))
        return -1;
    const int failed = posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO) ||
                       posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO) ||
                       posix_spawn(&child, path, &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed)
        return -1;
    pid_t got;
    do {
        got = waitpid(child, &ended, 0);
    } while (got < 0 && errno == EINTR);
    return got == child && WIFEXITED(ended) ? WEXITSTATUS(ended) : -1;
}

/* Takes a line "IV mesh 100 0.1 5270 local". Returns 0 where it is none of that table. */
static int take_line(struct perf_predicted *predicted, size_t table, const char *line) {
    static const char *const methods[PERF_PREDICTED_METHODS] = {"mesh", "auto"};
    char start[64];
    for (size_t m = 0; m < PERF_PREDICTED_METHODS; m++)
        for (size_t k = 0; k < PAPER_KS; k++)
            for (size_t h = 0; h < PAPER_HS; h++) {
                snprintf(start, sizeof start, "%s %s %zu %g ", paper_number(table), methods[m], paper_k[k], paper_h[h]);
                char *end = NULL;
                const int is_this = strncmp(line, start, strlen(start)) == 0;
                const double rate = is_this ? strtod(line + strlen(start), &end) : 0;
                if (is_this && *end == ' ' && rate > 0) {
                    predicted->rates[table][m][k][h] = rate;
                    return 1;
                }
            }
    return 0;
}

/* Takes all that was said of a table. Returns 0 where a figure is missing or a line is something else, which is in
 * `why` then. */
static int take_lines(struct perf_predicted *predicted, size_t table, FILE *said) {
    char line[512];
    size_t count = 0;
    rewind(said);
    while (fgets(line, sizeof line, said)) {
        if (!take_line(predicted, table, line)) {
            snprintf(predicted->why, sizeof predicted->why, "%.*s", (int)strcspn(line, "\n"), line);
            return 0;
        }
        count++;
    }
    snprintf(predicted->why, sizeof predicted->why, "unihist-model has told %zu figures of table %s", count,
             paper_number(table));
    return count == (size_t)PERF_PREDICTED_METHODS * PAPER_KS * PAPER_HS;
}

static int predict_table(struct perf_predicted *predicted, char *path, size_t table) {
    const int output = memfd_create("unihist-model", MFD_CLOEXEC);
    FILE *said = output >= 0 ? fdopen(output, "r+") : NULL;
    if (!said) {
        snprintf(predicted->why, sizeof predicted->why, "no file for what unihist-model says: %s", strerror(errno));
        if (output >= 0)
            close(output);
        return 0;
    }
    const int failed = run_model(path, table, output), good = take_lines(predicted, table, said) && !failed;
    fclose(said);
    return good;
}

void perf_predict(struct perf_predicted *predicted, unsigned tables) {
    char path[PATH_MAX];
    *predicted = (struct perf_predicted){.why = "there is no program model/unihist-model beside this one"};
    if (!find_model(path))
        return;
    predicted->why[0] = '\0';
    for (size_t table = 0; table < PAPER_HISTOGRAMS; table++)
        if ((tables >> table & 1) && perf_is_of_gpu(table) && !predict_table(predicted, path, table)) {
            memset(predicted->rates, 0, sizeof predicted->rates);
            return;
        }
    predicted->why[0] = '\0';
}
