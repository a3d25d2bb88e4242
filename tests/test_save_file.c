/* SPDX-License-Identifier: Apache-2.0 */
/* Saved histograms in files: they appear whole or not at all, and what cannot be read is named. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>

#include "tests/files.h"
#include "tests/saved_fixture.h"
#include "tests/tested.h"

static uh_histogram *histogram;
static struct saved saved; /* its bytes */

/* Each test begins so, in an empty folder, where it leaves nothing, so that what the library may have left is seen. */
static void begin(void) {
    histogram = test_saved_sample(TEST_SAVED_LINE);
    saved = test_saved(histogram);
}

static void assert_holds(const char *path, const void *bytes, size_t size) {
    size_t got;
    const char *content = test_at_end(files_read(path, &got), free);
    assert_int_equal(got, size);
    assert_memory_equal(content, bytes, size);
}

static void assert_loads(const char *path) {
    uh_histogram *loaded = NULL;
    test_good(uh_histogram_load(tested.queue, path, &loaded));
    const struct saved again = test_saved(test_at_end_first(loaded, test_end_histogram));
    test_saved_assert_equal(&again, &saved);
}

UNIT_TEST(a_file_has_the_bytes_that_memory_has_and_loads) {
    begin();
    uh_histogram *loaded = NULL;
    test_good(uh_histogram_save(histogram, "a.uh"));
    assert_int_equal(files_count(0), 1);
    assert_holds("a.uh", saved.bytes, saved.size);
    assert_loads("a.uh");
    saved.bytes[100] ^= 1;
    files_write("a.uh", saved.bytes, saved.size);
    test_invalid(uh_histogram_load(tested.queue, "a.uh", &loaded), "uh_histogram_load: 'a.uh': it is damaged");
    assert_null(loaded);
    unlink("a.uh");
}

UNIT_TEST(a_file_larger_than_all_buffers_comes_back) {
    begin();
    enum { BINS = 100000 };
    static int32_t x[BINS];
    static uint64_t counts[BINS];
    uh_axis *axis = test_equal_axis(BINS, 0, BINS);
    uh_histogram *large = test_line(tested.queue, axis), *loaded = NULL;
    for (int32_t i = 0; i < BINS; i++)
        x[i] = i / 3;
    test_good(uh_histogram_fill(large, ARRAY(UH_I32, x, BINS), NULL));
    test_good(uh_histogram_save(large, "large.uh"));
    test_good(uh_histogram_load(tested.queue, "large.uh", &loaded));
    test_at_end_first(loaded, test_end_histogram);
    assert_true(uh_axis_equal(axis, uh_histogram_axis(loaded, 0)));
    test_good(uh_histogram_counts(loaded, counts));
    for (size_t j = 0; j < BINS; j++)
        assert_int_equal(counts[j], j < BINS / 3 ? 3 : j == BINS / 3 ? BINS % 3 : 0);
    unlink("large.uh");
}

UNIT_TEST(a_file_is_replaced_whole_and_keeps_its_permissions) {
    begin();
    struct stat info;
    files_write("b.uh", "an older one", 12);
    assert_int_equal(chmod("b.uh", 0640), 0);
    assert_int_equal(symlink("b.uh", "link.uh"), 0);
    test_good(uh_histogram_save(histogram, "link.uh"));
    assert_int_equal(lstat("link.uh", &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    assert_int_equal(stat("b.uh", &info), 0);
    assert_int_equal(info.st_mode & 0777, 0640);
    assert_loads("b.uh");
    assert_loads("link.uh");
    assert_int_equal(files_count(1), 2);
}

UNIT_TEST(what_cannot_be_written_is_named_and_nothing_appears) {
    begin();
    files_write("file", "x", 1);
    assert_int_equal(mkdir("directory", 0700), 0);
    assert_int_equal(symlink("nowhere", "dangling"), 0);
    static const struct {
        const char *path, *why;
    } bad[] = {{"none/a.uh", "No such file or directory"}, {"file/a.uh", "Not a directory"},
               {"directory", "it is a directory"},         {"directory/", "expected the name of a file"},
               {"", "expected the name of a file"},        {"dangling", "it is a link to a file that does not exist"},
               {"/dev/full", "it is not a regular file"},  {"/proc/a.uh", ""}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char quoted[64];
        snprintf(quoted, sizeof quoted, "cannot write '%s': ", bad[i].path);
        test_assert_failed(uh_histogram_save(histogram, bad[i].path), UH_ERROR_IO, "uh_histogram_save: ", quoted,
                           bad[i].why);
    }
    assert_holds("file", "x", 1);
    assert_int_equal(rmdir("directory"), 0); /* it is empty */
    assert_int_equal(files_count(1), 2);
}

UNIT_TEST(a_name_that_is_too_long_is_an_error) {
    begin();
    char path[5000];
    memset(path, 'a', sizeof path);
    path[sizeof path - 1] = '\0';
    test_assert_failed(uh_histogram_save(histogram, path), UH_ERROR_IO, "cannot write", "aaaa");
    test_assert_failed(uh_histogram_load(tested.queue, path, &histogram), UH_ERROR_IO, "cannot read", "aaaa");
    assert_int_equal(files_count(0), 0);
}

/* A limit on the size of files stands for a full disk: write() fails in the middle. */
UNIT_TEST(a_disk_that_is_full_leaves_the_old_file_and_no_other) {
    begin();
    const struct rlimit full = {200, RLIM_INFINITY};
    struct rlimit before;
    files_write("c.uh", "an older one", 12);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &full), 0);
    uh_status status = uh_histogram_save(histogram, "c.uh"), other = uh_histogram_save(histogram, "d.uh");
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, SIG_DFL);
    assert_int_equal(status, UH_ERROR_IO);
    test_assert_failed(other, UH_ERROR_IO, "uh_histogram_save: cannot write 'd.uh': File too large");
    assert_holds("c.uh", "an older one", 12);
    assert_int_equal(files_count(1), 1);
}

UNIT_TEST(what_cannot_be_read_is_named) {
    begin();
    uh_histogram *loaded = NULL;
    assert_int_equal(mkdir("directory", 0700), 0);
    test_assert_failed(uh_histogram_load(tested.queue, "none.uh", &loaded), UH_ERROR_IO,
                       "uh_histogram_load: cannot read 'none.uh': No such file or directory");
    test_assert_failed(uh_histogram_load(tested.queue, "directory", &loaded), UH_ERROR_IO,
                       "uh_histogram_load: cannot read 'directory': Is a directory");
    assert_null(loaded);
    rmdir("directory");
}

/* ---- pipes ---- */

static struct saved piped;

static void *feed_pipe(void *path) {
    int fd = open(path, O_WRONLY);
    for (size_t at = 0; at < piped.size;) {
        size_t part = piped.size - at < 37 ? piped.size - at : 37;
        ssize_t written = write(fd, piped.bytes + at, part);
        if (written <= 0)
            break;
        at += (size_t)written;
    }
    close(fd);
    return NULL;
}

static uh_status load_pipe(const struct saved *bytes, uh_histogram **loaded) {
    pthread_t feeder;
    piped = *bytes;
    signal(SIGPIPE, SIG_IGN);
    assert_int_equal(pthread_create(&feeder, NULL, feed_pipe, "pipe"), 0);
    uh_status status = uh_histogram_load(tested.queue, "pipe", loaded);
    assert_int_equal(pthread_join(feeder, NULL), 0);
    signal(SIGPIPE, SIG_DFL);
    return status;
}

UNIT_TEST(a_pipe_loads_and_is_checked_too) {
    begin();
    static const uint64_t huge = UINT64_C(1) << 62;
    uh_histogram *loaded = NULL;
    assert_int_equal(mkfifo("pipe", 0600), 0);
    test_good(load_pipe(&saved, &loaded));
    uh_histogram_destroy(loaded);
    loaded = NULL;
    struct saved bad = test_saved_copy(&saved);
    bad.size--;
    test_invalid(load_pipe(&bad, &loaded), "'pipe': it is truncated");
    bad.size++;
    memcpy(bad.bytes + 16, &huge, sizeof huge);
    test_invalid(load_pipe(&bad, &loaded), "'pipe': it is truncated");
    memcpy(bad.bytes, saved.bytes, saved.size);
    test_saved_resize(&bad, bad.size, 1);
    test_invalid(load_pipe(&bad, &loaded), "'pipe': it has more behind its end");
    assert_null(loaded);
    unlink("pipe");
}

TEST_MAIN(test_save_file) {
    if (files_setup(NULL) || chdir(files_directory) != 0)
        return 1;
    const int failed = tested_run();
    return chdir("/") != 0 || rmdir(files_directory) != 0 ? 1 : failed;
}
