/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/tried_axis.h"

#include "api/histogram.h"
#include "tests/support.h"

static const char *const names[TRIED_AXES_FEW] = {"random 100", "paper_figure_4", "log 60 decades", "nested 64",
                                                  "worst 100 0.001"};
static const char *const families[TRIED_AXES_FAMILIES] = {"equal", "crowded at one end", "crowded in the middle",
                                                          "growing"};
/* Tables and counts in local memory, counts there, counts in global memory: for each size of local memory that Intel's
 * devices have. */
static const size_t sizes[TRIED_AXES_SIZES] = {50, 500, 10000, 20000, 40000};

static void name_axis(size_t number, char *name, size_t size) {
    const size_t large = number - TRIED_AXES_FEW;
    if (number < TRIED_AXES_FEW)
        snprintf(name, size, "%s", names[number]);
    else
        snprintf(name, size, "%s %zu", families[large % TRIED_AXES_FAMILIES], sizes[large / TRIED_AXES_FAMILIES]);
}

static double edge(size_t family, double part) {
    const double side = 2 * part - 1;
    switch (family) {
    case 0: return 100 + 30000 * part;
    case 1: return 100 + 30000 * part * part * part;
    case 2: return 100 + 30000 * side * side * side * side * side * side * side;
    default: return pow(1e9, part);
    }
}

struct tried_lookup tried_lookup_of(size_t number) {
    const size_t type = number / TRIED_LOOKUPS % TRIED_TYPES;
    return (struct tried_lookup){.axis = number / TRIED_LOOKUPS / TRIED_TYPES,
                                 .dtype = type < UH_DTYPE_COUNT ? (uh_dtype)type : UH_F64,
                                 .keys = type == UH_DTYPE_COUNT,
                                 .by = (enum uhi_lookup)(number % TRIED_LOOKUPS)};
}

void tried_lookup_describe(struct tried_lookup lookup, size_t axis, int is_of_few, struct tried *tried) {
    char name[64];
    name_axis(axis, name, sizeof name);
    snprintf(tried->name, sizeof tried->name, "%s%s by %s on %s", uh_enum_name(UH_ENUM_DTYPE, lookup.dtype),
             lookup.keys ? " as keys" : "", uhi_lookup_name(lookup.by), name);
    tried->exact = is_of_few ? 5000 : 0;
    tried->in_null = is_of_few ? 0 : 5000;
}

void tried_lookup_force(struct tried_lookup lookup, uh_histogram *histogram, size_t axis) {
    uhi_histogram_want(histogram, axis, lookup.by);
    if (lookup.keys && histogram->options[axis].body == UHI_BODY_DEVICE)
        histogram->options[axis].keys = 1;
}

static void make_large(size_t number, struct case_axis *axis) {
    const size_t bins = sizes[number / TRIED_AXES_FAMILIES];
    double *edges = oracle_memory(bins + 1, sizeof *edges);
    for (size_t i = 0; i <= bins; i++)
        edges[i] = edge(number % TRIED_AXES_FAMILIES, (double)i / (double)bins);
    *axis = (struct case_axis){.dtype = UH_F64, .edges = edges, .nedges = bins + 1};
    axis->oracle = oracle_axis_of(UH_F64, edges, bins + 1, UH_CLOSED_LEFT);
}

const struct case_axis *tried_axis(size_t number) {
    static struct case_axis large[TRIED_AXES - TRIED_AXES_FEW];
    if (number < TRIED_AXES_FEW)
        return case_axis_named(names[number]);
    struct case_axis *axis = &large[number - TRIED_AXES_FEW];
    if (!axis->edges)
        make_large(number - TRIED_AXES_FEW, axis);
    return axis;
}

uh_axis *tried_axis_create(struct use *use, const struct case_axis *axis) {
    const uh_distribution normal = {
        .struct_size = sizeof normal, .kind = UH_DISTRIBUTION_NORMAL, .location = 15000, .scale = 5000};
    uh_axis *plain = NULL, *made = NULL;
    if (use_call(use, "uh_axis_create_edges",
                 uh_axis_create_edges(axis->dtype, axis->edges, axis->nedges, UH_CLOSED_LEFT, &plain)))
        (void)use_call(use, "uh_axis_create_with_distribution",
                       uh_axis_create_with_distribution(plain, &normal, &made));
    uh_axis_destroy(plain);
    return made;
}

/* ---- values ---- */

/* The number of tried edges of an axis with more. */
enum { MAX_EDGES = 20000, SPECIALS = 40 };

/* Where the values go. */
struct sink {
    uh_dtype dtype;
    size_t size, n, room;
    char *to;
};

static void put(struct sink *sink, long double x) {
    if (sink->n < sink->room)
        oracle_store(sink->dtype, x, sink->to + sink->n++ * sink->size);
}

static void put_bits(struct sink *sink, uint64_t bits) {
    if (sink->n < sink->room)
        memcpy(sink->to + sink->n++ * sink->size, &bits, sink->size); /* little-endian: the low bytes */
}

static void put_specials(struct sink *sink) {
    static const uint32_t f32[] = {0x80000000, 0x00000000, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000,
                                   0x7f800001, 0xffbfffff, 0x7fffffff, 0xffffffff, 0x00000001, 0x80000001,
                                   0x007fffff, 0x00800000, 0x807fffff, 0x7f7fffff, 0xff7fffff, 0x3f800000};
    static const uint64_t f64[] = {
        UINT64_C(0x8000000000000000), UINT64_C(0x0000000000000000), UINT64_C(0x7ff0000000000000),
        UINT64_C(0xfff0000000000000), UINT64_C(0x7ff8000000000000), UINT64_C(0xfff8000000000000),
        UINT64_C(0x7ff0000000000001), UINT64_C(0xfff7ffffffffffff), UINT64_C(0x7fffffffffffffff),
        UINT64_C(0xffffffffffffffff), UINT64_C(0x0000000000000001), UINT64_C(0x8000000000000001),
        UINT64_C(0x000fffffffffffff), UINT64_C(0x0010000000000000), UINT64_C(0x7fefffffffffffff),
        UINT64_C(0xffefffffffffffff), UINT64_C(0x3ff0000000000000), UINT64_C(0x7ff00000ffffffff)};
    if (sink->dtype == UH_F32) {
        for (size_t i = 0; i < sizeof f32 / sizeof *f32; i++)
            put_bits(sink, f32[i]);
    } else if (sink->dtype == UH_F64) {
        for (size_t i = 0; i < sizeof f64 / sizeof *f64; i++)
            put_bits(sink, f64[i]);
    } else {
        uint64_t top = UINT64_C(1) << (8 * sink->size - 1);
        const uint64_t bits[] = {0, 1, 2, UINT64_MAX, UINT64_MAX - 1, top, top - 1, top + 1, top - 2};
        for (size_t i = 0; i < sizeof bits / sizeof *bits; i++)
            put_bits(sink, bits[i]);
    }
}

static long double finite(long double x) {
    return x < -DBL_MAX ? (long double)-DBL_MAX : x > DBL_MAX ? (long double)DBL_MAX : x;
}

static void put_edge(struct sink *sink, long double edge) {
    char element[8];
    long double nearest = oracle_store(sink->dtype, edge, element);
    put(sink, nearest);
    put(sink, oracle_neighbour(sink->dtype, nearest, 1));
    put(sink, oracle_neighbour(sink->dtype, nearest, -1));
}

static void put_random(struct sink *sink, const struct oracle_axis *axis, uint64_t *state) {
    uint64_t kind = test_random_u64(state) % 16;
    size_t bin = (size_t)(test_random_u64(state) % (axis->nedges - 1));
    long double u = (long double)test_random_u64(state) * 0x1p-64L;
    long double lo = finite(axis->edges[0]), hi = finite(axis->edges[axis->nedges - 1]);
    long double left = finite(axis->edges[bin]), right = finite(axis->edges[bin + 1]);
    if (kind < 8)
        put(sink, left + (right - left) * u);
    else if (kind < 12)
        put(sink, lo + (hi - lo) * (1.2L * u - 0.1L));
    else if (kind < 13)
        put_edge(sink, axis->edges[bin]);
    else
        put_bits(sink, test_random_u64(state));
}

size_t case_values_least(const struct oracle_axis *axis) {
    return 3 * (axis->nedges < MAX_EDGES ? axis->nedges : MAX_EDGES) + SPECIALS;
}

void case_values_fill(const struct oracle_axis *axis, uh_dtype dtype, uint64_t seed, char *to, size_t n) {
    struct sink sink = {.dtype = dtype, .size = uh_dtype_size(dtype), .room = n, .to = to};
    size_t every = axis->nedges / MAX_EDGES + 1;
    uint64_t state = seed;
    put_specials(&sink);
    for (size_t j = 0; j < axis->nedges; j += every)
        put_edge(&sink, axis->edges[j]);
    put_edge(&sink, axis->edges[axis->nedges - 1]);
    while (sink.n < n)
        put_random(&sink, axis, &state);
}

/* ---- distributions ---- */

static double to_finite(double x) { return x < -DBL_MAX ? -DBL_MAX : x > DBL_MAX ? DBL_MAX : x; }

static double above(double x, double least) { return x > least ? x : least; }

/* A table of the edges, or of two points at `jump`. */
static void make_table(const double *edges, size_t n, const double *jump, struct case_distribution_made *made) {
    made->numbers = malloc(2 * n * sizeof *made->numbers);
    if (!made->numbers)
        abort();
    for (size_t j = 0; j < n; j++) {
        made->numbers[j] = to_finite(jump ? *jump : edges[j]);
        made->numbers[n + j] = (double)j / (double)(n - 1);
    }
    made->distribution.x = made->numbers;
    made->distribution.f = made->numbers + n;
    made->distribution.points = n;
}

const char *case_distribution_make(enum case_distribution number, const double *edges, size_t n,
                                   struct case_distribution_made *made) {
    uh_distribution *d = &made->distribution;
    const double lo = to_finite(edges[0]), hi = to_finite(edges[n - 1]), middle = to_finite(edges[n / 2]);
    const double span = above(hi / 2 - lo / 2, DBL_MIN);
    const double positive = lo > 0 ? lo : hi > 1 ? 1 / hi : DBL_MIN;
    made->numbers = NULL;
    *d = (uh_distribution){.struct_size = sizeof *d};
    switch (number) {
    case CASE_CDF_OF_THE_EDGES:
        d->kind = UH_DISTRIBUTION_TABLE;
        make_table(edges, n, NULL, made);
        return "cdf of the edges";
    case CASE_CDF_NORMAL:
        *d = (uh_distribution){sizeof *d, UH_DISTRIBUTION_NORMAL, lo / 2 + hi / 2, span / 3, NULL, NULL, 0};
        return "cdf normal";
    case CASE_CDF_EXPONENTIAL:
        *d = (uh_distribution){sizeof *d, UH_DISTRIBUTION_EXPONENTIAL, lo, span / 3, NULL, NULL, 0};
        return "cdf exponential";
    case CASE_CDF_LOGNORMAL:
        *d = (uh_distribution){.struct_size = sizeof *d,
                               .kind = UH_DISTRIBUTION_LOGNORMAL,
                               .location = (log(positive) + log(above(hi, DBL_MIN))) / 2,
                               .scale = above(log(above(hi, DBL_MIN)) - log(positive), 1) / 6};
        return "cdf lognormal";
    case CASE_CDF_ELSEWHERE:
        *d = (uh_distribution){sizeof *d, UH_DISTRIBUTION_NORMAL, -DBL_MAX, DBL_MIN, NULL, NULL, 0};
        return "cdf elsewhere";
    case CASE_CDF_NEEDLE:
        *d = (uh_distribution){.struct_size = sizeof *d,
                               .kind = UH_DISTRIBUTION_NORMAL,
                               .location = middle,
                               .scale = above(fabs(middle) / 2 * DBL_EPSILON, DBL_TRUE_MIN)};
        return "cdf needle";
    default:
        d->kind = UH_DISTRIBUTION_TABLE;
        make_table(edges, 2, &middle, made);
        return "cdf jump";
    }
}

void case_distribution_free(struct case_distribution_made *made) {
    free(made->numbers);
    made->numbers = NULL;
}
