/* SPDX-License-Identifier: Apache-2.0 */
/* Keys and positions of float64 (kernels/plan/keys.h), and plans made of them. */
#include "tests/support.h"

#include <math.h>
#include <string.h>

#include "api/histogram.h"
#include "kernels/plan/keys.h"
#include "kernels/plan/plan.h"
#include "tests/cases_edges.h"

static void end_plan(void *plan) {
    uhi_plan_destroy(plan);
}

static struct uhi_histogram_plan *make(const struct uhi_edges *edges, enum uhi_lookup lookup, int keys) {
    const struct uhi_plan_options options = {
        .lookup = lookup, .body = UHI_BODY_DEVICE, .leaf_bins = 4, .table_bytes = (size_t)64 << 20, .keys = keys};
    struct uhi_histogram_plan *plan = NULL;
    assert_int_equal(uhi_plan_create("plan", edges, UH_F64, &options, &plan), UH_SUCCESS);
    return test_at_end(plan, end_plan);
}

static void compare_plans(const struct case_axis *made) {
    static const enum uhi_lookup lookups[] = {UHI_LOOKUP_AUTO, UHI_LOOKUP_MESH};
    const struct uhi_edges edges = {
        .dtype = UH_F64, .values = made->edges, .count = made->nedges, .closed = UH_CLOSED_LEFT};
    for (size_t i = 0; i < sizeof lookups / sizeof *lookups; i++) {
        const struct uhi_histogram_plan *floats = make(&edges, lookups[i], 0);
        const struct uhi_histogram_plan *keys = make(&edges, lookups[i], 1);
        assert_int_equal(floats->tables.compare, UHI_COMPARE_F64);
        assert_int_equal(keys->tables.compare, UHI_COMPARE_K64);
        if (keys->comparisons > fmax(1, 1.2 * floats->comparisons + (lookups[i] == UHI_LOOKUP_MESH)) ||
            (double)keys->bytes > 2 * (double)floats->bytes + 256)
            fail_msg("axis '%s', %s: %g comparisons, %zu bytes; of floats %g, %zu", made->name,
                     uhi_lookup_name(lookups[i]), keys->comparisons, keys->bytes, floats->comparisons, floats->bytes);
    }
}

UNIT_TEST(keys_take_about_the_tables_and_comparisons_of_floats) {
    for (size_t number = 0; number < case_axis_count(); number++) {
        const size_t before = test_left();
        struct case_axis made;
        assert_int_equal(case_axis_make(number, &made), 0);
        if (made.dtype == UH_F64 && made.nedges < 50000)
            compare_plans(&made);
        test_end_from(before);
        case_axis_free(&made);
    }
}

/* Any bits; or beside, twice or half of another value. */
static double any_double(uint64_t *seed, double other) {
    const uint64_t bits = test_random_u64(seed);
    double x;
    memcpy(&x, &bits, sizeof x);
    switch (bits % 8) {
    case 0: return nextafter(other, x);
    case 1: return other * (double)(1 + bits / 8 % 3) / 2;
    case 2: return -other;
    case 3: return (bits & 8) != 0 ? 0.0 : -0.0;
    case 4: return copysign((double)INFINITY, x);
    default: return x;
    }
}

static int64_t bits_of(double x) {
    int64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

UNIT_TEST(keys_have_the_order_of_their_values) {
    uint64_t seed = 9;
    double x = 1;
    for (size_t i = 0; i < 300000; i++) {
        const double y = any_double(&seed, x);
        assert_int_equal(uhi_bits_are_nan(bits_of(y)), isnan(y) != 0);
        assert_int_equal(uhi_key_of_bits(uhi_key_of_bits(bits_of(y))), bits_of(y));
        if (!isnan(x) && !isnan(y)) {
            const int64_t a = uhi_key_of_bits(bits_of(x)), b = uhi_key_of_bits(bits_of(y));
            assert_int_equal(a < b, x < y || (x == 0 && y == 0 && signbit(x) && !signbit(y)));
        }
        x = isnan(y) ? 1 : y;
    }
}

/* The position of x, limited to the range as the maps do. */
static int64_t position_within(double x, double lo, double hi) {
    const uint32_t limit = uhi_position_limit(uhi_key_of_bits(bits_of(lo)), uhi_key_of_bits(bits_of(hi)));
    const int64_t first = uhi_position(bits_of(lo), limit), last = uhi_position(bits_of(hi), limit);
    const int64_t position = uhi_position(bits_of(x), limit);
    return position < first ? first : position > last ? last : position;
}

UNIT_TEST(positions_never_fall_as_the_value_grows_and_are_equal_steps) {
    uint64_t seed = 3;
    double last = 1;
    for (size_t i = 0; i < 300000; i++) {
        double v[4];
        for (size_t j = 0; j < 4; j++) {
            do
                v[j] = any_double(&seed, last);
            while (isnan(v[j]));
            last = v[j];
        }
        const double lo = fmin(v[0], v[1]), hi = fmax(v[0], v[1]), x = fmin(v[2], v[3]), y = fmax(v[2], v[3]);
        assert_true(position_within(x, lo, hi) <= position_within(y, lo, hi));
        const double larger = fmax(fabs(lo), fabs(hi));
        if (!(x >= lo && x <= hi && larger > 0x1p-900 && larger < 0x1p900))
            continue;
        /* A range has positions up to 2^29 to 2^30 in magnitude. */
        const double unit = ldexp(1, ilogb(larger) - 29);
        assert_true(fabs((double)position_within(x, lo, hi) - x / unit) <= 1);
    }
}
