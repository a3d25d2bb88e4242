/* SPDX-License-Identifier: Apache-2.0 */
#define _XOPEN_SOURCE 700 /* realpath */
#include "api/cli/output/atomic.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- what the signal handler sees ------------------------------------------------------------------------------- */

#define SLOTS 8

/* The paths of the temporary files. A slot's path is written before `live` is set and not changed while it is. */
static struct {
    atomic_int live;
    char path[PATH_MAX];
} slots[SLOTS];

static const int fatal_signals[] = {SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM, SIGXCPU, SIGXFSZ};
#define FATAL_SIGNALS (sizeof fatal_signals / sizeof *fatal_signals)

static struct sigaction previous_actions[FATAL_SIGNALS];
static int open_files;

/* Whoever handled the signal before has it next: by default it kills, and the compilers in GPUs' drivers remove files
 * of theirs first. */
static void remove_and_pass_on(int number) {
    for (size_t i = 0; i < SLOTS; i++)
        if (atomic_load(&slots[i].live))
            unlink(slots[i].path);
    for (size_t i = 0; i < FATAL_SIGNALS; i++)
        if (fatal_signals[i] == number)
            sigaction(number, &previous_actions[i], NULL);
    raise(number); /* it is blocked until the handler returns */
}

/* A signal that is ignored (nohup) stays ignored. */
static void watch_signals(void) {
    if (open_files++ > 0)
        return;
    for (size_t i = 0; i < FATAL_SIGNALS; i++) {
        struct sigaction action = {.sa_handler = remove_and_pass_on};
        sigemptyset(&action.sa_mask);
        sigaction(fatal_signals[i], NULL, &previous_actions[i]);
        if ((previous_actions[i].sa_flags & SA_SIGINFO) || previous_actions[i].sa_handler != SIG_IGN)
            sigaction(fatal_signals[i], &action, NULL);
    }
}

static void unwatch_signals(void) {
    if (--open_files > 0)
        return;
    for (size_t i = 0; i < FATAL_SIGNALS; i++)
        sigaction(fatal_signals[i], &previous_actions[i], NULL);
}

/* ---- paths ------------------------------------------------------------------------------------------------------ */

/* Returns the directory part of a path, with its slash ("" for a bare name); the caller frees it. */
static char *directory_of(const char *path) {
    const char *slash = strrchr(path, '/');
    return strndup(path, slash ? (size_t)(slash - path) + 1 : 0);
}

static int check_directory(const char *path, struct cli_error *error) {
    char *directory = directory_of(path);
    int result = 0;
    struct stat status;
    if (!directory)
        return cli_fail(error, "cannot write '%s': out of memory", path);
    const char *name = *directory ? directory : ".";
    if (stat(name, &status) == 0 && !S_ISDIR(status.st_mode))
        result = cli_fail(error, "cannot write '%s': '%s' is not a directory", path, name);
    else if (access(name, W_OK | X_OK) != 0)
        result = cli_fail(error, "cannot write '%s': directory '%s': %s", path, name, strerror(errno));
    free(directory);
    return result;
}

/*
 * Finds the file that `path` stands for, past symbolic links, and checks that it can be made or replaced. Returns it,
 * or NULL; the caller frees it. `*mode` is the permissions of the file that is there, or -1.
 */
static char *find_target(const char *path, int *mode, struct cli_error *error) {
    struct stat status;
    *mode = -1;
    size_t length = strlen(path);
    if (length == 0 || path[length - 1] == '/') {
        cli_fail(error, "cannot write '%s': expected the name of a file", path);
        return NULL;
    }
    if (stat(path, &status) == 0) {
        const char *what = S_ISDIR(status.st_mode)    ? "it is a directory"
                           : !S_ISREG(status.st_mode) ? "it is not a regular file"
                           : access(path, W_OK) != 0  ? strerror(errno)
                                                      : NULL;
        if (what) {
            cli_fail(error, "cannot write '%s': %s", path, what);
            return NULL;
        }
        *mode = (int)(status.st_mode & 0777);
    } else if (errno != ENOENT) {
        cli_fail(error, "cannot write '%s': %s", path, strerror(errno));
        return NULL;
    } else if (lstat(path, &status) == 0) {
        cli_fail(error, "cannot write '%s': it is a link to a file that does not exist", path);
        return NULL;
    }
    char *target = *mode >= 0 ? realpath(path, NULL) : strdup(path);
    if (!target)
        cli_fail(error, "cannot write '%s': %s", path, strerror(errno));
    else if (check_directory(target, error) != 0) {
        free(target);
        target = NULL;
    }
    return target;
}

int cli_atomic_check(const char *path, struct cli_error *error) {
    int mode;
    char *target = find_target(path, &mode, error);
    free(target);
    return target ? 0 : -1;
}

/* ---- files ------------------------------------------------------------------------------------------------------ */

struct cli_atomic {
    FILE *file;
    char *path;   /* as the user wrote it, for messages */
    char *target; /* what the file will be called */
    int slot;
};

/*
 * Takes a slot, names a temporary file in it and creates that. The name goes into the slot before the file exists, so
 * that a signal at any moment finds it; 64 random bits keep it from being anybody else's.
 */
static int create_temporary(struct cli_atomic *atomic, int mode, struct cli_error *error) {
    uint64_t random = 0;
    int slot = 0, descriptor = -1, result = -1;
    char *directory = directory_of(atomic->target);
    if (!directory) {
        cli_fail(error, "cannot write '%s': out of memory", atomic->path);
        goto out;
    }
    while (slot < SLOTS && atomic_load(&slots[slot].live))
        slot++;
    if (slot == SLOTS) {
        cli_fail(error, "cannot write '%s': more than %d output files at once", atomic->path, SLOTS);
        goto out;
    }
    if (getrandom(&random, sizeof random, 0) != (ssize_t)sizeof random) {
        cli_fail(error, "cannot write '%s': no random numbers: %s", atomic->path, strerror(errno));
        goto out;
    }
    int length = snprintf(slots[slot].path, sizeof slots[slot].path, "%s.unihist-%ld-%016llx.tmp", directory,
                          (long)getpid(), (unsigned long long)random);
    if (length < 0 || (size_t)length >= sizeof slots[slot].path) {
        cli_fail(error, "cannot write '%s': %s", atomic->path, strerror(ENAMETOOLONG));
        goto out;
    }
    atomic->slot = slot;
    watch_signals();
    atomic_store(&slots[slot].live, 1);
    descriptor = open(slots[slot].path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor >= 0) {
        /* Where permissions cannot be kept (some network file systems) the file itself still can be written. */
        if (mode >= 0)
            (void)fchmod(descriptor, (mode_t)mode);
        atomic->file = fdopen(descriptor, "wb");
    }
    if (!atomic->file) {
        cli_fail(error, "cannot write '%s': %s", atomic->path, strerror(errno));
        if (descriptor >= 0) {
            close(descriptor);
            unlink(slots[slot].path);
        }
        atomic_store(&slots[slot].live, 0);
        unwatch_signals();
        goto out;
    }
    result = 0;
out:
    free(directory);
    return result;
}

static void free_atomic(struct cli_atomic *atomic) {
    if (atomic) {
        free(atomic->path);
        free(atomic->target);
        free(atomic);
    }
}

struct cli_atomic *cli_atomic_open(const char *path, struct cli_error *error) {
    int mode = -1;
    struct cli_atomic *atomic = calloc(1, sizeof *atomic);
    if (!atomic || !(atomic->path = strdup(path))) {
        cli_fail(error, "cannot write '%s': out of memory", path);
        goto failed;
    }
    atomic->target = find_target(path, &mode, error);
    if (!atomic->target || create_temporary(atomic, mode, error) != 0)
        goto failed;
    return atomic;
failed:
    free_atomic(atomic);
    return NULL;
}

FILE *cli_atomic_file(struct cli_atomic *atomic) {
    return atomic->file;
}

int cli_atomic_commit(struct cli_atomic *atomic, struct cli_error *error) {
    const char *temporary = slots[atomic->slot].path;
    int result = 0;
    errno = 0;
    int bad = ferror(atomic->file);
    /* After an earlier failure this one says the reason once more. */
    bad |= fflush(atomic->file);
    int reason = errno;
    if (fclose(atomic->file) != 0 && !bad) {
        bad = 1;
        reason = errno;
    }
    if (!bad && rename(temporary, atomic->target) != 0) {
        bad = 1;
        reason = errno;
    }
    if (bad) {
        unlink(temporary);
        result = cli_fail(error, "cannot write '%s': %s", atomic->path, reason ? strerror(reason) : "a write failed");
    }
    atomic_store(&slots[atomic->slot].live, 0);
    unwatch_signals();
    free_atomic(atomic);
    return result;
}

void cli_atomic_abort(struct cli_atomic *atomic) {
    if (!atomic)
        return;
    fclose(atomic->file);
    unlink(slots[atomic->slot].path);
    atomic_store(&slots[atomic->slot].live, 0);
    unwatch_signals();
    free_atomic(atomic);
}
