/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the SPIR-V tools on modules. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "spirv.h"

/* Broken modules have made such tools hang. */
#define MOST_SECONDS 60

static int file_of(const void *data, size_t size) {
    int file = memfd_create("soft_gpu", MFD_CLOEXEC);
    const char *from = data;
    while (file >= 0 && size) {
        ssize_t written = write(file, from, size);
        if (written <= 0) {
            close(file);
            return -1;
        }
        from += written;
        size -= (size_t)written;
    }
    return file;
}

/* All of a file, and a 0 behind it; malloc. */
static char *read_all(int file, size_t *size) {
    off_t end = lseek(file, 0, SEEK_END);
    char *data = end >= 0 ? malloc((size_t)end + 1) : NULL;
    size_t at = 0;
    while (data && at < (size_t)end) {
        ssize_t got = pread(file, data + at, (size_t)end - at, (off_t)at);
        if (got <= 0)
            break;
        at += (size_t)got;
    }
    if (data)
        data[at] = '\0';
    *size = at;
    return data;
}

static int spawn(const char *tool, char *const *arguments, const int files[3]) {
    posix_spawn_file_actions_t actions;
    pid_t child;
    int status = -1;
    posix_spawn_file_actions_init(&actions);
    for (int i = 0; i < 3; i++)
        posix_spawn_file_actions_adddup2(&actions, files[i], i);
    posix_spawnattr_t attributes;
    sigset_t none, standard;
    sigemptyset(&none);
    sigemptyset(&standard);
    sigaddset(&standard, SIGPIPE);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &standard);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    if (posix_spawnp(&child, tool, &actions, &attributes, arguments, environ) == 0) {
        prlimit(child, RLIMIT_CPU, &(struct rlimit){MOST_SECONDS, MOST_SECONDS}, NULL);
        prlimit(child, RLIMIT_CORE, &(struct rlimit){0, 0}, NULL);
        while (waitpid(child, &status, 0) < 0 && errno == EINTR)
            ;
    }
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return status;
}

static char *describe(const char *tool, int status, const char *said) {
    char *log = NULL;
    const char *how = status == -1 ? "cannot be run" : WIFSIGNALED(status) ? "has crashed" : "says";
    if (asprintf(&log, "%s %s: %s", tool, how, said ? said : "") < 0)
        return NULL;
    return log;
}

/* Runs a tool with `code` as its input; what it writes (malloc), or NULL with `log`. */
static void *run_tool(const char *tool, char *const *arguments, const void *code, size_t size, size_t *written,
                      char **log) {
    int files[3] = {file_of(code, size), file_of(NULL, 0), file_of(NULL, 0)};
    char *output = NULL;
    if (files[0] >= 0 && files[1] >= 0 && files[2] >= 0) {
        size_t said_size;
        int status = spawn(tool, arguments, files);
        char *said = read_all(files[2], &said_size);
        output = read_all(files[1], written);
        if (status != 0) {
            if (said && !*said) {
                free(said);
                said = output;
                output = NULL;
            }
            *log = describe(tool, status, said);
            free(output);
            output = NULL;
        }
        free(said);
    } else {
        *log = describe(tool, -1, strerror(errno));
    }
    for (int i = 0; i < 3; i++)
        if (files[i] >= 0)
            close(files[i]);
    return output;
}

void *soft_translate(const void *code, size_t size, size_t *bitcode_size, char **log) {
    const char *override = getenv("SOFT_GPU_LLVM_SPIRV"), *tool = override ? override : SOFT_GPU_LLVM_SPIRV;
    char reverse[] = "-r", environment[] = "--spirv-target-env=CL1.2", input[] = "/dev/fd/0", output[] = "-o",
         standard_output[] = "-", *name = strdup(tool);
    char *arguments[] = {name, reverse, environment, input, output, standard_output, NULL};
    void *bitcode = name ? run_tool(tool, arguments, code, size, bitcode_size, log) : NULL;
    free(name);
    return bitcode;
}

bool soft_validate(const void *code, size_t size, char **log) {
    const char *override = getenv("SOFT_GPU_SPIRV_VAL"), *tool = override ? override : SOFT_GPU_SPIRV_VAL;
    if (!*tool)
        return true;
    char input[] = "/dev/fd/0", *name = strdup(tool);
    char *arguments[] = {name, input, NULL};
    size_t written;
    void *said = name ? run_tool(tool, arguments, code, size, &written, log) : NULL;
    bool right = said != NULL;
    free(said);
    free(name);
    return right;
}
