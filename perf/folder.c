/* SPDX-License-Identifier: Apache-2.0 */
#include "perf/folder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILES_MAX 8

struct entry {
    const char *name;
    char *temporary;
};

struct perf_folder {
    const char *path;
    int made, committed;
    size_t count;
    struct entry entries[FILES_MAX];
};

static int cannot_write(const char *folder, const char *name, struct perf_error *error) {
    return perf_fail(error, "cannot write %s/%s: %s", folder, name, strerror(errno));
}

int perf_folder_create(const char *path, struct perf_folder **folder, struct perf_error *error) {
    struct perf_folder *made = calloc(1, sizeof *made);
    const char *unused;
    if (!made)
        return perf_fail(error, "out of memory for the folder %s", path);
    made->path = path;
    made->made = mkdir(path, 0777) == 0;
    if (!made->made && errno != EEXIST) {
        int status = perf_fail(error, "cannot make the folder %s: %s", path, strerror(errno));
        perf_folder_destroy(made);
        return status;
    }
    /* Whether files can be made is found out by making one: permissions alone do not tell. */
    errno = 0;
    if (perf_folder_add(made, "test", &unused, error) != PERF_OK) {
        int status = perf_fail(error, "cannot make files in the folder %s: %s", path, strerror(errno));
        perf_folder_destroy(made);
        return status;
    }
    perf_folder_drop(made);
    *folder = made;
    return PERF_OK;
}

void perf_folder_drop(struct perf_folder *folder) {
    if (folder->count == 0)
        return;
    struct entry *entry = &folder->entries[--folder->count];
    if (entry->temporary)
        unlink(entry->temporary);
    free(entry->temporary);
}

void perf_folder_destroy(struct perf_folder *folder) {
    if (!folder)
        return;
    while (folder->count)
        perf_folder_drop(folder);
    if (folder->made && !folder->committed)
        rmdir(folder->path);
    free(folder);
}

int perf_folder_add(struct perf_folder *folder, const char *name, const char **path, struct perf_error *error) {
    size_t size = strlen(folder->path) + strlen(name) + sizeof "/..XXXXXX";
    char *temporary = folder->count < FILES_MAX ? malloc(size) : NULL;
    if (!temporary)
        return perf_fail(error, "out of memory for %s/%s", folder->path, name);
    snprintf(temporary, size, "%s/.%s.XXXXXX", folder->path, name);
    int descriptor = mkstemp(temporary);
    if (descriptor < 0) {
        int status = cannot_write(folder->path, name, error), error_number = errno;
        free(temporary);
        errno = error_number;
        return status;
    }
    folder->entries[folder->count++] = (struct entry){name, temporary};
    mode_t mask = umask(0);
    umask(mask);
    int failed = fchmod(descriptor, 0666 & ~mask);
    int status = failed ? cannot_write(folder->path, name, error) : PERF_OK;
    close(descriptor);
    *path = temporary;
    return status;
}

int perf_folder_write(struct perf_folder *folder, const char *name, const char *text, const char **path,
                      struct perf_error *error) {
    const char *temporary = NULL;
    int status = perf_folder_add(folder, name, &temporary, error);
    if (status != PERF_OK)
        return status;
    if (path)
        *path = temporary;
    FILE *file = fopen(temporary, "w");
    if (!file)
        return cannot_write(folder->path, name, error);
    if (fputs(text, file) == EOF || fflush(file))
        status = cannot_write(folder->path, name, error);
    if (fclose(file) && status == PERF_OK)
        status = cannot_write(folder->path, name, error);
    return status;
}

int perf_folder_remove(struct perf_folder *folder, const char *name, struct perf_error *error) {
    if (folder->count == FILES_MAX)
        return perf_fail(error, "out of memory for %s/%s", folder->path, name);
    folder->entries[folder->count++] = (struct entry){name, NULL};
    return PERF_OK;
}

/* Returns 0, or -1 with errno set. */
static int settle(const struct perf_folder *folder, const struct entry *entry) {
    size_t size = strlen(folder->path) + strlen(entry->name) + sizeof "/";
    char *path = malloc(size);
    if (!path)
        return -1;
    snprintf(path, size, "%s/%s", folder->path, entry->name);
    int failed = entry->temporary ? rename(entry->temporary, path) : unlink(path) && errno != ENOENT ? -1 : 0;
    int error_number = errno;
    free(path);
    errno = error_number;
    return failed;
}

int perf_folder_commit(struct perf_folder *folder, struct perf_error *error) {
    for (size_t i = 0; i < folder->count; i++) {
        struct entry *entry = &folder->entries[i];
        if (settle(folder, entry))
            return cannot_write(folder->path, entry->name, error);
        folder->committed = 1;
        free(entry->temporary);
        entry->temporary = NULL;
    }
    folder->count = 0;
    return PERF_OK;
}
