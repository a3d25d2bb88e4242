/* SPDX-License-Identifier: Apache-2.0 */
/* Exponential histograms: buckets of known values at every scale, and the same ones of all types, devices and memories.
 * The Python package's tests compare with logarithms of many digits. */
#include <unihist/base2.h>

#include <float.h>

#include "tests/tested.h"

enum { N = 200000 };

#define BASE2(...) (&(const uh_base2_options){.struct_size = sizeof(uh_base2_options), __VA_ARGS__})

static void end_base2(void *base2) { uh_base2_destroy(base2); }

static uh_base2 *base2_on(uh_queue *queue, const uh_base2_options *options) {
    uh_base2 *base2 = NULL;
    test_good(uh_base2_create(queue, options, &base2));
    return test_at_end_first(base2, end_base2);
}

static uh_base2_contents contents_of(const uh_base2 *base2) {
    uh_base2_contents contents = {.struct_size = sizeof contents};
    test_good(uh_base2_get_contents(base2, &contents));
    return contents;
}

static void assert_same(const uh_base2 *base2, const uh_base2 *other) {
    const uh_base2_contents a = contents_of(base2), b = contents_of(other);
    assert_int_equal(a.scale, b.scale);
    assert_int_equal(a.zero, b.zero);
    assert_memory_equal(&a.flow, &b.flow, sizeof a.flow);
    for (int s = 0; s < 2; s++) {
        assert_int_equal(a.buckets[s].offset, b.buckets[s].offset);
        assert_int_equal(a.buckets[s].n, b.buckets[s].n);
        if (a.buckets[s].n > 0)
            assert_memory_equal(a.buckets[s].counts, b.buckets[s].counts, a.buckets[s].n * sizeof(uint64_t));
    }
}

/* Asserts that x is in the bucket of a scale that has this one of scale 20. */
static void assert_bucket(int32_t scale, double x, int64_t finest) {
    uh_base2 *base2 = NULL;
    test_good(uh_base2_create(tested.queue, BASE2(.max_bins = 4, .max_scale = &scale), &base2));
    test_good(uh_base2_fill(base2, ARRAY(UH_F64, &x, 1)));
    const uh_base2_contents contents = contents_of(base2);
    const uh_base2_buckets *buckets = &contents.buckets[x > 0];
    assert_int_equal(contents.scale, scale);
    assert_int_equal(contents.buckets[x < 0].n, 0);
    assert_true(buckets->n == 1 && buckets->counts[0] == 1);
    assert_int_equal(buckets->offset, finest >> (20 - scale));
    uh_base2_destroy(base2);
}

UNIT_TEST(powers_of_two_are_the_last_values_of_buckets_at_every_scale) {
    static const int exponents[] = {-1074, -1022, -1, 0, 1, 10, 1023};
    tested_on_host_only();
    for (int32_t scale = UH_BASE2_MIN_SCALE; scale <= UH_BASE2_MAX_SCALE; scale++) {
        for (size_t i = 0; i < sizeof exponents / sizeof *exponents; i++) {
            const double x = ldexp(1, exponents[i]);
            const int64_t after = exponents[i] * (INT64_C(1) << 20);
            assert_bucket(scale, x, after - 1);
            assert_bucket(scale, -x, after - 1);
            assert_bucket(scale, nextafter(x, DBL_MAX), x == DBL_TRUE_MIN ? -1073 * (INT64_C(1) << 20) - 1 : after);
        }
        assert_bucket(scale, DBL_MAX, 1024 * (INT64_C(1) << 20) - 1);
    }
    assert_bucket(2, 0x1.306fe0a31b715p+0, (1 << 18) - 1); /* 2^(1/4) rounds down, */
    assert_bucket(2, 0x1.6a09e667f3bcdp+0, 2 << 18);       /* 2^(2/4) up */
}

UNIT_TEST(all_types_and_places_have_the_same_buckets) {
    double *x = test_memory(N * sizeof *x);
    float *narrow = test_memory(N * sizeof *narrow);
    int64_t *whole = test_memory(N * sizeof *whole);
    int8_t *bytes = test_memory(N * sizeof *bytes);
    uint64_t random = 5;
    uh_queue *host = test_queue(1, 0);
    uh_base2 *expected = base2_on(host, NULL), *found = base2_on(tested.queue, NULL);
    for (size_t i = 0; i < N; i++) {
        bytes[i] = (int8_t)(test_random_f64(&random) * 256 - 128);
        x[i] = narrow[i] = (float)(whole[i] = bytes[i]);
    }
    for (int type = 0; type < 4; type++)
        test_good(uh_base2_fill(expected, ARRAY(UH_F64, x, N)));
    test_good(uh_base2_fill(found, THERE(UH_F64, x, N)));
    test_good(uh_base2_fill(found, THERE(UH_I8, bytes, N)));
    test_good(uh_base2_fill(found, ARRAY(UH_F32, narrow, N)));
    test_good(uh_base2_fill(found, STRIDED(UH_I64, whole + N - 1, N, -8)));
    assert_same(found, expected);
    uint64_t nan = 0, below = 0;
    for (size_t i = 0; i < N; i++) { /* whose range grows, and reaches into all kinds of values */
        x[i] = i % 997 == 996 ? NAN : i % 999 == 1 ? -INFINITY : ldexp(test_random_f64(&random) - 0.3, (int)(i / 1000));
        nan += isnan(x[i]) != 0;
        below += isinf(x[i]) != 0;
    }
    test_good(uh_base2_fill(expected, STRIDED(UH_F64, x + N - 1, N, -8)));
    test_good(uh_base2_fill(found, THERE(UH_F64, x, N / 3)));
    test_good(uh_base2_fill(found, ARRAY(UH_F64, x + N / 3, N - N / 3)));
    assert_same(found, expected);
    const uh_base2_contents contents = contents_of(found);
    assert_true(contents.flow.below == below && contents.flow.nan == nan && contents.flow.above == 0);
}

UNIT_TEST(contents_add_across_scales_and_overflows_change_nothing) {
    static const uint64_t most[] = {0, UINT64_MAX, 0};
    static const double x[] = {1, 3}, q[] = {0.5, 1};
    uh_base2 *base2 = base2_on(tested.queue, NULL);
    uh_base2_contents full = {.struct_size = sizeof full, .scale = 0, .buckets = {{-1, 3, most}, {0, 0, NULL}}};
    double values[2];
    test_good(uh_base2_fill(base2, ARRAY(UH_F64, x, 2)));
    test_good(uh_base2_merge(base2, base2));
    test_assert_failed(uh_base2_add(base2, &full), UH_ERROR_OVERFLOW, "the values pass 2^64 - 1");
    uh_base2_contents contents = contents_of(base2);
    assert_true(contents.scale == 6 && contents.buckets[1].n == 103 && contents.buckets[0].n == 0);
    full.buckets[0].n = 0;
    test_good(uh_base2_add(base2, &full));
    contents = contents_of(base2);
    assert_true(contents.scale == 0 && contents.buckets[1].n == 3 && contents.buckets[1].counts[2] == 2);
    test_good(uh_base2_quantiles(base2, q, 2, values)); /* midway in relative terms from 2^-1 to 1, and from 2 to 4 */
    assert_true(fabs(values[0] - 2.0 / 3) < 1e-15 && fabs(values[1] - 8.0 / 3) < 1e-14);
}

UNIT_TEST(wrong_arguments_are_named) {
    static const uint64_t counts[4] = {1, 1, 1, 1};
    const int32_t scale = 21;
    uh_base2 *base2 = base2_on(tested.queue, NULL), *none = NULL;
    uh_base2_contents contents = {.struct_size = sizeof contents, .scale = -10, .buckets = {{-2, 4, counts}}};
    uh_histogram *histogram = NULL;
    double q = 2, value = 0;
    test_null_is_refused(uh_base2_merge(NAMED(base2, base2), NAMED(from, base2)));
    test_null_is_refused(uh_base2_histogram(NAMED(base2, base2), NAMED(histogram, &histogram)));
    test_null_is_refused(uh_base2_get_contents(NAMED(base2, base2), NAMED(contents, &contents)));
    test_invalid(uh_base2_create(tested.queue, BASE2(.max_bins = 3), &none), "options->max_bins is 3, expected 4 to");
    test_invalid(uh_base2_create(tested.queue, BASE2(.max_scale = &scale), &none),
                 "max_scale is 21, expected -10 to 20");
    test_invalid(uh_base2_create(tested.queue, BASE2(.zero_threshold = -1), &none), "zero_threshold is -1, expected a");
    test_invalid(uh_base2_fill(base2, ARRAY(UH_F64, NULL, 1)), "x->data is NULL, expected 1 values");
    test_invalid(uh_base2_add(base2, &contents), "contents->buckets[0].offset is -2 for 4 buckets, expected those from "
                                                 "-2 to 0");
    contents.buckets[0].counts = NULL;
    test_invalid(uh_base2_add(base2, &contents), "contents->buckets[0].counts is NULL, expected 4 counts");
    contents.scale = -11;
    test_invalid(uh_base2_add(base2, &contents), "contents->scale is -11, expected -10 to 20");
    test_invalid(uh_base2_quantiles(base2, &q, 1, &value), "q[0] is 2, expected 0 to 1");
    q = 1;
    test_invalid(uh_base2_quantiles(base2, &q, 1, &value), "base2 has no values, expected some");
}

TESTED_MAIN(test_base2)
