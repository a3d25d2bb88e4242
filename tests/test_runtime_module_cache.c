/* SPDX-License-Identifier: Apache-2.0 */
/* The cache of built modules: what it finds is what was kept, whatever happens to its files. */
#include "tests/support.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "runtime/module_cache.h"
#include "tests/child.h"
#include "tests/module_cache_fixture.h"

static const char *program;

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

UNIT_TEST(what_was_kept_is_found_in_memory_and_on_disk_by_others) {
    struct test_child child;
    const char *const environment[] = {"UNIHIST_LOG", NULL};
    clear_folder();
    test_run_child(program, "find 1", environment, &child);
    assert_string_equal(child.out, "nowhere\n");
    test_run_child(program, "keep 1", environment, &child);
    assert_string_equal(child.out, "memory: right\n");
    test_run_child(program, "find 1", environment, &child);
    assert_string_equal(child.out, "disk: right\n");
    test_run_child(program, "find 2", environment, &child);
    assert_string_equal(child.out, "nowhere\n");
    assert_string_equal(child.err, "");
}

UNIT_TEST(folder_and_files_are_for_their_owner_alone) {
    struct stat info;
    clear_folder();
    keep_on_disk(1);
    assert_int_equal(stat(cache_folder(), &info), 0);
    assert_int_equal(info.st_mode & 07777, 0700);
    assert_int_equal(stat(file_of(1), &info), 0);
    assert_int_equal(info.st_mode & 07777, 0600);
    assert_int_equal(count_files(), 1);
}

UNIT_TEST(a_file_with_any_bit_flipped_is_not_used_and_is_replaced) {
    clear_folder();
    keep_on_disk(1);
    size_t size = 0;
    unsigned char *bytes = read_file(file_of(1), &size);
    assert_true(size > 300);
    for (size_t i = 0; i < size; i++) {
        bytes[i] ^= (unsigned char)(1u << i % 8);
        write_file(file_of(1), bytes, size);
        bytes[i] ^= (unsigned char)(1u << i % 8);
        if (find_on_disk(1) != NOT_FOUND)
            fail_msg("a file with byte %zu of %zu altered was used", i, size);
    }
    keep_on_disk(1);
    assert_int_equal(find_on_disk(1), FOUND_RIGHT);
}

UNIT_TEST(a_file_that_is_cut_or_grown_is_not_used) {
    clear_folder();
    keep_on_disk(1);
    size_t size = 0;
    unsigned char *bytes = read_file(file_of(1), &size);
    for (size_t cut = 0; cut < size; cut++) {
        write_file(file_of(1), bytes, cut);
        assert_int_equal(find_on_disk(1), NOT_FOUND);
    }
    unsigned char *more = calloc(size + 64, 1);
    assert_non_null(more);
    memcpy(more, bytes, size);
    write_file(file_of(1), more, size + 1);
    assert_int_equal(find_on_disk(1), NOT_FOUND);
    write_file(file_of(1), more, size + 64);
    assert_int_equal(find_on_disk(1), NOT_FOUND);
    write_file(file_of(1), bytes, size);
    assert_int_equal(find_on_disk(1), FOUND_RIGHT);
    free(more);
}

UNIT_TEST(an_entry_of_another_key_or_format_is_not_used_though_it_is_whole) {
    clear_folder();
    keep_on_disk(1);
    size_t size = 0;
    unsigned char *bytes = read_file(file_of(1), &size);
    write_file(file_of(2), bytes, size);
    assert_int_equal(find_on_disk(2), NOT_FOUND);
    keep_on_disk(2);
    assert_int_equal(find_on_disk(2), FOUND_RIGHT);
    bytes[8]++; /* the format's number, behind the magic */
    uhi_sha256_of(bytes, size - UHI_SHA256_SIZE, bytes + size - UHI_SHA256_SIZE);
    write_file(file_of(1), bytes, size);
    assert_int_equal(find_on_disk(1), NOT_FOUND);
    /* The digest was computed right: with the format put back it is an entry again. */
    bytes[8]--;
    uhi_sha256_of(bytes, size - UHI_SHA256_SIZE, bytes + size - UHI_SHA256_SIZE);
    write_file(file_of(1), bytes, size);
    assert_int_equal(find_on_disk(1), FOUND_RIGHT);
}

UNIT_TEST(what_others_can_write_is_not_used) {
    char elsewhere[512], here[512];
    clear_folder();
    keep_on_disk(1);
    snprintf(here, sizeof here, "%s", file_of(1));
    snprintf(elsewhere, sizeof elsewhere, "%s/elsewhere", cache_root());
    assert_int_equal(chmod(here, 0620), 0);
    assert_int_equal(find_on_disk(1), NOT_FOUND);
    assert_int_equal(chmod(here, 0602), 0);
    assert_int_equal(find_on_disk(1), NOT_FOUND);
    assert_int_equal(chmod(here, 0644), 0);
    assert_int_equal(find_on_disk(1), FOUND_RIGHT);
    assert_int_equal(rename(here, elsewhere), 0);
    assert_int_equal(symlink(elsewhere, here), 0);
    assert_int_equal(find_on_disk(1), NOT_FOUND);
    assert_int_equal(unlink(here), 0);
    assert_int_equal(mkfifo(here, 0600), 0);
    assert_int_equal(find_on_disk(1), NOT_FOUND);
    assert_int_equal(rename(elsewhere, here), 0);
    assert_int_equal(find_on_disk(1), FOUND_RIGHT);
    assert_int_equal(chmod(cache_folder(), 0777), 0);
    assert_int_equal(find_on_disk(1), NOT_FOUND);
    keep_on_disk(2);
    assert_int_equal(access(file_of(2), F_OK), -1);
    assert_int_equal(chmod(cache_folder(), 0700), 0);
    assert_int_equal(find_on_disk(1), FOUND_RIGHT);
}

UNIT_TEST(without_a_folder_to_write_only_memory_serves) {
    char under_a_file[512];
    struct test_child child;
    clear_folder();
    keep_on_disk(1);
    snprintf(under_a_file, sizeof under_a_file, "XDG_CACHE_HOME=%s", file_of(1));
    const char *const environments[][5] = {
        {under_a_file, "UNIHIST_LOG", NULL},
        {"XDG_CACHE_HOME=/proc/no/such/folder", "UNIHIST_LOG", NULL},
        {"XDG_CACHE_HOME", "HOME", "UNIHIST_LOG", NULL},
        {"XDG_CACHE_HOME=relative", "HOME=relative", "UNIHIST_LOG", NULL},
    };
    for (size_t i = 0; i < sizeof environments / sizeof environments[0]; i++) {
        test_run_child(program, "keep 1", environments[i], &child);
        assert_string_equal(child.out, "memory: right\n");
        assert_string_equal(child.err, "");
        test_run_child(program, "find 1", environments[i], &child);
        assert_string_equal(child.out, "nowhere\n");
    }
    const char *const logged[] = {under_a_file, "UNIHIST_LOG=info", NULL};
    test_run_child(program, "keep 1", logged, &child);
    assert_non_null(strstr(child.err, "info: module cache: "));
    assert_non_null(strstr(child.err, "cannot be opened: Not a directory"));
}

UNIT_TEST(a_folder_that_may_not_be_written_is_left_alone) {
    struct test_child child;
    const char *const environment[] = {"UNIHIST_LOG=info", NULL};
    clear_folder();
    keep_on_disk(1);
    assert_int_equal(chmod(cache_folder(), 0500), 0);
    test_run_child(program, "keep-as-nobody 2", environment, &child);
    assert_int_equal(chmod(cache_folder(), 0700), 0);
    assert_int_equal(child.exit_code, 0);
    assert_string_equal(child.out, "memory: right\n");
    assert_non_null(strstr(child.err, "module cache: "));
    assert_int_equal(count_files(), 1);
}

UNIT_TEST(a_full_disk_leaves_no_file_behind) {
    struct test_child child;
    const char *const environment[] = {"UNIHIST_LOG=info", NULL};
    clear_folder();
    keep_on_disk(1);
    test_run_child(program, "keep-on-full-disk 2", environment, &child);
    assert_string_equal(child.out, "memory: right\n");
    assert_non_null(strstr(child.err, "cannot be written: "));
    assert_int_equal(count_files(), 1);
    assert_int_equal(find_on_disk(1), FOUND_RIGHT);
}

UNIT_TEST(off_means_neither_memory_nor_disk) {
    struct test_child child;
    const char *const off[] = {"UNIHIST_CACHE=OFF", "UNIHIST_LOG", NULL};
    const char *const other[] = {"UNIHIST_CACHE=maybe", "UNIHIST_LOG=warn", NULL};
    clear_folder();
    test_run_child(program, "keep 1", off, &child);
    assert_string_equal(child.out, "nowhere\n");
    assert_int_equal(access(cache_folder(), F_OK), -1);
    test_run_child(program, "keep 1", other, &child);
    assert_string_equal(child.out, "memory: right\n");
    assert_non_null(strstr(child.err, "UNIHIST_CACHE is \"maybe\", expected on or off; using on"));
    test_run_child(program, "find 1", off, &child);
    assert_string_equal(child.out, "nowhere\n");
}

UNIT_TEST(home_serves_where_no_cache_folder_is_named) {
    char home[600], file[700];
    struct stat info;
    struct test_child child;
    clear_folder();
    snprintf(home, sizeof home, "HOME=%s/home", cache_root());
    snprintf(file, sizeof file, "%s/home/.cache/unihist", cache_root());
    assert_int_equal(mkdir(home + 5, 0755), 0);
    const char *const environment[] = {"XDG_CACHE_HOME=", home, "UNIHIST_LOG", NULL};
    test_run_child(program, "keep 1", environment, &child);
    assert_int_equal(stat(file, &info), 0);
    test_run_child(program, "find 1", environment, &child);
    assert_string_equal(child.out, "disk: right\n");
}

/* Sets when a file was last used. */
static void set_age(const char *path, time_t seconds) {
    struct timespec times[2] = {{time(NULL) - seconds, 0}, {time(NULL) - seconds, 0}};
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

UNIT_TEST(what_a_crash_left_goes_after_an_hour) {
    char old[512], fresh[512], foreign[512];
    clear_folder();
    keep_on_disk(1);
    snprintf(old, sizeof old, "%s/.new-1-2-3-4", cache_folder());
    snprintf(fresh, sizeof fresh, "%s/.new-5-6-7-8", cache_folder());
    snprintf(foreign, sizeof foreign, "%s/somebody.else", cache_folder());
    write_file(old, "half", 4);
    write_file(fresh, "half", 4);
    write_file(foreign, "half", 4);
    set_age(old, 7200);
    set_age(foreign, 7200);
    keep_on_disk(2);
    assert_int_equal(access(old, F_OK), -1);
    assert_int_equal(access(fresh, F_OK), 0);
    assert_int_equal(access(foreign, F_OK), 0);
}

UNIT_TEST(a_folder_above_256_mib_loses_what_was_not_used_for_longest) {
    char path[512];
    clear_folder();
    keep_on_disk(1);
    set_age(file_of(1), 100000);
    assert_int_equal(find_on_disk(1), FOUND_RIGHT); /* used just now */
    for (int i = 0; i < 6; i++) {
        snprintf(path, sizeof path, "%s/%064d.bin", cache_folder(), i);
        write_file(path, "", 0);
        assert_int_equal(truncate(path, 50 << 20), 0);
        set_age(path, 1000 * (i + 1));
    }
    keep_on_disk(2); /* 300 MiB: down to half of the limit, 128 MiB, the oldest first */
    for (int i = 0; i < 6; i++) {
        snprintf(path, sizeof path, "%s/%064d.bin", cache_folder(), i);
        assert_int_equal(access(path, F_OK), i < 2 ? 0 : -1);
    }
    assert_int_equal(find_on_disk(1), FOUND_RIGHT);
    assert_int_equal(find_on_disk(2), FOUND_RIGHT);
}

UNIT_TEST(memory_above_64_mib_loses_what_was_not_used_for_longest) {
    struct test_child child;
    const char *const environment[] = {"XDG_CACHE_HOME=/proc/no/such/folder", "UNIHIST_LOG", NULL};
    test_run_child(program, "fill-memory 0", environment, &child);
    /* 70 entries of 1 MiB, the first one used all the time: 63 fit beside what they need themselves. */
    assert_string_equal(child.out, "memory: right\n1 to 7: nowhere\n8 to 69: memory\n");
}

static int run_mode(const char *mode, int number) {
    if (strcmp(mode, "fill-memory") == 0)
        return fill_memory();
    if (strcmp(mode, "keep-as-nobody") == 0 && become_nobody() != 0)
        return 1;
    if (strcmp(mode, "keep-on-full-disk") == 0)
        fill_disk();
    if (strncmp(mode, "keep", 4) == 0)
        keep_anywhere(number);
    print_found(number);
    return 0;
}

TEST_MAIN(test_runtime_module_cache) {
    char mode[32];
    int number = 0;
    program = argv[0];
    if (argc == 2 && sscanf(argv[1], "%31s %d", mode, &number) == 2) {
        uhi_cache_is_on();
        return run_mode(mode, number);
    }
    return TEST_RUN(make_cache_folder, remove_cache_folder);
}
