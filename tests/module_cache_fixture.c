/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/module_cache_fixture.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>

#include "runtime/module_cache.h"

enum { BINARY_SIZE = 200 };

const char *cache_folder(void) {
    static char path[512];
    snprintf(path, sizeof path, "%s/unihist", files_directory);
    return path;
}

int make_cache_folder(void **state) {
    if (files_setup(state) || setenv("XDG_CACHE_HOME", files_directory, 1) != 0 || unsetenv("UNIHIST_CACHE") != 0)
        return -1;
    return uhi_cache_is_on() ? 0 : -1;
}

/* ---- another compiler -------------------------------------------------------------------------------------------- */

static char copied[600];

static void use_driver_again(void *driver) {
    assert_int_equal(setenv("ZE_ENABLE_ALT_DRIVERS", driver, 1), 0);
    free(driver);
}

static void end_path(void *path) {
    assert_int_equal(setenv("LD_LIBRARY_PATH", path, 1), 0);
    free(path);
}

int copy_driver(void) {
    const char *driver = getenv("ZE_ENABLE_ALT_DRIVERS"), *path = getenv("LD_LIBRARY_PATH");
    size_t size = 0;
    if (!driver || !strstr(driver, "libze_soft_gpu"))
        return 0;
    const unsigned char *bytes = files_read(driver, &size);
    snprintf(copied, sizeof copied, "%s/libze_soft_gpu.so", files_directory);
    files_write(copied, bytes, size);
    test_at_end(strdup(driver), use_driver_again);
    if (path) /* where the driver may be in the loader's place */
        test_at_end(strdup(path), end_path);
    return setenv("ZE_ENABLE_ALT_DRIVERS", copied, 1) == 0 && unsetenv("LD_LIBRARY_PATH") == 0;
}

void update_driver(void) {
    struct stat info;
    assert_int_equal(stat(copied, &info), 0);
    const struct timespec times[2] = {info.st_atim, {info.st_mtim.tv_sec - 1000, 0}};
    assert_int_equal(utimensat(AT_FDCWD, copied, times, 0), 0);
}

/* ---- entries ----------------------------------------------------------------------------------------------------- */

static struct uhi_cache_key key_of(int number) {
    struct uhi_cache_key key = {NULL, 0, 0, 0};
    uhi_cache_key_add(&key, "a test's key", sizeof "a test's key");
    uhi_cache_key_add(&key, &number, sizeof number);
    return key;
}

/* The entry of a number; the caller frees it. */
static struct uhi_cache_entry entry_of(int number, size_t size) {
    struct uhi_cache_entry entry = {malloc(size), size, malloc(64)};
    uint64_t seed = (uint64_t)number;
    assert_non_null(entry.binary);
    assert_non_null(entry.log);
    for (size_t i = 0; i < size; i += 8) {
        uint64_t random = test_random_u64(&seed);
        memcpy((unsigned char *)entry.binary + i, &random, size - i < 8 ? size - i : 8);
    }
    snprintf(entry.log, 64, "what the compiler said of %d", number);
    return entry;
}

static enum found judge(int number, struct uhi_cache_entry *entry) {
    struct uhi_cache_entry wanted = entry_of(number, entry->size);
    enum found found = memcmp(entry->binary, wanted.binary, wanted.size) == 0 && strcmp(entry->log, wanted.log) == 0
                           ? FOUND_RIGHT
                           : FOUND_WRONG;
    uhi_cache_entry_free(&wanted);
    uhi_cache_entry_free(entry);
    return found;
}

const char *file_of(int number) {
    static char path[512];
    unsigned char digest[UHI_SHA256_SIZE];
    char hex[UHI_SHA256_HEX];
    struct uhi_cache_key key = key_of(number);
    uhi_sha256_of(key.bytes, key.size, digest);
    uhi_sha256_hex(digest, hex);
    uhi_cache_key_free(&key);
    snprintf(path, sizeof path, "%s/unihist/%s.bin", files_directory, hex);
    return path;
}

void keep_entry(int number) {
    struct uhi_cache_key key = key_of(number);
    struct uhi_cache_entry entry = entry_of(number, BINARY_SIZE);
    uhi_cache_keep(&key, &entry);
    uhi_cache_entry_free(&entry);
    uhi_cache_key_free(&key);
}

enum found find_entry(int number) {
    struct uhi_cache_key key = key_of(number);
    struct uhi_cache_entry entry = {NULL, 0, NULL};
    enum found found = uhi_cache_find(&key, &entry) ? judge(number, &entry) : NOT_FOUND;
    uhi_cache_key_free(&key);
    return found;
}

void print_found(int number) {
    static const char *const words[] = {"missing", "right", "wrong"};
    puts(words[find_entry(number)]);
}

int become_nobody(void) { return getuid() != 0 || (setgid(65534) == 0 && setuid(65534) == 0) ? 0 : -1; }

void fill_disk(void) {
    struct rlimit limit = {0, 0};
    signal(SIGXFSZ, SIG_IGN);
    (void)setrlimit(RLIMIT_FSIZE, &limit);
}
