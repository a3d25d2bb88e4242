/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/cases_histogram.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/splitmix.h"

/* ---- the sets that are written out ---- */

#define LIST(type, dtype, name, ...)                                                                                   \
    { #name, dtype, (const type[]){__VA_ARGS__ }, sizeof((const type[]){__VA_ARGS__}) / sizeof(type) }

#define F64(name, ...) LIST(double, UH_F64, name, __VA_ARGS__)
#define F32(name, ...) LIST(float, UH_F32, name, __VA_ARGS__)

#define TINY64 DBL_TRUE_MIN
#define TINY32 FLT_TRUE_MIN

static const struct {
    const char *name;
    uh_dtype dtype;
    const void *edges;
    size_t nedges;
} lists[] = {
    F64(paper_figure_4, 0, 21, 25, 28, 44, 47, 57, 70),
    F64(one_bin, -1, 1),
    F64(two_bins, 0, 0.1, 10),
    F64(three_bins, -3.5, -3.25, 0.1, 1e9),
    F64(repeated, 0, 0, 1, 1, 1, 2, 5, 5),
    F64(all_equal, 5, 5, 5, 5),
    F64(all_zero, -0.0, 0.0, -0.0, 0.0),
    F64(all_infinite, INFINITY, INFINITY),
    F64(all_minus_infinite, -INFINITY, -INFINITY, -INFINITY),
    F64(infinite_ends, -INFINITY, -1, 0, 1, INFINITY),
    F64(repeated_infinite_ends, -INFINITY, -INFINITY, -INFINITY, -2, 0, 7, INFINITY, INFINITY),
    F64(minus_infinity_to_infinity, -INFINITY, INFINITY),
    F64(half_infinite, 0, 1e-320, 1, INFINITY, INFINITY),
    F64(around_zero, -3, -2, -1, -0.0, 1, 2, 3),
    F64(both_zeros, -1, -0.0, 0.0, 1),
    F64(smallest_numbers, -TINY64, 0, TINY64, 2 * TINY64),
    F32(smallest_floats, -2 * TINY32, -TINY32, -0.0F, TINY32, FLT_MIN, 1),
    /* Steps of two by the numbers' bits, if it were not for the two zeros. */
    F64(minus_zero_near, -9 * TINY64, -7 * TINY64, -5 * TINY64, -3 * TINY64, -TINY64, 0, 2 * TINY64, 4 * TINY64),
    F32(minus_zero_near_f32, -9 * TINY32, -7 * TINY32, -5 * TINY32, -3 * TINY32, -TINY32, 0, 2 * TINY32, 4 * TINY32),
    F64(from_zero_to_denormal, 0, TINY64),
    F64(too_large_for_f32, 1e300, 1e301, 1e302),
    F64(just_beyond_f32, FLT_MAX, 3.4028235677973366e38, 3.5e38),
    F64(just_beyond_i64, 0x1p63 - 2048, 0x1p63 - 1024, 0x1p63, 0x1p63 + 2048, 0x1p64 - 2048, 0x1p64, 0x1p64 + 4096),
    F64(far_below, -1e300, -1e200, -1e30),
    F64(everything_inside, -1e30, 1e30),
    F64(everything_inside_many, -1e30, -1e20, -1e10, -1, 0, 1, 1e10, 1e20, 1e30),
    F64(all_doubles, -DBL_MAX, -1e308, -1, 0, 1, 1e308, 1.5e308, DBL_MAX),
    F32(all_floats, -FLT_MAX, -3e38F, -2.9e38F, -1, 0, 1, 2.9e38F, 3e38F, FLT_MAX),
    F64(negative_for_unsigned, -100, -50.5, -1),
    F64(negative_to_positive, -5, -0.5, 0.5, 1, 3, 200.5, 254.5, 70000.25, 4294967295.5),
    F64(small_types_ends, -32769, -32768, -129, -128.5, -128, -1, 0, 127, 127.5, 128, 255, 256, 32767, 32768, 65535,
        65536),
    F64(i32_ends, -2147483649.0, -2147483648.0, -2147483647.5, 0, 2147483646.5, 2147483647, 2147483648.0, 4294967294.0,
        4294967295.0, 4294967296.0),
    LIST(int32_t, UH_I32, i32_extremes, INT32_MIN, INT32_MIN + 1, -2000000000, 2000000000, INT32_MAX - 1, INT32_MAX),
    LIST(int32_t, UH_I32, i32_wide, INT32_MIN, -2000000000, 0, 2000000000, INT32_MAX),
    LIST(int32_t, UH_I32, i32_two, -2000000000, 2000000000),
    LIST(uint32_t, UH_U32, u32_extremes, 0, 1, 2147483647U, 2147483648U, 2147483649U, UINT32_MAX - 1, UINT32_MAX),
    LIST(int64_t, UH_I64, i64_extremes, INT64_MIN, INT64_MIN + 1, INT64_MIN + 1025, -1, 0, 1, INT64_MAX - 1, INT64_MAX),
    LIST(int64_t, UH_I64, i64_wide, INT64_MIN, -9000000000000000000, 0, 9000000000000000000, INT64_MAX),
    LIST(int64_t, UH_I64, i64_beyond_2_53, -9007199254740995, -9007199254740993, 9007199254740991, 9007199254740993,
         9007199254740995, 9007199254740997, 18014398509481985),
    LIST(uint64_t, UH_U64, u64_extremes, 0, 1, UINT64_C(9223372036854775807), UINT64_C(9223372036854775808),
         UINT64_C(9223372036854775809), UINT64_MAX - 1, UINT64_MAX),
    LIST(uint64_t, UH_U64, u64_top, UINT64_MAX - 3000, UINT64_MAX - 2048, UINT64_MAX - 1025, UINT64_MAX - 3,
         UINT64_MAX - 1),
    LIST(int8_t, UH_I8, i8_few, -128, -127, -1, 0, 0, 5, 127),
    LIST(int16_t, UH_I16, i16_few, -32768, -300, -1, 0, 1000, 32767),
    LIST(uint16_t, UH_U16, u16_few, 0, 1, 255, 256, 257, 65534, 65535),
};

/* ---- the sets that are made ---- */

/* What a maker is given: where the edges go, as long doubles, and its numbers. */
struct recipe {
    const char *name;
    uh_dtype dtype;
    size_t bins;
    void (*make)(const struct recipe *recipe, long double *edges);
    double a, b;
    enum case_bins family; /* of family */
};

/* One of the paper's. */
static void family(const struct recipe *r, long double *edges) {
    double *made = oracle_memory(r->bins + 1, sizeof *made);
    if (case_edges(r->family, r->bins, r->a, r->b, 42, made))
        abort();
    for (size_t j = 0; j <= r->bins; j++)
        edges[j] = made[j];
    free(made);
}

/* Equal steps from a to b. */
static void steps(const struct recipe *r, long double *edges) {
    for (size_t j = 0; j <= r->bins; j++)
        edges[j] = r->a + ((long double)r->b - r->a) * (long double)j / (long double)r->bins;
}

/* Equal factors from a to b. */
static void factors(const struct recipe *r, long double *edges) {
    for (size_t j = 0; j <= r->bins; j++)
        edges[j] = r->a * powl((long double)r->b / r->a, (long double)j / (long double)r->bins);
    edges[r->bins] = r->b;
}

/* Equal factors on both sides of zero, which is an edge. */
static void both_sides(const struct recipe *r, long double *edges) {
    size_t half = r->bins / 2;
    for (size_t j = 0; j < half; j++) {
        long double x = r->a * powl((long double)r->b / r->a, (long double)j / (long double)half);
        edges[half + 1 + j] = x;
        edges[half - 1 - j] = -x;
    }
    edges[half] = 0;
}

/* Multiples of a, from -b on. */
static void multiples(const struct recipe *r, long double *edges) {
    for (size_t j = 0; j <= r->bins; j++)
        edges[j] = (long double)r->a * ((long double)j - r->b);
}

/* 0, then neighbouring values of the type from a on, then b. */
static void cluster(const struct recipe *r, long double *edges) {
    edges[0] = 0;
    float f = (float)r->a;
    double d = r->a;
    for (size_t j = 1; j < r->bins; j++) {
        edges[j] = r->dtype == UH_F32 ? (long double)f : (long double)d;
        f = nextafterf(f, INFINITY);
        d = nextafter(d, INFINITY);
    }
    edges[r->bins] = r->b;
}

/* Neighbouring values (a at least) in the middle of two far ends, -b and b (0 and b where the type has no sign), each
 * an edge twice over: no map separates the cluster's values, and the range fills the type. */
static void island(const struct recipe *r, long double *edges) {
    int is_unsigned = r->dtype == UH_U32 || r->dtype == UH_U64, is_float = r->dtype == UH_F32 || r->dtype == UH_F64;
    long double low = is_unsigned ? 0 : -(long double)r->b, step = is_float ? 0 : 1;
    float f = (float)r->a;
    double d = r->a;
    edges[0] = low;
    edges[1] = is_float ? low / 2 : low + 1;
    for (size_t j = 2; j + 1 < r->bins; j++) {
        edges[j] = r->dtype == UH_F32 ? (long double)f : is_float ? (long double)d : r->a + step * (long double)j;
        f = nextafterf(f, INFINITY);
        d = nextafter(d, INFINITY);
    }
    edges[r->bins - 1] = is_float ? r->b / 2 : (long double)r->b - 2;
    edges[r->bins] = is_float ? (long double)r->b : (long double)r->b - 1;
}

/* Clusters of 8 in clusters of 8, each `a` times as narrow as the one around it: every level of a mesh is crowded. */
static void nested(const struct recipe *r, long double *edges) {
    for (size_t j = 0; j < r->bins; j++) {
        long double x = 0, width = r->b;
        for (size_t rest = j, power = r->bins / 8; power > 0; power /= 8) {
            size_t digit = rest / power; /* of 8, at this depth */
            x += width * (long double)digit / 8;
            rest %= power;
            width *= r->a;
        }
        edges[j] = x;
    }
    edges[r->bins] = r->b * 2;
}

/* Numbers a to b in random places; sorted afterwards. */
static void anywhere(const struct recipe *r, long double *edges) {
    uint64_t state = (uint64_t)r->bins;
    for (size_t j = 0; j <= r->bins; j++) {
        long double unit = (long double)splitmix_next(&state) * 0x1p-64L;
        edges[j] = r->a + ((long double)r->b - r->a) * unit;
        if (r->dtype != UH_F32 && r->dtype != UH_F64)
            edges[j] = floorl(edges[j]);
    }
}

/* Random bit patterns of float64: all magnitudes, both signs. */
static void any_bits(const struct recipe *r, long double *edges) {
    uint64_t state = 7;
    for (size_t j = 0; j <= r->bins;) {
        uint64_t bits = splitmix_next(&state);
        double d;
        float f;
        uint32_t low = (uint32_t)bits;
        memcpy(&d, &bits, sizeof d);
        memcpy(&f, &low, sizeof f);
        long double x = r->dtype == UH_F32 ? (long double)f : (long double)d;
        if (!isnan(x))
            edges[j++] = x;
    }
}

/* The paper's bins, section VI.C: F^-1 of equal steps, from a to b; found by bisection where F has no inverse here. */
static long double normal_quantile(long double v) {
    long double lo = -40, hi = 40;
    if (v <= 0 || v >= 1)
        return v <= 0 ? -(long double)INFINITY : (long double)INFINITY;
    for (int i = 0; i < 80; i++) {
        long double middle = (lo + hi) / 2;
        if (erfcl(-middle * sqrtl(0.5L)) / 2 < v)
            lo = middle;
        else
            hi = middle;
    }
    return lo;
}
static void normal_bins(const struct recipe *r, long double *edges) {
    for (size_t j = 0; j <= r->bins; j++)
        edges[j] = normal_quantile(r->a + ((long double)r->b - r->a) * (long double)j / (long double)r->bins);
}
static void lognormal_bins(const struct recipe *r, long double *edges) {
    normal_bins(r, edges);
    for (size_t j = 0; j <= r->bins; j++)
        edges[j] = expl(3 * edges[j]);
}
static void exponential_bins(const struct recipe *r, long double *edges) {
    for (size_t j = 0; j <= r->bins; j++)
        edges[j] = -log1pl(-(r->a + ((long double)r->b - r->a) * (long double)j / (long double)r->bins));
}

static const struct recipe recipes[] = {
    {"worst 100 0.1", UH_F64, 100, family, 1000, 0.1, CASE_WORST},
    {"worst 100 0.01", UH_F64, 100, family, 1000, 0.01, CASE_WORST},
    {"worst 100 0.001", UH_F64, 100, family, 1000, 0.001, CASE_WORST},
    {"worst 1000 0.001", UH_F64, 1000, family, 1000, 0.001, CASE_WORST},
    {"worst 1000 0.001 f32", UH_F32, 1000, family, 1000, 0.001, CASE_WORST},
    {"worst 7 1e-300", UH_F64, 7, family, 1, 1e-300, CASE_WORST},
    {"random 1", UH_F64, 1, family, 1000, 0.1, CASE_RANDOM},
    {"random 2", UH_F64, 2, family, 1000, 0.1, CASE_RANDOM},
    {"random 3", UH_F64, 3, family, 1000, 0.1, CASE_RANDOM},
    {"random 7", UH_F64, 7, family, 1000, 0.1, CASE_RANDOM},
    {"random 7 f32", UH_F32, 7, family, 1000, 0.1, CASE_RANDOM},
    {"random 100", UH_F64, 100, family, 1000, 0.01, CASE_RANDOM},
    {"random 1000", UH_F64, 1000, family, 1000, 0.001, CASE_RANDOM},
    {"random 1000 f32", UH_F32, 1000, family, 1000, 0.001, CASE_RANDOM},
    {"almost 100", UH_F64, 100, family, 1000, 0.1, CASE_ALMOST},
    {"almost 1000", UH_F64, 1000, family, 1000, 0.01, CASE_ALMOST},
    {"almost 1000 f32", UH_F32, 1000, family, 1000, 0.1, CASE_ALMOST},
    {"equal 10", UH_F64, 10, steps, 0, 1, 0},
    {"equal 1000 f32", UH_F32, 1000, steps, -1, 1, 0},
    {"equal 100 at a million", UH_F64, 100, steps, 1e6, 1e6 + 1e-7, 0},
    {"equal all of f32", UH_F32, 333, steps, -FLT_MAX, FLT_MAX, 0},
    {"equal most of f64", UH_F64, 333, steps, -DBL_MAX, DBL_MAX, 0},
    {"thirds", UH_F64, 200, steps, -10.5, 210.1, 0},
    {"normal bins", UH_F64, 400, normal_bins, 0, 1, 0},
    {"normal bins f32", UH_F32, 1000, normal_bins, 0.001, 0.999, 0},
    {"exponential bins", UH_F64, 1000, exponential_bins, 0, 1, 0},
    {"lognormal bins", UH_F64, 1000, lognormal_bins, 0, 0.9999, 0},
    {"lognormal bins f32", UH_F32, 200, lognormal_bins, 0, 1, 0},
    {"log 60 decades", UH_F64, 120, factors, 1e-30, 1e30, 0},
    {"log 76 decades f32", UH_F32, 300, factors, 1e-38, 1e38, 0},
    {"log 600 decades", UH_F64, 600, factors, 1e-300, 1e300, 0},
    {"log both sides", UH_F64, 400, both_sides, 1e-300, 1e300, 0},
    {"log both sides f32", UH_F32, 300, both_sides, 1e-38, 1e38, 0},
    {"powers of two", UH_F64, 2090, factors, 0x1p-1070, 0x1p1020, 0},
    {"denormal steps", UH_F64, 50, multiples, 7 * TINY64, 20, 0},
    {"denormal steps f32", UH_F32, 50, multiples, 3 * (double)TINY32, 25, 0},
    {"integers", UH_F64, 255, multiples, 1, 128, 0},
    {"halves", UH_F64, 600, multiples, 0.5, 301, 0},
    {"cluster at 1000", UH_F64, 1000, cluster, 1000, 2000, 0},
    {"cluster at 1000 f32", UH_F32, 1000, cluster, 1000, 2000, 0},
    {"cluster at 1 to 1e300", UH_F64, 300, cluster, 1, 1e300, 0},
    {"nested 64", UH_F64, 64, nested, 0x1p-20, 1000, 0},
    {"nested 4096", UH_F64, 4096, nested, 0x1p-30, 1e6, 0},
    {"nested 4096 f32", UH_F32, 4096, nested, 0x1p-20, 1e6, 0},
    {"nested 512 i64", UH_I64, 512, nested, 0x1p-18, 0x1p62, 0},
    {"island f32", UH_F32, 200, island, 1000, FLT_MAX, 0},
    {"island f64", UH_F64, 200, island, 1000, DBL_MAX, 0},
    {"island of denormals", UH_F64, 200, island, TINY64, DBL_MAX, 0},
    {"island i32", UH_I32, 200, island, -5, 0x1p31, 0},
    {"small island i32", UH_I32, 6, island, -2e9, 0x1p31, 0},
    {"island u32", UH_U32, 200, island, 1e9, 0x1p32, 0},
    {"island i64", UH_I64, 200, island, 1e15, 0x1p63, 0},
    {"island u64", UH_U64, 200, island, 1e19, 0x1p64, 0},
    {"any bits f64", UH_F64, 500, any_bits, 0, 0, 0},
    {"any bits f32", UH_F32, 500, any_bits, 0, 0, 0},
    {"all of i8", UH_I8, 255, multiples, 1, 128, 0},
    {"all of u8", UH_U8, 255, multiples, 1, 0, 0},
    {"u16 anywhere", UH_U16, 1000, anywhere, 0, 65536, 0},
    {"i32 small", UH_I32, 300, anywhere, -1000, 1000, 0},
    {"i32 anywhere", UH_I32, 700, anywhere, -0x1p31, 0x1p31, 0},
    {"u32 anywhere", UH_U32, 700, anywhere, 0, 0x1p32, 0},
    {"i64 anywhere", UH_I64, 700, anywhere, -0x1p63, 0x1p63, 0},
    {"u64 anywhere", UH_U64, 700, anywhere, 0, 0x1p64, 0},
    {"u64 above 2^63", UH_U64, 500, anywhere, 0x1p63, 0x1p63 + 0x1p20, 0},
    {"i64 dense above 2^53", UH_I64, 900, multiples, 1, -0x1p53, 0},
    {"i64 logarithmic", UH_I64, 600, factors, 1, 0x1p62, 0},
    {"random 65537", UH_F64, 65537, family, 1000, 1e-6, CASE_RANDOM},
    {"anywhere 65537 f32", UH_F32, 65537, anywhere, 0, 1000, 0},
    {"i32 anywhere 65537", UH_I32, 65537, anywhere, -0x1p31, 0x1p31, 0},
    {"equal 1000000", UH_F64, 1000000, steps, 0, 1, 0},
    {"anywhere 1100000", UH_F64, 1100000, anywhere, -1, 1, 0},
    {"log 1000000 f32", UH_F32, 1000000, factors, 1e-38, 1e38, 0},
    {"i64 anywhere 1100000", UH_I64, 1100000, anywhere, -0x1p63, 0x1p63, 0},
};

/* ---- all of them ---- */

enum { LISTS = sizeof lists / sizeof *lists, RECIPES = sizeof recipes / sizeof *recipes };

size_t case_axis_count(void) { return LISTS + RECIPES; }

static const void *make_edges(const struct recipe *recipe) {
    const size_t n = recipe->bins + 1, size = uh_dtype_size(recipe->dtype);
    long double *made = oracle_memory(n, sizeof *made);
    char *edges = oracle_memory(n, size);
    recipe->make(recipe, made);
    qsort(made, n, sizeof *made, oracle_ascending);
    for (size_t j = 0; j < n; j++)
        (void)oracle_store(recipe->dtype, made[j], edges + j * size);
    free(made);
    return edges;
}

static const char *name_of(size_t number) { return number < LISTS ? lists[number].name : recipes[number - LISTS].name; }

const struct case_axis *case_axis(size_t number) {
    static struct case_axis axes[LISTS + RECIPES];
    const struct recipe *recipe = number < LISTS ? NULL : &recipes[number - LISTS];
    struct case_axis *axis = &axes[number];
    if (axis->edges)
        return axis;
    axis->name = name_of(number);
    axis->dtype = recipe ? recipe->dtype : lists[number].dtype;
    axis->edges = recipe ? make_edges(recipe) : lists[number].edges;
    axis->nedges = recipe ? recipe->bins + 1 : lists[number].nedges;
    axis->oracle = oracle_axis_of(axis->dtype, axis->edges, axis->nedges, UH_CLOSED_LEFT);
    return axis;
}

const struct case_axis *case_axis_named(const char *name) {
    for (size_t i = 0; i < case_axis_count(); i++)
        if (strcmp(name_of(i), name) == 0)
            return case_axis(i);
    abort();
}
