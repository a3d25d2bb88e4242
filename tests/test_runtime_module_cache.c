/* SPDX-License-Identifier: Apache-2.0 */
/* The cache of built modules: entries are found as they were kept, or not at all if their files are damaged, also while
 * several processes and threads use it. */
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#include "runtime/atomic_file.h"
#include "runtime/module_cache.h"
#include "tests/module_cache_fixture.h"

/* ---- entries whose contents are known by their number ---- */

enum found { NOT_FOUND, FOUND_RIGHT, FOUND_WRONG };

static struct uhi_cache_key key_of(int number) {
    struct uhi_cache_key key = {NULL, 0, 0, 0};
    uhi_cache_key_add(&key, "a test's key", sizeof "a test's key");
    uhi_cache_key_add(&key, &number, sizeof number);
    return key;
}

/* The entry of a number; the caller frees it. */
static struct uhi_cache_entry entry_of(int number) {
    struct uhi_cache_entry entry;
    uint64_t seed = (uint64_t)number, binary[25];
    char log[64];
    for (size_t i = 0; i < sizeof binary / sizeof *binary; i++)
        binary[i] = test_random_u64(&seed);
    snprintf(log, sizeof log, "what the compiler said of %d", number);
    assert_int_equal(uhi_cache_entry_make(&entry, binary, sizeof binary, log, strlen(log)), 1);
    return entry;
}

static enum found judge(int number, struct uhi_cache_entry *entry) {
    struct uhi_cache_entry wanted = entry_of(number);
    const int right = entry->size == wanted.size && memcmp(entry->binary, wanted.binary, wanted.size) == 0 &&
                      strcmp(entry->log, wanted.log) == 0;
    uhi_cache_entry_free(&wanted);
    uhi_cache_entry_free(entry);
    return right ? FOUND_RIGHT : FOUND_WRONG;
}

/* The path of an entry's file, until the next call. */
static const char *file_of(int number) {
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

static void keep_entry(int number) {
    struct uhi_cache_key key = key_of(number);
    struct uhi_cache_entry entry = entry_of(number);
    uhi_cache_keep(&key, &entry);
    uhi_cache_entry_free(&entry);
    uhi_cache_key_free(&key);
}

static enum found find_entry(int number) {
    struct uhi_cache_key key = key_of(number);
    struct uhi_cache_entry entry = {NULL, 0, NULL};
    enum found found = uhi_cache_find(&key, &entry) ? judge(number, &entry) : NOT_FOUND;
    uhi_cache_key_free(&key);
    return found;
}

/* child_says(mode, out, setting...): runs a child in an environment with these settings, asserts what it prints, and
 * returns its log. */
#define child_says(mode, out, ...) child_says_in(mode, out, TEST_ENVIRONMENT(__VA_ARGS__))
static const char *child_says_in(const char *mode, const char *out, const char *const *environment) {
    const struct test_child *child = test_expect_child(mode, environment, 0, "", "");
    assert_string_equal(child->out, out);
    return child->err;
}

/* A folder with entry 1 alone. */
static void keep_one(void) {
    files_clear();
    keep_entry(1);
}

/* The bytes of its file, after that. */
static unsigned char *bytes_of_one(size_t *size) {
    keep_one();
    return files_read(file_of(1), size);
}

UNIT_TEST(keys_are_equal_only_where_all_their_fields_are) {
    struct uhi_cache_key keys[5] = {{0}};
    uhi_cache_key_add(&keys[0], "ab", 2);
    uhi_cache_key_add(&keys[0], "c", 1);
    uhi_cache_key_add(&keys[1], "a", 1);
    uhi_cache_key_add(&keys[1], "bc", 2);
    uhi_cache_key_add(&keys[2], "abc", 3);
    uhi_cache_key_add(&keys[3], "abc", 3);
    uhi_cache_key_add(&keys[3], NULL, 0);
    uhi_cache_key_add(&keys[4], "abd", 3);
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 5; j++) {
            int equal = keys[i].size == keys[j].size && memcmp(keys[i].bytes, keys[j].bytes, keys[i].size) == 0;
            assert_int_equal(equal, i == j);
        }
    for (int i = 0; i < 5; i++)
        uhi_cache_key_free(&keys[i]);
}

UNIT_TEST(what_was_kept_is_found_by_others) {
    files_clear();
    child_says("find 1", "missing\n", "UNIHIST_LOG");
    child_says("keep 1", "right\n", "UNIHIST_LOG");
    child_says("find 1", "right\n", "UNIHIST_LOG");
    assert_string_equal(child_says("find 2", "missing\n", "UNIHIST_LOG"), "");
}

UNIT_TEST(folder_and_files_are_for_their_owner_alone) {
    struct stat info;
    keep_one();
    assert_int_equal(stat(cache_folder(), &info), 0);
    assert_int_equal(info.st_mode & 07777, 0700);
    assert_int_equal(stat(file_of(1), &info), 0);
    assert_int_equal(info.st_mode & 07777, 0600);
    assert_int_equal(files_in(cache_folder(), NULL, 0), 1);
}

UNIT_TEST(a_file_with_any_bit_flipped_is_not_used_and_is_replaced) {
    size_t size = 0;
    unsigned char *bytes = bytes_of_one(&size);
    assert_true(size > 300);
    for (size_t i = 0; i < size; i++) {
        bytes[i] ^= (unsigned char)(1u << i % 8);
        files_write(file_of(1), bytes, size);
        bytes[i] ^= (unsigned char)(1u << i % 8);
        if (find_entry(1) != NOT_FOUND)
            fail_msg("a file with byte %zu of %zu altered was used", i, size);
    }
    keep_entry(1);
    assert_int_equal(find_entry(1), FOUND_RIGHT);
}

UNIT_TEST(a_file_that_is_cut_or_grown_is_not_used) {
    size_t size = 0;
    unsigned char *bytes = bytes_of_one(&size);
    for (size_t cut = 0; cut < size; cut++) {
        files_write(file_of(1), bytes, cut);
        assert_int_equal(find_entry(1), NOT_FOUND);
    }
    unsigned char *more = memcpy(test_memory(size + 64), bytes, size);
    files_write(file_of(1), more, size + 1);
    assert_int_equal(find_entry(1), NOT_FOUND);
    files_write(file_of(1), more, size + 64);
    assert_int_equal(find_entry(1), NOT_FOUND);
    files_write(file_of(1), bytes, size);
    assert_int_equal(find_entry(1), FOUND_RIGHT);
}

UNIT_TEST(an_entry_of_another_key_or_format_is_not_used_though_it_is_whole) {
    size_t size = 0;
    unsigned char *bytes = bytes_of_one(&size);
    files_write(file_of(2), bytes, size);
    assert_int_equal(find_entry(2), NOT_FOUND);
    keep_entry(2);
    assert_int_equal(find_entry(2), FOUND_RIGHT);
    bytes[8]++; /* the format's number, after the magic */
    uhi_sha256_of(bytes, size - UHI_SHA256_SIZE, bytes + size - UHI_SHA256_SIZE);
    files_write(file_of(1), bytes, size);
    assert_int_equal(find_entry(1), NOT_FOUND);
    /* The digest was computed right: with the format put back it is an entry again. */
    bytes[8]--;
    uhi_sha256_of(bytes, size - UHI_SHA256_SIZE, bytes + size - UHI_SHA256_SIZE);
    files_write(file_of(1), bytes, size);
    assert_int_equal(find_entry(1), FOUND_RIGHT);
}

UNIT_TEST(what_others_can_write_is_not_used) {
    char elsewhere[512], here[512];
    keep_one();
    snprintf(here, sizeof here, "%s", file_of(1));
    snprintf(elsewhere, sizeof elsewhere, "%s/elsewhere", files_directory);
    assert_int_equal(chmod(here, 0620), 0);
    assert_int_equal(find_entry(1), NOT_FOUND);
    assert_int_equal(chmod(here, 0602), 0);
    assert_int_equal(find_entry(1), NOT_FOUND);
    assert_int_equal(chmod(here, 0644), 0);
    assert_int_equal(find_entry(1), FOUND_RIGHT);
    assert_int_equal(rename(here, elsewhere), 0);
    assert_int_equal(symlink(elsewhere, here), 0);
    assert_int_equal(find_entry(1), NOT_FOUND);
    assert_int_equal(unlink(here), 0);
    assert_int_equal(mkfifo(here, 0600), 0);
    assert_int_equal(find_entry(1), NOT_FOUND);
    assert_int_equal(rename(elsewhere, here), 0);
    assert_int_equal(find_entry(1), FOUND_RIGHT);
    assert_int_equal(chmod(cache_folder(), 0777), 0);
    assert_int_equal(find_entry(1), NOT_FOUND);
    keep_entry(2);
    assert_int_equal(access(file_of(2), F_OK), -1);
    assert_int_equal(chmod(cache_folder(), 0700), 0);
    assert_int_equal(find_entry(1), FOUND_RIGHT);
}

UNIT_TEST(without_a_folder_to_write_nothing_is_kept) {
    char under_a_file[512];
    keep_one();
    snprintf(under_a_file, sizeof under_a_file, "XDG_CACHE_HOME=%s", file_of(1));
    const char *const settings[][2] = {
        {under_a_file, "UNIHIST_LOG"},
        {"XDG_CACHE_HOME=/proc/no/such/folder", "UNIHIST_LOG"},
        {"XDG_CACHE_HOME", "HOME"},
        {"XDG_CACHE_HOME=relative", "HOME=relative"},
    };
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        const char *err = child_says("keep 1", "missing\n", settings[i][0], settings[i][1], "UNIHIST_LOG");
        assert_string_equal(err, "");
    }
    const char *err = child_says("keep 1", "missing\n", under_a_file, "UNIHIST_LOG=info");
    assert_non_null(strstr(err, "info: module cache: "));
    assert_non_null(strstr(err, "is not used: Not a directory"));
}

UNIT_TEST(a_folder_that_may_not_be_written_is_left_alone) {
    keep_one();
    assert_int_equal(chmod(cache_folder(), 0500), 0);
    const char *err = child_says("keep-as-nobody 2", "missing\n", "UNIHIST_LOG=info");
    assert_int_equal(chmod(cache_folder(), 0700), 0);
    assert_non_null(strstr(err, "module cache: "));
    assert_int_equal(files_in(cache_folder(), NULL, 0), 1);
}

UNIT_TEST(a_full_disk_leaves_no_file) {
    keep_one();
    const char *err = child_says("keep-on-full-disk 2", "missing\n", "UNIHIST_LOG=info");
    assert_non_null(strstr(err, "cannot be written: "));
    assert_int_equal(files_in(cache_folder(), NULL, 0), 1);
    assert_int_equal(find_entry(1), FOUND_RIGHT);
}

UNIT_TEST(off_means_that_nothing_is_kept) {
    files_clear();
    child_says("keep 1", "missing\n", "UNIHIST_CACHE=OFF", "UNIHIST_LOG");
    assert_int_equal(access(cache_folder(), F_OK), -1);
    const char *err = child_says("keep 1", "right\n", "UNIHIST_CACHE=maybe", "UNIHIST_LOG=warn");
    assert_non_null(strstr(err, "UNIHIST_CACHE is \"maybe\", expected on or off; using on"));
    child_says("find 1", "missing\n", "UNIHIST_CACHE=OFF", "UNIHIST_LOG");
}

UNIT_TEST(home_serves_where_no_cache_folder_is_named) {
    char home[600], file[700];
    struct stat info;
    files_clear();
    snprintf(home, sizeof home, "HOME=%s/home", files_directory);
    snprintf(file, sizeof file, "%s/home/.cache/unihist", files_directory);
    assert_int_equal(mkdir(home + 5, 0755), 0);
    child_says("keep 1", "right\n", "XDG_CACHE_HOME=", home, "UNIHIST_LOG");
    assert_int_equal(stat(file, &info), 0);
    child_says("find 1", "right\n", "XDG_CACHE_HOME=", home, "UNIHIST_LOG");
}

/* Sets when a file was last used. */
static void set_age(const char *path, time_t seconds) {
    struct timespec times[2] = {{time(NULL) - seconds, 0}, {time(NULL) - seconds, 0}};
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

UNIT_TEST(what_a_crash_left_goes) {
    struct uhi_atomic_file left;
    keep_one();
    assert_int_equal(uhi_atomic_name(&left, file_of(3)) || uhi_atomic_create(&left), 0);
    close(left.fd);
    close(left.lock);
    keep_entry(2);
    assert_int_equal(access(left.temporary, F_OK), -1);
    left.fd = left.lock = -1;
    uhi_atomic_abort(&left);
}

UNIT_TEST(a_folder_above_256_mib_loses_what_was_not_used_for_longest) {
    char path[512];
    keep_one();
    set_age(file_of(1), 100000);
    assert_int_equal(find_entry(1), FOUND_RIGHT); /* used just now */
    for (int i = 0; i < 6; i++) {
        snprintf(path, sizeof path, "%s/%064d.bin", cache_folder(), i);
        files_write(path, "", 0);
        assert_int_equal(truncate(path, 50 << 20), 0);
        set_age(path, 1000 * (i + 1));
    }
    keep_entry(2); /* 300 MiB: down to half of the limit, 128 MiB, the oldest first */
    for (int i = 0; i < 6; i++) {
        snprintf(path, sizeof path, "%s/%064d.bin", cache_folder(), i);
        assert_int_equal(access(path, F_OK), i < 2 ? 0 : -1);
    }
    assert_int_equal(find_entry(1), FOUND_RIGHT);
    assert_int_equal(find_entry(2), FOUND_RIGHT);
}

/* ---- several at once, while files are damaged ---- */

enum { HAMMERS = 5, ROUNDS = 1500, KEYS = 3 };

UNIT_TEST(processes_that_hammer_the_same_keys_never_see_anything_wrong) {
    char mode[32];
    pid_t children[HAMMERS];
    files_clear();
    for (int i = 0; i < HAMMERS; i++) {
        snprintf(mode, sizeof mode, "hammer %d", i);
        children[i] = fork();
        if (children[i] == 0) {
            execl(test_program, test_program, test_running, mode, (char *)NULL);
            _exit(127);
        }
        assert_true(children[i] > 0);
    }
    for (int i = 0; i < HAMMERS; i++) {
        int status = 0;
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_int_equal(status, 0);
    }
    for (int i = 0; i < KEYS; i++) {
        keep_entry(i);
        assert_int_equal(find_entry(i), FOUND_RIGHT);
    }
    assert_int_equal(files_in(cache_folder(), NULL, 0), KEYS);
}

/* Writes over a file that others read and replace. */
static void damage(uint64_t *seed) {
    const int fd = open(file_of((int)(test_random_u64(seed) % KEYS)), O_WRONLY);
    if (fd < 0)
        return;
    if (test_random_u64(seed) % 2)
        (void)!pwrite(fd, "damage", 6, (off_t)(test_random_u64(seed) % 400));
    else
        (void)!ftruncate(fd, (off_t)(test_random_u64(seed) % 400));
    close(fd);
}

/* Returns how many entries were found as they were kept, -1 if one was wrong. A process damages one in some rounds. */
static int hammer(uint64_t seed, int rounds, int damages) {
    int right = 0;
    for (int round = 0; round < rounds; round++) {
        int number = (int)(test_random_u64(&seed) % KEYS);
        if (damages && test_random_u64(&seed) % HAMMERS == 0)
            damage(&seed);
        enum found found = find_entry(number);
        if (found == FOUND_WRONG)
            return -1;
        right += found == FOUND_RIGHT;
        if (found == NOT_FOUND || test_random_u64(&seed) % 4 == 0)
            keep_entry(number);
    }
    return right;
}

static void *hammer_thread(void *argument) {
    return hammer(*(const uint64_t *)argument, 200, 0) < 0 ? "what is found is wrong" : NULL;
}

UNIT_TEST(threads_that_hammer_the_same_keys_never_see_anything_wrong) {
    uint64_t seeds[] = {1, 2, 3, 4};
    files_clear();
    test_at_once(4, hammer_thread, seeds, sizeof *seeds);
}

static int run_mode(const char *mode, int number) {
    static const char *const words[] = {"missing", "right", "wrong"};
    if (strcmp(mode, "hammer") == 0)
        return hammer((uint64_t)number, ROUNDS, 1) <= ROUNDS / 10;
    if (strcmp(mode, "keep-as-nobody") == 0 && getuid() == 0 && (setgid(65534) || setuid(65534)))
        return 1;
    if (strcmp(mode, "keep-on-full-disk") == 0) { /* each further write to a file fails */
        signal(SIGXFSZ, SIG_IGN);
        (void)setrlimit(RLIMIT_FSIZE, &(const struct rlimit){0, 0});
    }
    if (strncmp(mode, "keep", 4) == 0)
        keep_entry(number);
    puts(words[find_entry(number)]);
    return 0;
}

TEST_MAIN(test_runtime_module_cache) {
    char mode[32];
    int number = 0;
    if (argc == 2 && sscanf(argv[1], "%31s %d", mode, &number) == 2) {
        uhi_cache_is_on();
        return run_mode(mode, number);
    }
    return test_run_units(make_cache_folder, files_teardown);
}
