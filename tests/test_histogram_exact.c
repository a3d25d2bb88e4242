/* SPDX-License-Identifier: Apache-2.0 */
/* The matrix: every method, type of values, closed rule and number of threads, over all axes of cases_edges.c and all
 * values of tried_axis.c in every layout, against the oracle: the index of each value, and the counts.
 *
 * Every axis is tried with every type of values and method, the closed rules by turns: another one at each level of
 * instructions. UNIHIST_TEST_ALL=1: every combination, which takes minutes.
 *
 * UNIHIST_TEST_DEVICE=SELECTOR: on that device instead of the host, the values in plain host memory, device, host and
 * shared memory by turns. UNIHIST_TEST_POINTS=N: about how many random values are compared in all, 4e7 by default.
 * UNIHIST_ISA as for the library. */
#include "api/histogram.h"
#include "tests/tested.h"
#include "tests/tried_axis.h"

static const struct method {
    const char *name;
    enum uhi_lookup by;
    uint32_t leaf;
} methods[] = {
    {"auto", UHI_LOOKUP_AUTO, 0},       {"mesh l=1", UHI_LOOKUP_MESH, 1},        {"mesh l=4", UHI_LOOKUP_MESH, 4},
    {"mesh l=64", UHI_LOOKUP_MESH, 64}, {"binary", UHI_LOOKUP_SEARCH, 0},        {"compare", UHI_LOOKUP_COMPARE, 0},
    {"packed", UHI_LOOKUP_PACKED, 0},   {"cdf of the edges", UHI_LOOKUP_CDF, 0},
};
/* In every combination one of the other distributions too. */
enum { METHODS = sizeof methods / sizeof *methods, ROWS = METHODS + 1 };

/* How the values lie in memory. */
enum layout { DENSE, UNALIGNED, TWICE, ODD, BACKWARDS, BACKWARDS_ODD, STILL, LAYOUTS };
static const char *const layout_names[LAYOUTS] = {"dense",     "one byte off",          "every other", "odd stride",
                                                  "backwards", "backwards, odd stride", "stride 0"};

/* Lengths around vectors of 4 to 16 elements and blocks of 2048. */
static const size_t lengths[] = {0,  1,  2,  3,  5,  7,   8,   9,    13,   15,   16,
                                 17, 31, 33, 61, 67, 127, 131, 2039, 2047, 2048, 2053};
enum { LENGTHS = sizeof lengths / sizeof *lengths };

/* From this number of values on there is work for five threads. */
enum { MANY = 5 * 32768, GUARDS = 8, MAX_COMPARISONS = 1 << 26, MAX_BINS_EACH_TIME = 2500 };
#define GUARD INT64_C(0x5a5aa5a55a5aa5a5)

/* Numbers of threads, a queue each; the first alone on another device than the host. */
static const uint32_t thread_counts[] = {1, 2, 5};
enum { QUEUES = sizeof thread_counts / sizeof *thread_counts };
static uh_queue *queues[QUEUES];

/* Where values and indices lie. */
static const uh_memory_kind places[] = {UH_MEMORY_UNKNOWN, UH_MEMORY_DEVICE, UH_MEMORY_HOST, UH_MEMORY_SHARED};
enum { KINDS = sizeof places / sizeof *places };
static const char *const place_names[KINDS] = {"", " in device memory", " in host USM", " in shared memory"};

static size_t wanted_points = 40000000;
static size_t share = 2; /* one in `share` combinations is tried, on devices with `share` times the values */
static size_t offset;    /* which of them */
static uint64_t compared, counted, misbinned;

/* One axis with one rule, values of one type, and what the oracle says of them. */
struct matrix {
    const struct case_axis *made;
    size_t number;
    struct oracle_axis oracle;
    uh_axis *axis;
    uh_dtype dtype;
    size_t size, bins;
    size_t n;
    char *x;
    size_t *slot;       /* of each value */
    uint64_t *expected; /* counts by slot, bins + 3 */
    uint64_t *counts;
    char *memory; /* for a view */
    int64_t *index;
};

/* `n` values of the matrix from number `start` on, round and round, in a layout of their own. */
struct view {
    enum layout layout;
    size_t start, n;
    const char *first;
    ptrdiff_t stride;
    size_t place; /* of places[] */
    size_t bytes; /* of the matrix's memory that it takes */
};

static size_t view_value(const struct matrix *m, const struct view *view, size_t i) {
    switch (view->layout) {
    case STILL: return view->start;
    case BACKWARDS:
    case BACKWARDS_ODD: return (view->start + view->n - 1 - i) % m->n;
    default: return (view->start + i) % m->n;
    }
}

static struct view view_make(struct matrix *m, enum layout layout, size_t start, size_t n) {
    size_t step = layout == TWICE ? 2 * m->size : layout == ODD || layout == BACKWARDS_ODD ? m->size + 3 : m->size;
    char *base = m->memory + (layout == UNALIGNED);
    struct view view = {.layout = layout, .start = start, .n = n, .first = base, .stride = (ptrdiff_t)step};
    for (size_t i = 0; i < (layout == STILL ? 1 : n); i++)
        memcpy(base + i * step, m->x + (start + i) % m->n * m->size, m->size);
    if (layout == BACKWARDS || layout == BACKWARDS_ODD) {
        view.first = n ? base + (n - 1) * step : base;
        view.stride = -(ptrdiff_t)step;
    }
    if (layout == STILL)
        view.stride = 0;
    view.bytes = (layout == UNALIGNED) + (n ? (n - 1) * (layout == STILL ? 0 : step) + m->size : 0);
    return view;
}

static void complain(const struct matrix *m, const struct method *method, uint32_t threads, const struct view *view,
                     const char *what, size_t i, long long got, long long expected) {
    if (misbinned++ >= 30)
        return;
    char x[64] = "";
    if (what[0] == 'i')
        snprintf(x, sizeof x, " of %.21Lg (%La)", oracle_value(m->dtype, m->x + view_value(m, view, i) * m->size),
                 oracle_value(m->dtype, m->x + view_value(m, view, i) * m->size));
    print_error("axis '%s' closed %d, %s, method %s, %u threads, %zu values %s%s: %s %zu%s is %lld, expected "
                "%lld\n",
                m->made->name, (int)m->oracle.closed, uh_enum_name(UH_ENUM_DTYPE, m->dtype), method->name, threads,
                view->n, layout_names[view->layout], place_names[view->place], what, i, x, got, expected);
}

/* Copies the view's memory to where it is to lie; the view then points there. What is given has to be freed. */
static void *place_view(const struct matrix *m, struct view *view, size_t turn) {
    view->place = tested.on_host ? 0 : turn % KINDS;
    void *memory = NULL;
    if (places[view->place] == UH_MEMORY_UNKNOWN)
        return NULL;
    test_good(uh_malloc(tested.device, places[view->place], view->bytes, 0, &memory));
    test_good(uh_memcpy(queues[0], memory, m->memory, view->bytes, NULL));
    test_good(uh_queue_wait(queues[0]));
    view->first = (char *)memory + (view->first - m->memory);
    return memory;
}

static void check_indices(struct matrix *m, uh_histogram *histogram, const struct method *method, uint32_t threads,
                          const struct view *view) {
    int64_t *index = m->index + GUARDS;
    for (size_t i = 0; i < GUARDS; i++)
        m->index[i] = index[view->n + i] = GUARD;
    memset(index, 0xff, view->n * sizeof *index);
    test_good(uh_histogram_digitize(histogram, STRIDED(m->dtype, view->first, view->n, view->stride), UH_I64, index));
    for (size_t i = 0; i < view->n; i++) {
        size_t slot = m->slot[view_value(m, view, i)];
        int64_t expected = (int64_t)(slot <= m->bins + 1 ? slot : m->bins + 1);
        if (index[i] != expected)
            complain(m, method, threads, view, "index", i, index[i], expected);
    }
    for (size_t i = 0; i < GUARDS; i++)
        if (m->index[i] != GUARD || index[view->n + i] != GUARD)
            complain(m, method, threads, view, "guard", i, 0, 0);
    compared += view->n;
}

static void check_counts(struct matrix *m, uh_histogram *histogram, const struct method *method, uint32_t threads,
                         const struct view *view) {
    size_t slots = m->bins + 3;
    memset(m->expected, 0, slots * sizeof *m->expected);
    for (size_t i = 0; i < view->n; i++)
        m->expected[m->slot[view_value(m, view, i)]]++;
    test_good(uh_histogram_reset(histogram));
    test_good(uh_histogram_fill(histogram, STRIDED(m->dtype, view->first, view->n, view->stride), NULL));
    test_good(uh_histogram_counts(histogram, m->counts + 1));
    const uh_flow flow = test_flow(histogram, 0);
    m->counts[0] = flow.below;
    m->counts[m->bins + 1] = flow.above;
    m->counts[m->bins + 2] = flow.nan;
    for (size_t s = 0; s < slots; s++)
        if (m->counts[s] != m->expected[s])
            complain(m, method, threads, view, "count", s, (long long)m->counts[s], (long long)m->expected[s]);
    counted += view->n;
}

/* A row of the matrix: a method and, for cdf, a distribution. */
struct row {
    struct method method;
    enum case_distribution distribution;
};

static struct row row_of(const struct matrix *m, size_t i) {
    if (i < METHODS)
        return (struct row){methods[i], CASE_CDF_OF_THE_EDGES};
    const size_t other = m->number + (size_t)m->dtype + (size_t)m->oracle.closed;
    return (struct row){{"cdf", UHI_LOOKUP_CDF, 0}, (enum case_distribution)(1 + other % (CASE_DISTRIBUTIONS - 1))};
}

static uh_histogram *make_histogram(const struct matrix *m, struct row *row, size_t queue) {
    struct case_distribution_made made = {.numbers = NULL};
    uh_axis *axis = m->axis;
    if (row->method.by == UHI_LOOKUP_CDF) {
        row->method.name =
            case_distribution_make(row->distribution, test_axis_properties(m->axis).edges, m->bins + 1, &made);
        axis = test_axis_with(m->axis, &made.distribution);
        case_distribution_free(&made);
    }
    uh_histogram *histogram = test_histogram_over(queues[queue], &axis, 1, OPTIONS(.leaf_bins = row->method.leaf));
    uhi_histogram_want(histogram, 0, row->method.by);
    return histogram;
}

static void check_view(struct matrix *m, uh_histogram *histogram, const struct method *method, size_t queue,
                       struct view view) {
    static size_t turn;
    void *memory = place_view(m, &view, turn++);
    check_indices(m, histogram, method, thread_counts[queue], &view);
    check_counts(m, histogram, method, thread_counts[queue], &view);
    test_good(uh_free(memory));
}

/* How many values a method is given of n: comparing with a million edges takes long. */
static size_t worth(const struct matrix *m, const struct method *method, size_t n) {
    const size_t most = method->by == UHI_LOOKUP_COMPARE ? MAX_COMPARISONS / (m->bins | 1) + 1 : n;
    return n < most ? n : most;
}

/* All methods with one thread; now and then one of them with more. */
static void check_methods(struct matrix *m) {
    static size_t turn;
    for (size_t i = 0; i < ROWS; i++, turn++) {
        struct row row = row_of(m, i);
        const struct method *method = &row.method;
        const size_t before = test_left();
        uh_histogram *histogram = make_histogram(m, &row, 0);
        const size_t dense = worth(m, method, m->n);
        struct view view = view_make(m, DENSE, dense < m->n ? turn * 1009 % m->n : 0, dense);
        check_view(m, histogram, method, 0, view);
        view = view_make(m, (enum layout)(turn % LAYOUTS), turn * 37 % m->n, worth(m, method, lengths[turn % LENGTHS]));
        check_view(m, histogram, method, 0, view);
        test_end_from(before);
        size_t combination = m->number + (size_t)m->dtype + (size_t)m->oracle.closed;
        if (i != combination / 3 % ROWS || combination % 3 != 0)
            continue;
        size_t queue = !tested.on_host ? 0 : 1 + turn / ROWS % (QUEUES - 1);
        histogram = make_histogram(m, &row, queue);
        view = view_make(m, (enum layout)(turn / 2 % LAYOUTS), turn * 41 % m->n, worth(m, method, MANY + turn % 100));
        check_view(m, histogram, method, queue, view);
        test_end_from(before);
    }
}

static void set_rule(struct matrix *m, uh_closed closed) {
    m->oracle.closed = closed;
    m->axis = test_axis_of(m->made->dtype, m->made->edges, m->made->nedges, closed);
    for (size_t i = 0; i < m->n; i++)
        m->slot[i] = oracle_slot(&m->oracle, oracle_value(m->dtype, m->x + i * m->size));
}

/* Packed cells alone, with the fewest values: on another device than the host each axis, type and rule. */
static void check_ends(struct matrix m, uh_closed closed) {
    const size_t before = test_left();
    struct row row = {.method = {"packed", UHI_LOOKUP_PACKED, 0}};
    if (m.bins > MAX_BINS_EACH_TIME || m.size < sizeof(float))
        return;
    m.n = case_values_least(&m.oracle);
    set_rule(&m, closed);
    uh_histogram *histogram = make_histogram(&m, &row, 0);
    check_view(&m, histogram, &row.method, 0, view_make(&m, DENSE, 0, m.n));
    test_end_from(before);
}

/* Whether this combination is tried: fewer of the axes that take long. */
static int is_chosen(size_t number, const struct case_axis *made, uh_dtype dtype, uh_closed closed) {
    size_t turn = number + (size_t)dtype + 3 * (size_t)closed + offset;
    return turn % (made->nedges > MAX_BINS_EACH_TIME ? 4 * share : share) == 0;
}

static void check_axis(size_t number, uh_dtype dtype) {
    const size_t before = test_left();
    const struct case_axis *made = case_axis(number);
    struct matrix m = {.made = made,
                       .number = number,
                       .oracle = made->oracle,
                       .dtype = dtype,
                       .size = uh_dtype_size(dtype),
                       .bins = made->nedges - 1};
    m.n = case_values_least(&m.oracle) +
          (tested.on_host ? 1 : share) * wanted_points / (case_axis_count() * UH_DTYPE_COUNT * 4 * ROWS);
    size_t most = m.n > MANY + 100 ? m.n : MANY + 100;
    m.x = test_memory(m.n * m.size);
    m.slot = test_memory(m.n * sizeof *m.slot);
    m.expected = test_memory((m.bins + 3) * sizeof *m.expected);
    m.counts = test_memory((m.bins + 3) * sizeof *m.counts);
    m.memory = test_memory(most * (2 * m.size + 3) + 1);
    m.index = test_memory((most + 2 * GUARDS) * sizeof *m.index);
    case_values_fill(&m.oracle, dtype, number * 31 + (size_t)dtype, m.x, m.n);
    for (int closed = UH_CLOSED_LEFT; closed <= UH_HALF_OPEN_RIGHT; closed++)
        if (is_chosen(number, made, dtype, (uh_closed)closed)) {
            set_rule(&m, (uh_closed)closed);
            check_methods(&m);
        } else if (!tested.on_host) {
            check_ends(m, (uh_closed)closed);
        }
    test_end_from(before);
}

static void check_dtype(uh_dtype dtype) {
    uint64_t before = misbinned;
    for (size_t i = 0; i < (tested.on_host ? QUEUES : 1); i++)
        queues[i] = tested_queue(thread_counts[i]);
    for (size_t number = 0; number < case_axis_count(); number++)
        check_axis(number, dtype);
    assert_int_equal(misbinned - before, 0);
}

#define TEST_OF(name, dtype)                                                                                           \
    UNIT_TEST(every_method_puts_every_##name##_where_the_oracle_does) { check_dtype(dtype); }
TEST_OF(float32, UH_F32)
TEST_OF(float64, UH_F64)
TEST_OF(int8, UH_I8)
TEST_OF(int16, UH_I16)
TEST_OF(int32, UH_I32)
TEST_OF(int64, UH_I64)
TEST_OF(uint8, UH_U8)
TEST_OF(uint16, UH_U16)
TEST_OF(uint32, UH_U32)
TEST_OF(uint64, UH_U64)

/* Other combinations at each level (v2, v3, v4), on each of the soft driver's devices, and in each turn. */
static size_t choose_offset(void) {
    const char *names[] = {getenv("UNIHIST_ISA"), getenv("SOFT_GPU")};
    size_t sum = (size_t)test_turn();
    for (size_t i = 0; i < 2; i++)
        for (const char *c = names[i] ? names[i] : ""; *c; c++)
            sum += (unsigned char)*c;
    return sum;
}

TEST_MAIN(test_histogram_exact) {
    const char *instrumented = getenv("UNIHIST_INSTRUMENTED");
    const int elsewhere = getenv("UNIHIST_TEST_DEVICE") != NULL;
    if (elsewhere)
        wanted_points = instrumented ? 4000000 : 25000000;
    const char *points = getenv("UNIHIST_TEST_POINTS");
    if (points)
        wanted_points = (size_t)strtod(points, NULL);
    if (elsewhere)
        share = instrumented ? 200 : 40;
    else if (instrumented)
        share = strcmp(instrumented, "thread") == 0 ? 25 : 12; /* threads do not depend on the axis */
    if (test_is_coarse()) {
        share *= 4;
        wanted_points /= 4;
    }
    if (!instrumented && getenv("UNIHIST_TEST_ALL"))
        share = 1;
    offset = choose_offset();
    const int failed = tested_run();
    printf("points compared: %" PRIu64 " one by one and %" PRIu64 " by their counts, misbinned: %" PRIu64 "\n",
           compared, counted, misbinned);
    return failed;
}
