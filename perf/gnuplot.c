/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* memfd_create */
#include "perf/gnuplot.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

void perf_gnuplot_head(FILE *file, const struct perf_picture *picture, const char *date, size_t width, size_t height) {
    fprintf(file,
            "# unihist-perf tables, %s: gnuplot %s draws %s\n"
            "if (!exists('output')) output = '%s'\n"
            "if (strstrt(GPVAL_TERMINALS, 'pngcairo') > 0) {\n"
            "    set terminal pngcairo noenhanced size %zu,%zu\n} else {\n"
            "    set terminal png noenhanced size %zu,%zu\n}\n"
            "set output output\nset datafile missing '-'\n",
            date, picture->script_name, picture->name, picture->name, width, height, width, height);
}

/* Starts gnuplot on the script in one file, quietly; it writes to another. Returns an errno. */
static int start(int script, int picture, pid_t *child) {
    char name[] = "gnuplot", option[] = "-e", output[] = "output = '/dev/stdout'", input[] = "/dev/stdin";
    char *arguments[] = {name, option, output, input, NULL};
    posix_spawn_file_actions_t actions;
    int failed = posix_spawn_file_actions_init(&actions);
    if (failed)
        return failed;
    failed = posix_spawn_file_actions_adddup2(&actions, script, STDIN_FILENO);
    if (!failed)
        failed = posix_spawn_file_actions_adddup2(&actions, picture, STDOUT_FILENO);
    if (!failed)
        failed = posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    if (!failed)
        failed = posix_spawnp(child, name, &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    return failed;
}

/* Waits for the end; a signal ends gnuplot and the run. */
static int finish(pid_t child, struct perf_error *error) {
    int exit_status = 0;
    while (waitpid(child, &exit_status, 0) < 0 && errno == EINTR)
        kill(child, SIGKILL);
    if (perf_interrupted)
        return perf_fail(error, "interrupted");
    if (!WIFEXITED(exit_status) || WEXITSTATUS(exit_status))
        return perf_fail(error, "gnuplot failed on the plot");
    return PERF_OK;
}

static int read_picture(int file, struct perf_picture *picture, struct perf_error *error) {
    const off_t size = lseek(file, 0, SEEK_END);
    picture->data = size > 0 ? malloc((size_t)size) : NULL;
    if (!picture->data || pread(file, picture->data, (size_t)size, 0) != size)
        return perf_fail(error, "gnuplot wrote no picture");
    picture->size = (size_t)size;
    snprintf(picture->text, sizeof picture->text, "%s", picture->name);
    return PERF_OK;
}

int perf_gnuplot_draw(struct perf_picture *picture, struct perf_error *error) {
    const size_t length = strlen(picture->script);
    const int script = memfd_create(picture->script_name, MFD_CLOEXEC),
              output = memfd_create(picture->name, MFD_CLOEXEC);
    pid_t child;
    int status = PERF_OK;
    if (script < 0 || output < 0 || write(script, picture->script, length) != (ssize_t)length ||
        lseek(script, 0, SEEK_SET) != 0) {
        status = perf_fail(error, "cannot make a file for gnuplot: %s", strerror(errno));
    } else {
        const int failed = start(script, output, &child);
        if (failed)
            snprintf(picture->text, sizeof picture->text, "no picture: cannot run gnuplot: %s", strerror(failed));
        else if ((status = finish(child, error)) == PERF_OK)
            status = read_picture(output, picture, error);
    }
    if (script >= 0)
        close(script);
    if (output >= 0)
        close(output);
    return status;
}

void perf_picture_free(struct perf_picture *picture) {
    free(picture->script);
    free(picture->data);
}
