/* SPDX-License-Identifier: Apache-2.0 */
/* Identifies the device compiler from outside: Intel's compiler is a separate package, whose version no driver
 * reports. */
#define _GNU_SOURCE /* dl_iterate_phdr, environ */
#include <ctype.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/log.h"
#include "runtime/module_cache.h"

/* Determined once per process, before its first module, so drivers that load the compiler lazily give the same
 * result. */
static pthread_once_t find_once = PTHREAD_ONCE_INIT;
static struct uhi_cache_key compiler;

struct search {
    int has_compiler;
    char driver[4096]; /* path of the last driver, "" if none */
};

static int begins(const char *text, const char *with) { return strncmp(text, with, strlen(with)) == 0; }

static const char *base_of(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Adds a library loaded from this path, by its name and by properties that an update changes. */
static int add_library(const char *path) {
    struct stat info;
    char text[512];
    if (stat(path, &info) != 0)
        return 0;
    (void)snprintf(text, sizeof text, "%.255s, %lld bytes of %lld.%09ld", base_of(path), (long long)info.st_size,
                   (long long)info.st_mtim.tv_sec, info.st_mtim.tv_nsec);
    uhi_log(UH_LOG_INFO, "module cache: compiled by %s", text);
    uhi_cache_key_add(&compiler, text, strlen(text));
    return 1;
}

static int is_driver(const char *name) {
    return begins(name, "libze_") && !begins(name, "libze_loader") && !strstr(name, "_layer");
}

static int look_at(struct dl_phdr_info *info, __attribute__((unused)) size_t size, void *user) {
    struct search *search = user;
    const char *path = info->dlpi_name, *name = path ? base_of(path) : "";
    if (is_driver(name) && add_library(path))
        (void)snprintf(search->driver, sizeof search->driver, "%s", path);
    if (begins(name, "libigc.") || begins(name, "libigdfcl."))
        search->has_compiler |= add_library(path);
    return 0;
}

/* Looks for a compiler that the driver has not loaded yet next to the driver, where packages install it. */
static void find_next_to_driver(const struct search *search) {
    static const char *const names[] = {"libigc.so.2", "libigdfcl.so.2", "libigc.so.1", "libigdfcl.so.1"};
    char path[sizeof search->driver + 32];
    const int folder = (int)(base_of(search->driver) - search->driver);
    for (size_t i = 0; i < sizeof names / sizeof *names && folder; i++) {
        (void)snprintf(path, sizeof path, "%.*s%s", folder, search->driver, names[i]);
        (void)add_library(path);
    }
}

/* Returns whether a variable may affect compilation: the compiler's, the driver's, and those that Intel's driver reads
 * if NEOReadDebugKeys is set, which are spelled like "ProductFamilyOverride". */
static int is_of_compiler(const char *variable, int reads_keys) {
    const char *at = variable;
    int has_lower = 0;
    if (begins(variable, "IGC_") || (begins(variable, "NEO") && !begins(variable, "NEO_CACHE_")))
        return 1;
    for (; isalnum((unsigned char)*at); at++)
        has_lower |= islower((unsigned char)*at);
    return reads_keys && *at == '=' && isupper((unsigned char)*variable) && has_lower;
}

static void find_compiler(void) {
    struct search search = {.driver = ""};
    const char *keys = getenv("NEOReadDebugKeys");
    uint64_t sum[UHI_SHA256_SIZE / sizeof(uint64_t)] = {0};
    (void)dl_iterate_phdr(look_at, &search);
    if (!search.has_compiler)
        find_next_to_driver(&search);
    /* Independent of their order. */
    for (char **variable = environ; variable && *variable; variable++)
        if (is_of_compiler(*variable, keys && strcmp(keys, "0") != 0)) {
            uint64_t one[UHI_SHA256_SIZE / sizeof(uint64_t)];
            uhi_log(UH_LOG_INFO, "module cache: compiled with %s", *variable);
            uhi_sha256_of(*variable, strlen(*variable), (unsigned char *)one);
            for (size_t i = 0; i < sizeof sum / sizeof *sum; i++)
                sum[i] += one[i];
        }
    uhi_cache_key_add(&compiler, sum, sizeof sum);
}

void uhi_cache_key_add_compiler(struct uhi_cache_key *key) {
    pthread_once(&find_once, find_compiler);
    uhi_cache_key_add(key, compiler.bytes, compiler.size);
    key->failed |= compiler.failed;
}
