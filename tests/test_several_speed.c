/* SPDX-License-Identifier: Apache-2.0 */
/* How much faster several devices are than one, on the soft driver's devices of two: by its time model, in which a
 * launch lasts a multiple of the CPUs' time for it. That time is waited for and not worked, so that two
 * devices are at work at once though there are few CPUs, or busy ones. */
#include "runtime/host.h"
#include "tests/arrays.h"

enum { N = 2000000, TRIES = 3, MORE_TRIES = 15, BINS = 64 };

static struct soft_gpu gpu;
static float *values;
static uint64_t expected[BINS];

/* Values in the middle of bins. */
static int make_values(void **state) {
    uint64_t seed = 1;
    values = malloc(N * sizeof *values);
    if (!values || soft_gpu_find(&gpu))
        return -1;
    for (size_t i = 0; i < N; i++) {
        const unsigned bin = (unsigned)(test_random_u64(&seed) % BINS);
        values[i] = (float)bin + 0.5F;
        expected[bin]++;
    }
    return 0;
}

static int free_values(void **state) {
    free(values);
    return (gpu.set)("slow=0");
}

static uh_histogram *histogram_on(const char *selector) {
    uh_device *device = NULL;
    test_good(uh_device_select(selector, &device));
    return test_line(test_queue_of(device, NULL), test_equal_axis(BINS, 0, BINS));
}

/* Seconds of a fill, with all that it takes to have the counts. */
static double time_fill(uh_histogram *histogram) {
    const uh_array x = uh_array_of(UH_F32, values, N);
    uint64_t counts[BINS];
    test_good(uh_histogram_reset(histogram));
    const uint64_t begin = uhi_host_now();
    test_good(uh_histogram_fill(histogram, &x, NULL));
    test_good(uh_histogram_counts(histogram, counts));
    const double seconds = (double)(uhi_host_now() - begin) * 1e-9;
    assert_memory_equal(counts, expected, sizeof counts);
    return seconds;
}

/* How many times as fast the first two devices are as the first alone, which is the faster one: the median of tries,
 * each of both, one after the other, as what else the CPUs do comes and goes. Tries again while that is less than
 * `wanted`. Other work makes a launch's time by the model longer, not only the waits, so that wanted is less than what
 * a machine with nothing else to do shows. */
static double find_gain(const char *slow, double wanted) {
    double gains[MORE_TRIES], median = 0; /* in order */
    size_t tries = 0;
    assert_int_equal((gpu.set)(slow), 0);
    uh_histogram *one = histogram_on("level_zero:0"), *both = histogram_on("level_zero:0,1");
    while (tries < TRIES || (tries < MORE_TRIES && median < wanted)) {
        const double alone = time_fill(one), together = time_fill(both);
        print_message("%s: %.0f ms alone, %.0f ms together\n", slow, alone * 1e3, together * 1e3);
        gains[tries++] = alone / together;
        qsort(gains, tries, sizeof *gains, test_ascending);
        median = gains[tries / 2];
    }
    print_message("%s: %.2f times as fast\n", slow, median);
    return median;
}

UNIT_TEST(two_equal_devices_are_nearly_twice_as_fast_as_one) { assert_true(find_gain("slow=30", 1.6) >= 1.6); }

UNIT_TEST(one_that_is_a_third_as_fast_helps) {
    assert_true(find_gain("slow=30/90", 1.1) >= 1.1); /* at most 4/3; without a share that fits, 2/3 */
}

TEST_ZE_MAIN(test_several_speed, make_values, free_values)
