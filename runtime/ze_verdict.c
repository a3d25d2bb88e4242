/* SPDX-License-Identifier: Apache-2.0 */
/* Results of trials of Level Zero's drivers, kept for later processes: an entry of the module cache, valid for the
 * files that were mapped then. Its text is a header line, then one line per file: "SIZE SECONDS NANOSECONDS PATH". */
#define _GNU_SOURCE /* environ */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "runtime/module_cache.h"
#include "runtime/ze.h"

/* The dynamic linker's list, which changes when a library is installed or removed. */
#define LINKER_LIST "/etc/ld.so.cache"

enum { DAY = 24 * 3600, LINE = 4096 + 128 };

/* Returns whether a variable selects drivers or changes their behaviour. If Intel's driver reads its debug keys, these
 * may have any name. */
static int selects_drivers(const char *variable) {
    static const char *const prefixes[] = {"ZE", "NEO", "IGC_", "LD_"};
    if (getenv("NEOReadDebugKeys"))
        return 1;
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (strncmp(variable, prefixes[i], strlen(prefixes[i])) == 0)
            return 1;
    return 0;
}

/* Several machines may share a home, and another kernel may have fixed a failure. */
static void make_key(struct uhi_cache_key *key) {
    static const char what[] = "level_zero opened";
    struct utsname machine;
    *key = (struct uhi_cache_key){0};
    uhi_cache_key_add(key, what, sizeof what);
    uhi_cache_key_add(key, uh_version(), strlen(uh_version()));
    if (uname(&machine) == 0) {
        uhi_cache_key_add(key, machine.nodename, strlen(machine.nodename));
        uhi_cache_key_add(key, machine.release, strlen(machine.release));
    }
    for (char **variable = environ; variable && *variable; variable++)
        if (selects_drivers(*variable))
            uhi_cache_key_add(key, *variable, strlen(*variable));
}

/* Describes a file's current state; size -1 if none exists. */
static void describe(const char *path, size_t length, char line[LINE]) {
    struct stat info = {.st_size = -1};
    char name[4096];
    snprintf(name, sizeof name, "%.*s", (int)length, path);
    if (stat(name, &info) != 0)
        info = (struct stat){.st_size = -1};
    snprintf(line, LINE, "%jd %jd %ld %s\n", (intmax_t)info.st_size, (intmax_t)info.st_mtim.tv_sec,
             info.st_mtim.tv_nsec, name);
}

/* Returns whether the files of such lines are unchanged. */
static int are_unchanged(const char *lines) {
    char now[LINE];
    while (*lines) {
        const char *path = strchr(lines, '/'), *end = strchr(lines, '\n');
        if (!path || !end || path > end)
            return 0;
        describe(path, (size_t)(end - path), now);
        if (strncmp(now, lines, (size_t)(end + 1 - lines)) != 0)
            return 0;
        lines = end + 1;
    }
    return 1;
}

int uhi_ze_verdict_read(const char *text, time_t now, char failure[UHI_ZE_VERDICT]) {
    char *end = NULL;
    const char *line = strchr(text, '\n');
    const intmax_t age = (intmax_t)now - strtoimax(text, &end, 10);
    if (!line || *end != ' ' || line - end > UHI_ZE_VERDICT)
        return 0;
    const size_t length = (size_t)(line - end) - 1;
    /* A failure may disappear for reasons that no file shows. */
    if ((length && (age < 0 || age > DAY)) || !are_unchanged(line + 1))
        return 0;
    memcpy(failure, end + 1, length);
    failure[length] = '\0';
    return 1;
}

int uhi_ze_verdict_find(char failure[UHI_ZE_VERDICT]) {
    struct uhi_cache_key key;
    struct uhi_cache_entry entry;
    int found = 0;
    make_key(&key);
    if (uhi_cache_find(&key, &entry)) {
        char *text = strndup((const char *)entry.binary, entry.size);
        found = text && uhi_ze_verdict_read(text, time(NULL), failure);
        free(text);
        uhi_cache_entry_free(&entry);
    }
    uhi_cache_key_free(&key);
    return found;
}

/* Describes the files of a list, which may be NULL. */
static void put_files(FILE *to, const char *list, const char *separator) {
    char line[LINE];
    for (const char *at = list; at && *at; at += strspn(at, separator)) {
        const size_t length = strcspn(at, separator);
        describe(at, length, line);
        if (*at == '/')
            fputs(line, to);
        at += length;
    }
}

void uhi_ze_verdict_keep(const struct uhi_ze_verdict *verdict) {
    struct uhi_cache_key key;
    struct uhi_cache_entry entry;
    char *text = NULL;
    size_t size = 0;
    make_key(&key);
    FILE *to = open_memstream(&text, &size);
    if (to) {
        fprintf(to, "%jd %s\n", (intmax_t)time(NULL), verdict->failure);
        put_files(to, LINKER_LIST, "\n");
        put_files(to, verdict->files, "\n");
        put_files(to, getenv("ZE_ENABLE_ALT_DRIVERS"), ","); /* if a crash has hidden what was mapped */
    }
    if (to && fclose(to) == 0 && uhi_cache_entry_make(&entry, text, size, "", 0)) {
        uhi_cache_keep(&key, &entry);
        uhi_cache_entry_free(&entry);
    }
    free(text);
    uhi_cache_key_free(&key);
}
