/* SPDX-License-Identifier: Apache-2.0 */
/* Large arrays in plain host memory: the driver imports them for a call, which then copies nothing itself, and no
 * longer. A device with memory of its own copies them, one that shares the host's reads them in place. */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include "tests/tested.h"

#include <sys/mman.h>

#include "kernels/common/engine.h"

enum { N = 100000, BINS = 16, SMALL = 4096 };

static struct soft_gpu gpu;
static float x[N], weights[N];
static const uh_array values = {UH_F32, x, sizeof *x, N};
static uint64_t expected[BINS];
static double expected_sums[BINS];

/* How often the driver has imported memory. */
static uint64_t imports(void) { return gpu.calls("zexDriverReleaseImportedPointer"); }

static void make_values(void) {
    memset(expected, 0, sizeof expected);
    memset(expected_sums, 0, sizeof expected_sums);
    for (size_t i = 0; i < N; i++) {
        const unsigned bin = (unsigned)(i * 7 + i / 11) % BINS;
        x[i] = (float)bin + 0.5f;
        weights[i] = (float)(i % 8);
        expected[bin]++;
        expected_sums[bin] += (double)weights[i];
    }
}

static uh_histogram *make_histogram(uh_storage storage) {
    uh_axis *axis = test_equal_axis(BINS, 0, BINS);
    return test_histogram_over(tested.queue, &axis, 1, OPTIONS(.storage = storage));
}

/* All values have been counted so often. */
static void assert_counted(uh_histogram *histogram, uint64_t times) {
    uint64_t counts[BINS];
    for (size_t i = 0; i < BINS; i++)
        counts[i] = times * expected[i];
    test_assert_counts(histogram, counts, NULL);
}

UNIT_TEST(an_array_is_imported_for_a_call_and_may_be_written_after_it) {
    uh_pointer_info info;
    uh_histogram *histogram = make_histogram(UH_STORAGE_COUNT);
    make_values();
    test_good(uh_histogram_fill(histogram, &values, NULL)); /* which makes buffers and counters, too */
    uint64_t before = imports();
    test_good(uh_histogram_fill(histogram, &values, NULL));
    assert_int_equal(imports(), before + 1);
    test_good(uh_pointer_type(x, &info));
    assert_int_equal(info.kind, UH_MEMORY_UNKNOWN);
    memset(x, 0, sizeof x);
    assert_counted(histogram, 2);
    uhi_import_min = SIZE_MAX;
    before = imports();
    test_good(uh_histogram_fill(histogram, &values, NULL));
    assert_int_equal(imports(), before);
    uhi_import_min = SMALL;
}

UNIT_TEST(two_arrays_are_imported_and_one_twice_is_read_all_the_same) {
    double sums[BINS];
    make_values();
    const uh_array of_weight = uh_array_of(UH_F32, weights, N);
    uh_histogram *histogram = make_histogram(UH_STORAGE_SUM);
    test_good(uh_histogram_fill(histogram, &values, &of_weight));
    const uint64_t before = imports();
    test_good(uh_histogram_fill(histogram, &values, &of_weight));
    assert_int_equal(imports(), before + 2);
    test_good(uh_histogram_sums(histogram, UH_F64, sums, NULL));
    for (size_t i = 0; i < BINS; i++)
        assert_true(sums[i] == 2 * expected_sums[i]);
    /* The values as their own weights: a bin's sum is its value times its count. */
    histogram = make_histogram(UH_STORAGE_SUM);
    test_good(uh_histogram_fill(histogram, &values, &values));
    test_good(uh_histogram_sums(histogram, UH_F64, sums, NULL));
    for (size_t i = 0; i < BINS; i++)
        assert_true(sums[i] == ((double)i + 0.5) * (double)expected[i]);
}

UNIT_TEST(what_a_driver_refuses_is_copied) {
    uh_histogram *histogram = make_histogram(UH_STORAGE_COUNT);
    make_values();
    test_good(uh_histogram_fill(histogram, &values, NULL)); /* which makes buffers and counters, too */
    assert_int_equal((gpu.fail)("zexDriverImportExternalPointer:1=ERROR_UNKNOWN"), 0);
    test_good(uh_histogram_fill(histogram, &values, NULL));
    assert_int_equal((gpu.fail)(NULL), 0);
    assert_counted(histogram, 2);
}

/* As numpy.load(mmap_mode="r") gives it: a driver may take it, and fail when it is used. */
UNIT_TEST(memory_that_is_only_read_is_copied) {
    const size_t bytes = sizeof x;
    uh_histogram *histogram = make_histogram(UH_STORAGE_COUNT);
    make_values();
    float *mapped = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(mapped != MAP_FAILED);
    memcpy(mapped, x, bytes);
    const uh_array there = uh_array_of(UH_F32, mapped, N);
    assert_int_equal(gpu.set("import=2"), 0);
    test_good(uh_histogram_fill(histogram, &there, NULL));
    assert_int_equal(mprotect(mapped, bytes, PROT_READ), 0);
    const uint64_t before = imports();
    test_good(uh_histogram_fill(histogram, &there, NULL));
    /* Where its end alone may not be written, too. */
    assert_int_equal(mprotect(mapped, bytes / 2, PROT_READ | PROT_WRITE), 0);
    test_good(uh_histogram_fill(histogram, &there, NULL));
    assert_counted(histogram, 3);
    assert_int_equal(imports(), before);
    assert_int_equal(gpu.set("import=1"), 0);
    munmap(mapped, bytes);
}

TEST_MAIN(test_import) {
    uhi_import_min = SMALL;
    return soft_gpu_find(&gpu) ? 77 : tested_run();
}
