/* SPDX-License-Identifier: Apache-2.0 */
#include "perf/peers_list.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The folder: UNIHIST_PERF_PEERS, or "peers" next to this program. */
static void find_folder(char folder[PATH_MAX]) {
    const char *given = getenv("UNIHIST_PERF_PEERS");
    char self[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - sizeof "peers");
    while (length > 0 && self[length - 1] != '/')
        length--;
    if (given && *given)
        snprintf(folder, PATH_MAX, "%s", given);
    else
        snprintf(folder, PATH_MAX, "%.*speers", (int)(length > 0 ? length : 0), self);
}

static int is_name(const char *text) {
    size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-");
    return length > 0 && length < PERF_PEER_NAME_MAX && text[length] == '\0';
}

static int is_program(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, X_OK) == 0;
}

int peers_list_find(const char *name, char path[PEERS_PATH_MAX], char why[PERF_PEER_LINE]) {
    char folder[PATH_MAX];
    find_folder(folder);
    snprintf(path, PEERS_PATH_MAX, "%s/others/%s", folder, name);
    if (is_program(path))
        return 1;
    snprintf(path, PEERS_PATH_MAX, "%s/%s", folder, name);
    if (is_program(path))
        return 1;
    snprintf(why, PERF_PEER_LINE, "there is no program %.400s", path);
    return 0;
}

static int add_name(struct perf_peer_options *options, const char *name, struct perf_error *error) {
    for (size_t i = 0; i < options->count; i++)
        if (strcmp(options->name[i], name) == 0)
            return PERF_OK;
    if (options->count == PERF_LIST_MAX)
        return perf_fail(error, "--peers has more than %d peers", PERF_LIST_MAX);
    snprintf(options->name[options->count++], PERF_PEER_NAME_MAX, "%.*s", PERF_PEER_NAME_MAX - 1, name);
    return PERF_OK;
}

int perf_peers_all(struct perf_peer_options *options, struct perf_error *error) {
    char folder[PATH_MAX], path[PEERS_PATH_MAX];
    struct dirent **entries = NULL;
    int status = PERF_OK;
    find_folder(folder);
    const int count = scandir(folder, &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        if (status == PERF_OK && is_name(entries[i]->d_name) && is_program(path))
            status = add_name(options, entries[i]->d_name, error);
        free(entries[i]);
    }
    free(entries);
    return status;
}

int perf_peers_known(const char *name, char *names, size_t size) {
    struct perf_peer_options all = {.count = 0};
    struct perf_error ignored;
    char path[PEERS_PATH_MAX], why[PERF_PEER_LINE];
    *names = '\0';
    (void)perf_peers_all(&all, &ignored);
    for (size_t i = 0; i < all.count; i++) {
        const size_t length = strlen(names);
        snprintf(names + length, size - length, "%s, ", all.name[i]);
    }
    return is_name(name) && peers_list_find(name, path, why);
}
