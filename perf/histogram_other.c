/* SPDX-License-Identifier: Apache-2.0 */
/* The benchmark in a process of its own, for a level of x86-64 that is chosen when the library is loaded. */
#define _GNU_SOURCE /* environ */
#include "perf/histogram_goals.h"

#include <cjson/cJSON.h>

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define VARIABLE "UNIHIST_ISA"

/* The environment with the level in it; the caller frees the array, not what it points to. */
static char **make_environment(char *setting) {
    size_t count = 0, kept = 0;
    while (environ[count])
        count++;
    char **made = calloc(count + 2, sizeof *made);
    if (!made)
        return NULL;
    for (size_t i = 0; i < count; i++)
        if (strncmp(environ[i], VARIABLE "=", sizeof VARIABLE) != 0)
            made[kept++] = environ[i];
    made[kept] = setting;
    return made;
}

/* Starts the program with the pipe's end `output` as its descriptor 3. Returns 0 or an error number. */
static int start(const char *program, char *const *arguments, char *const *environment, int output, pid_t *child) {
    posix_spawn_file_actions_t actions;
    int failed = posix_spawn_file_actions_init(&actions);
    if (failed)
        return failed;
    failed = posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    if (!failed)
        failed = posix_spawn_file_actions_adddup2(&actions, output, 3);
    if (!failed)
        failed = posix_spawn(child, program, &actions, NULL, arguments, environment);
    posix_spawn_file_actions_destroy(&actions);
    return failed;
}

/* Reads to the end; NULL where memory is lacking. The caller frees it. */
static char *read_all(int input) {
    size_t size = 1 << 16, used = 0;
    char *text = malloc(size);
    while (text) {
        ssize_t got = read(input, text + used, size - used - 1);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        used += (size_t)got;
        if (used + 1 == size) {
            char *grown = realloc(text, size *= 2);
            if (!grown)
                free(text);
            text = grown;
        }
    }
    if (text)
        text[used] = '\0';
    return text;
}

static int take_results(const char *text, struct histogram_other *other, struct perf_error *error) {
    cJSON *root = cJSON_Parse(text);
    const cJSON *item;
    cJSON_ArrayForEach(item, cJSON_GetObjectItem(root, "benchmarks")) {
        const cJSON *name = cJSON_GetObjectItem(item, "name"), *rate = cJSON_GetObjectItem(item, "items_per_second");
        if (!cJSON_IsString(name) || !cJSON_IsNumber(rate) ||
            other->count == sizeof other->result / sizeof *other->result)
            break;
        snprintf(other->result[other->count].name, PERF_NAME_MAX, "%s", name->valuestring);
        other->result[other->count++].rate = rate->valuedouble;
    }
    cJSON_Delete(root);
    return other->count ? PERF_OK : perf_fail(error, "the process with another " VARIABLE " told no results");
}

/* Waits for the child, whose own message is on standard error where it failed. */
static int end(pid_t child, struct perf_error *error) {
    int status = 0;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return perf_fail(error, "cannot wait for the process with another " VARIABLE ": %s", strerror(errno));
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        return perf_fail(error, "the process with another " VARIABLE " failed");
    return PERF_OK;
}

int histogram_other_run(const struct histogram_bench *bench, const char *isa, size_t n, double h,
                        struct histogram_other *other, struct perf_error *error) {
    char program[sizeof bench->machine.executable], setting[32], n_text[32], h_text[32], time_text[32];
    int ends[2] = {-1, -1}, status = PERF_OK;
    char **environment = NULL, *text = NULL;
    pid_t child = -1;
    snprintf(program, sizeof program, "%s", bench->machine.executable);
    snprintf(setting, sizeof setting, VARIABLE "=%s", isa);
    snprintf(n_text, sizeof n_text, "%zu", n);
    snprintf(h_text, sizeof h_text, "%g", h);
    snprintf(time_text, sizeof time_text, "%.9f", bench->settings.common.min_time);
    char *arguments[] = {program,      "histogram", "--k",       "100,1000", "--bins",    "worst,random,almost",
                         "--h",        h_text,      "--data",    "uniform",  "--methods", "auto",
                         "--n",        n_text,      "--threads", "1",        "--json",    "/dev/fd/3",
                         "--min-time", time_text,   NULL};
    environment = make_environment(setting);
    if (!environment)
        return perf_fail(error, "out of memory for the environment");
    if (pipe2(ends, O_CLOEXEC)) {
        status = perf_fail(error, "pipe: %s", strerror(errno));
        goto out;
    }
    int failed = start(program, arguments, environment, ends[1], &child);
    if (failed) {
        status = perf_fail(error, "cannot start %s: %s", program, strerror(failed));
        goto out;
    }
    close(ends[1]);
    ends[1] = -1;
    text = read_all(ends[0]);
    status = end(child, error);
    if (status == PERF_OK)
        status = text ? take_results(text, other, error) : perf_fail(error, "out of memory for results");
out:
    for (int i = 0; i < 2; i++)
        if (ends[i] >= 0)
            close(ends[i]);
    free(text);
    free(environment);
    return status;
}
