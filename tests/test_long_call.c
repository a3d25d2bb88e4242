/* SPDX-License-Identifier: Apache-2.0 */
/* A call that works for longer than drivers wait for one launch: it is cut into launches, so that no driver takes the
 * device for one that hangs. It lasts UNIHIST_TEST_SECONDS at least, 1 by default; on hardware, 10 are more than the
 * time-outs of i915 and xe. */
#include "tests/tested.h"

#include "runtime/host.h"
#include "tests/meanshift_fixture.h"

/* Nanoseconds of the density at n places around which all of n points lie: by the flat kernel the inverse of the
 * circle's area, for any points. */
static uint64_t time_density(size_t n) {
    const double radius = 4, expected = 1 / (acos(-1) * radius * radius);
    float *x = test_memory(n * sizeof *x);
    double *density = test_memory(n * sizeof *density);
    uint64_t seed = n;
    for (size_t i = 0; i < n; i++)
        x[i] = (float)(test_random_u64(&seed) >> 40) * 0x1p-24f;
    const uh_array columns[] = {uh_array_of(UH_F32, x, n), uh_array_of(UH_F32, x, n)};
    const uint64_t begin = uhi_host_now();
    test_good(uh_kde(tested.queue, columns, 2, columns,
                     DENSITY(.radius = radius, .kernel = UH_KERNEL_FLAT, .method = UH_MEAN_SHIFT_TILES), density));
    const uint64_t took = uhi_host_now() - begin;
    for (size_t i = 0; i < n; i++)
        if (!(fabs(density[i] / expected - 1) < 1e-5))
            fail_msg("place %zu of %zu: %.9g, expected %.9g", i, n, density[i], expected);
    return took;
}

UNIT_TEST(a_call_may_take_longer_than_a_launch) {
    const char *text = getenv("UNIHIST_TEST_SECONDS");
    const double wanted = (text ? strtod(text, NULL) : 1) * 1e9;
    size_t n = 4000;
    assert_true(wanted > 0);
    for (double took = 0; took < wanted; n = (size_t)((double)n * fmin(8, fmax(1.1, sqrt(1.2 * wanted / took))))) {
        took = (double)time_density(n);
        print_message("%zu points around as many places: %.0f ms\n", n, took * 1e-6);
    }
}

TESTED_MAIN(test_long_call)
