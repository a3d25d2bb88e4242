/* SPDX-License-Identifier: Apache-2.0 */
/* Saved histograms and grids as files. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>

#include <unihist/integrate.h>

#include "tests/files.h"
#include "tests/saved_fixture.h"
#include "tests/tested.h"

/* ---- histograms ---- */

static uh_histogram *histogram;
static struct saved held; /* its bytes */

/* Each test begins so, in an empty folder, where it leaves nothing, so that what the library may have left is seen. */
static void begin(void) {
    histogram = test_saved_sample(TEST_SAVED_LINE);
    held = test_saved(histogram);
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
    test_saved_assert_equal(&again, &held);
}

UNIT_TEST(a_file_has_the_bytes_that_memory_has_and_loads) {
    begin();
    uh_histogram *loaded = NULL;
    test_good(uh_histogram_save(histogram, "a.uh"));
    assert_int_equal(files_count(0), 1);
    assert_holds("a.uh", held.bytes, held.size);
    assert_loads("a.uh");
    held.bytes[100] ^= 1;
    files_write("a.uh", held.bytes, held.size);
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
    test_good(load_pipe(&held, &loaded));
    uh_histogram_destroy(loaded);
    loaded = NULL;
    struct saved bad = test_saved_copy(&held);
    bad.size--;
    test_invalid(load_pipe(&bad, &loaded), "'pipe': it is truncated");
    bad.size++;
    memcpy(bad.bytes + 16, &huge, sizeof huge);
    test_invalid(load_pipe(&bad, &loaded), "'pipe': it is truncated");
    memcpy(bad.bytes, held.bytes, held.size);
    test_saved_resize(&bad, bad.size, 1);
    test_invalid(load_pipe(&bad, &loaded), "'pipe': it has more");
    assert_null(loaded);
    unlink("pipe");
}

/* ---- grids ---- */

static const char path[] = "grid.uh";

static void end_grid(void *grid) {
    uh_grid_destroy(grid);
}

static void peak(size_t n, const double *const *x, double *const *value, const void *context) {
    (void)context;
    for (size_t i = 0; i < n; i++)
        value[0][i] = exp(-x[0][i] * x[0][i] - 100 * (x[1][i] - 3) * (x[1][i] - 3));
}

/* One that has followed a peak, over a finite side and an infinite one. */
static uh_grid *make_grid(uh_integral *integral) {
    static const double lower[] = {-HUGE_VAL, 0}, upper[] = {HUGE_VAL, 4};
    const uh_integrand integrand = {.struct_size = sizeof integrand, .dims = 2, .function = peak};
    uh_integrate_options options = {.struct_size = sizeof options, .max_calls = 20000, .seed = 3};
    uh_grid *grid = NULL;
    *integral = (uh_integral){.struct_size = sizeof *integral};
    test_good(uh_grid_create(2, 37, lower, upper, NULL, &grid));
    options.grid = test_at_end_first(grid, end_grid);
    test_good(uh_integrate(tested.queue, &integrand, &options, integral));
    return grid;
}

static struct saved read_saved(void) {
    struct saved saved;
    saved.bytes = test_at_end(files_read(path, &saved.size), free);
    return saved;
}

static void assert_refused(const struct saved *saved, const char *text) {
    uh_grid *grid = NULL;
    files_write(path, saved->bytes, saved->size);
    test_invalid(uh_grid_load(path, &grid), "uh_grid_load: 'grid.uh': ", text);
    assert_null(grid);
}

UNIT_TEST(a_grid_comes_back_to_the_bit_and_integrates_the_same) {
    uh_integral integral, again;
    uh_grid *grid = make_grid(&integral), *loaded = NULL;
    uh_grid_properties a = {.struct_size = sizeof a}, b = a;
    test_good(uh_grid_save(grid, path));
    assert_int_equal(files_count(0), 1);
    test_good(uh_grid_load(path, &loaded));
    (void)test_at_end_first(loaded, end_grid);
    test_good(uh_grid_get_properties(grid, &a));
    test_good(uh_grid_get_properties(loaded, &b));
    assert_int_equal(b.dims, 2);
    assert_int_equal(b.bins, 37);
    assert_memory_equal(a.lower, b.lower, 2 * sizeof *a.lower);
    assert_memory_equal(a.upper, b.upper, 2 * sizeof *a.upper);
    assert_memory_equal(a.edges, b.edges, (size_t)2 * 38 * sizeof *a.edges);

    const uh_integrand integrand = {.struct_size = sizeof integrand, .dims = 2, .function = peak};
    uh_integrate_options options = {.struct_size = sizeof options, .max_calls = 5000, .seed = 9, .grid = grid};
    test_good(uh_integrate(tested.queue, &integrand, &options, &integral));
    again = (uh_integral){.struct_size = sizeof again};
    options.grid = loaded;
    test_good(uh_integrate(tested.queue, &integrand, &options, &again));
    assert_true(again.value == integral.value && again.error == integral.error);
    unlink(path);
}

UNIT_TEST(every_changed_byte_and_truncation_is_noticed) {
    uh_integral integral;
    test_good(uh_grid_save(make_grid(&integral), path));
    const struct saved saved = read_saved();
    for (size_t i = 0; i < saved.size; i += i < 600 ? 1 : 41) {
        uh_grid *grid = NULL;
        saved.bytes[i] ^= (unsigned char)(1 << i % 8);
        files_write(path, saved.bytes, saved.size);
        const uh_status status = uh_grid_load(path, &grid);
        assert_true(status == UH_ERROR_INVALID_ARGUMENT || (i >= 8 && i < 12 && status == UH_ERROR_UNSUPPORTED));
        assert_null(grid);
        saved.bytes[i] ^= (unsigned char)(1 << i % 8);
        const struct saved part = {saved.bytes, i};
        assert_refused(&part, i == 0 ? "it is empty" : i < 8 ? "" : "it is truncated");
    }
    unlink(path);
}

UNIT_TEST(numbers_that_make_no_grid_are_refused) {
    static const double nan = NAN, less = -5;
    uh_integral integral;
    test_good(uh_grid_save(make_grid(&integral), path));
    const struct saved good = read_saved();
    const struct {
        const char *section;
        size_t number;
        const double *value;
        const char *text;
    } cases[] = {{"lower", 1, &nan, "lower"}, {"upper", 1, &less, "lower"}, {"edges", 50, &less, "edges"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct saved bad = test_saved_copy(&good);
        memcpy(bad.bytes + test_saved_data(&bad, cases[i].section) + 8 * cases[i].number, cases[i].value, 8);
        test_saved_repair(&bad);
        assert_refused(&bad, cases[i].text);
    }
    struct saved bad = test_saved_copy(&good);
    const size_t edges = test_saved_section(&bad, "edges") + 48;
    memcpy(bad.bytes + edges, &(uint64_t){38}, 8); /* 38 axes of 2 edges */
    memcpy(bad.bytes + edges + 8, &(uint64_t){2}, 8);
    test_saved_repair(&bad);
    assert_refused(&bad, "section 'edges' has 38 x 2 numbers");
    memcpy(bad.bytes + edges, &(uint64_t){1}, 8);
    memcpy(bad.bytes + edges + 8, &(uint64_t){76}, 8);
    test_saved_repair(&bad);
    assert_refused(&bad, "sections 'lower' and 'upper' have 2 and 2 numbers, expected 1");
    unlink(path);
}

UNIT_TEST(files_of_others_and_wrong_arguments_are_named) {
    uh_integral integral;
    uh_grid *grid = make_grid(&integral), *none = NULL;
    uh_histogram *loaded = NULL;
    const struct saved other = test_saved(test_saved_sample(TEST_SAVED_LINE));
    assert_refused(&other, "histogram");
    test_good(uh_grid_save(grid, path));
    test_invalid(uh_histogram_load(tested.queue, path, &loaded), "uh_histogram_load: 'grid.uh': ", "grid");
    unlink(path);
    test_assert_failed(uh_grid_load(path, &none), UH_ERROR_IO, "uh_grid_load: cannot read 'grid.uh'");
    test_assert_failed(uh_grid_save(grid, "nowhere/grid.uh"), UH_ERROR_IO,
                       "uh_grid_save: cannot write 'nowhere/grid.uh'");
    test_null_is_refused(uh_grid_save(NAMED(grid, grid), NAMED(path, path)));
    test_null_is_refused(uh_grid_load(NAMED(path, path), NAMED(grid, &none)));
}

TEST_MAIN(test_save_file) {
    if (files_setup(NULL) || chdir(files_directory) != 0)
        return 1;
    const int failed = tested_run();
    return chdir("/") != 0 || rmdir(files_directory) != 0 ? 1 : failed;
}
