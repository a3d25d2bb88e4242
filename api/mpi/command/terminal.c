/* SPDX-License-Identifier: Apache-2.0 */
/* A launcher reads its ranks' output from pipes. Its own terminal is found through Linux's /proc: from a process whose
 * stderr is a pipe, the search moves to the parent, if that has the same pipe open, and so on. */
#include "api/mpi/command/watch.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MESSAGES = STDERR_FILENO, PATH_SIZE = 64, MAX_PARENTS = 8 };

/* Returns the parent of a process; 0 on failure. */
static long parent_of(long process) {
    char path[PATH_SIZE], line[512] = "";
    snprintf(path, sizeof path, "/proc/%ld/stat", process);
    FILE *file = fopen(path, "r");
    if (!file)
        return 0;
    const char *name_end = fgets(line, sizeof line, file) ? strrchr(line, ')') : NULL; /* names may hold anything */
    fclose(file);
    return name_end && strlen(name_end) > 4 ? strtol(name_end + 4, NULL, 10) : 0;
}

/* Stores the target of a process's descriptor, e.g. "pipe:[123]". Returns 0 if unknown. */
static int read_name(long process, const char *descriptor, char name[PATH_SIZE]) {
    char path[2 * PATH_SIZE];
    snprintf(path, sizeof path, "/proc/%ld/fd/%.32s", process, descriptor);
    const ssize_t length = readlink(path, name, PATH_SIZE - 1);
    name[length > 0 ? length : 0] = 0;
    return length > 0;
}

static int has_open(long process, const char *name) {
    char path[PATH_SIZE], other[PATH_SIZE];
    int found = 0;
    snprintf(path, sizeof path, "/proc/%ld/fd", process);
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder && !found && (entry = readdir(folder));)
        found = read_name(process, entry->d_name, other) && strcmp(name, other) == 0;
    if (folder)
        closedir(folder);
    return found;
}

FILE *watch_find_terminal(void) {
    char name[PATH_SIZE], path[PATH_SIZE];
    long process = (long)getpid();
    for (int i = 0; i < MAX_PARENTS && read_name(process, "2", name) && strncmp(name, "pipe:", 5) == 0; i++) {
        process = parent_of(process);
        if (process <= 1 || !has_open(process, name))
            return NULL;
    }
    snprintf(path, sizeof path, "/proc/%ld/fd/%d", process, MESSAGES);
    const int descriptor = open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
    FILE *terminal = descriptor >= 0 && isatty(descriptor) ? fdopen(descriptor, "w") : NULL;
    if (!terminal && descriptor >= 0)
        close(descriptor);
    return terminal;
}
