/* SPDX-License-Identifier: Apache-2.0 */
/* Saved grids of integrals. */
#include <unihist/integrate.h>

#include "tests/files.h"
#include "tests/saved_fixture.h"
#include "tests/tested.h"

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

TEST_MAIN(test_save_grid) {
    if (files_setup(NULL) || chdir(files_directory) != 0)
        return 1;
    const int failed = tested_run();
    return chdir("/") != 0 || rmdir(files_directory) != 0 ? 1 : failed;
}
