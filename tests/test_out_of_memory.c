/* SPDX-License-Identifier: Apache-2.0 */
/* Each allocation of a use fails once: the call says so, outputs stay as they were, and nothing leaks. The
 * operations' uses are test_described_out_of_memory.c's; here are those that no description has. */
#include <unihist/base2.h>
#include <unihist/bins.h>
#include <unihist/save.h>

#include "kernels/plan/plan.h"
#include "tests/alike.h"
#include "tests/arrays.h"
#include "tests/bins_fixture.h"
#include "tests/cases_histogram.h"
#include "tests/failing_malloc.h"
#include "tests/meanshift_fixture.h"

enum { MANY = 200 };

static void touch(const uh_work_group *group, void *const *args) { memset(args[0], 1, 1000); }

/* Objects that calls work with, and what they make. */
struct things {
    uh_queue *queue;
    uh_kernel *kernel;
    uh_queue *new_queue;
    uh_kernel *new_kernel;
    uh_event *event;
    void *memory;
};

static uh_status create_queue(void *things) {
    return uh_queue_create(test_host(), NULL, &((struct things *)things)->new_queue);
}

static uh_status create_kernel(void *things) {
    return uh_kernel_create_host("name", touch, &((struct things *)things)->new_kernel);
}

static uh_status allocate(void *things) {
    return uh_malloc(test_host(), UH_MEMORY_SHARED, 100, 0, &((struct things *)things)->memory);
}

static uh_status copy(void *things) {
    struct things *t = things;
    char a = 1, b = 2;
    return uh_memcpy(t->queue, &b, &a, 1, SIGNAL(&t->event));
}

static uh_status fill(void *things) {
    struct things *t = things;
    char a = 1, b = 2;
    return uh_fill(t->queue, &b, &a, 1, 1, SIGNAL(&t->event));
}

static uh_status launch(void *things) {
    struct things *t = things;
    uh_arg args[MANY];
    uh_nd_range range = {1, {2}, {1}, {0}};
    args[0] = uh_arg_local(1000);
    for (size_t i = 1; i < MANY; i++)
        args[i] = uh_arg_value(&range, sizeof range);
    return uh_parallel_for(t->queue, t->kernel, &range, args, MANY, SIGNAL(&t->event));
}

static void assert_nothing_made(void *things) {
    const struct things *t = things;
    assert_true(!t->new_queue && !t->new_kernel && !t->event && !t->memory);
}

UNIT_TEST(calls_of_the_runtime_leave_outputs_untouched) {
    static const struct {
        uh_status (*call)(void *things);
        const char *name;
        size_t allocations;
    } calls[] = {{create_queue, "uh_queue_create", 1},
                 {create_kernel, "uh_kernel_create_host", 2},
                 {allocate, "uh_malloc", 2},
                 {copy, "uh_memcpy", 1},
                 {fill, "uh_fill", 1},
                 {launch, "uh_parallel_for", 3}};
    for (size_t c = 0; c < sizeof calls / sizeof *calls; c++) {
        struct things t = {.queue = test_queue(1, 0), .kernel = test_kernel("touch", touch)};
        const struct failing_use use = {calls[c].call, assert_nothing_made, &t, calls[c].name, 0};
        assert_int_equal(fail_each(&use), calls[c].allocations);
        uh_event_destroy(t.event);
        test_good(uh_free(t.memory));
        uh_queue_destroy(t.new_queue);
        uh_kernel_destroy(t.new_kernel);
    }
}

static uh_status launch_little(void *things) {
    const struct things *t = things;
    char target[1000];
    uh_nd_range range = {1, {100}, {0}, {0}};
    uh_arg args[] = {uh_arg_pointer(target), uh_arg_value(&range, sizeof range), uh_arg_value(&range, sizeof range)};
    return uh_parallel_for(t->queue, t->kernel, &range, args, 3, NULL);
}

UNIT_TEST(a_small_launch_without_an_event_allocates_nothing) {
    struct things t = {.queue = test_queue(1, 0), .kernel = test_kernel("touch", touch)};
    assert_int_equal(fail_each(&(struct failing_use){launch_little, NULL, &t, "", 0}), 0);
}

/* ---- plans: for all devices or one kind, some of them in huge pages ---- */

struct planned {
    struct uhi_edges edges;
    uh_dtype dtype;
    struct uhi_plan_options options;
};

static uh_status make_plan(void *context) {
    const struct planned *p = context;
    struct uhi_histogram_plan *plan = NULL;
    const uh_status status = uhi_plan_create("plan", &p->edges, p->dtype, &p->options, &plan);
    assert_int_equal(plan == NULL, status != UH_SUCCESS);
    uhi_plan_destroy(plan);
    return status;
}

/* Edges of which some are equal. */
static double *edges_of(enum case_bins bins, size_t k) {
    double *edges = test_memory((k + 1) * sizeof *edges);
    assert_int_equal(case_edges(bins, k, bins == CASE_DECADES ? 1e30 : 1000, 0.0001, 1, edges), 0);
    edges[k / 2] = edges[k / 2 + 1];
    return edges;
}

UNIT_TEST(plans_are_made_whole_or_not_at_all) {
    static const struct {
        enum case_bins bins;
        size_t k;
    } axes[] = {{CASE_RANDOM, 10}, {CASE_RANDOM, 1000}, {CASE_DECADES, 1000}, {CASE_RANDOM, 1500000}};
    static const uh_dtype dtypes[] = {UH_F32, UH_F64, UH_I32, UH_I64, UH_U8};
    static const uh_distribution normal = {sizeof normal, UH_DISTRIBUTION_NORMAL, 500, 200, NULL, NULL, 0};
    for (size_t a = 0; a < sizeof axes / sizeof *axes; a++) {
        const int huge = axes[a].k > 1000000; /* tables in huge pages */
        struct planned planned = {.edges = {.dtype = UH_F64,
                                            .values = edges_of(axes[a].bins, axes[a].k),
                                            .count = axes[a].k + 1,
                                            .closed = UH_CLOSED_LEFT,
                                            .distribution = huge ? NULL : &normal}}; /* not a thousand groups */
        const struct failing_use use = {make_plan, NULL, &planned, "plan: no memory for", 0};
        for (size_t d = 0; d < (huge ? 1 : sizeof dtypes / sizeof *dtypes); d++)
            for (int lookup = UHI_LOOKUP_AUTO; lookup <= (huge ? UHI_LOOKUP_AUTO : UHI_LOOKUP_CDF); lookup++)
                for (int place = UHI_BODY_ANY; place <= UHI_BODY_DEVICE + 1; place++) {
                    const int keys = place > UHI_BODY_DEVICE;
                    planned.dtype = dtypes[d];
                    planned.options = (struct uhi_plan_options){.lookup = (enum uhi_lookup)lookup,
                                                                .body = (enum uhi_body)(place - keys),
                                                                .leaf_bins = 1,
                                                                .table_bytes = (size_t)64 << 20,
                                                                .keys = keys};
                    assert_in_range(fail_each(&use), 3, 63); /* the thresholds, the plan, and a table or more */
                }
    }
}

static const char path[] = "/tmp/unihist-test-out-of-memory.uh";

static uh_status save(void *histogram) { return uh_histogram_save(histogram, path); }

static void assert_no_file(void *histogram) { assert_int_equal(access(path, F_OK), -1); }

static uh_status load(void *queue) {
    uh_histogram *loaded = NULL;
    const uh_status status = uh_histogram_load(queue, path, &loaded);
    assert_int_equal(loaded == NULL, status != UH_SUCCESS);
    uh_histogram_destroy(loaded);
    return status;
}

UNIT_TEST(files_are_saved_and_loaded_whole_or_not_at_all) {
    static const int64_t edges[] = {0, 1, 3}, x[] = {0, 1, 2};
    static const double weights[] = {1e-300, 2, 1e300}, numbers[] = {0, 1};
    const uh_distribution table = {
        .struct_size = sizeof table, .kind = UH_DISTRIBUTION_TABLE, .x = numbers, .f = numbers, .points = 2};
    uh_queue *queue = test_queue(1, 0);
    uh_axis *axis = test_axis_with(test_axis_of(UH_I64, edges, 3, UH_CLOSED_LEFT), &table);
    for (int weighted = 0; weighted < 2; weighted++) {
        uh_histogram *histogram =
            test_histogram_over(queue, &axis, 1, OPTIONS(.storage = weighted ? UH_STORAGE_WEIGHTED : UH_STORAGE_COUNT));
        test_good(uh_histogram_fill(histogram, ARRAY(UH_I64, x, 3), weighted ? ARRAY(UH_F64, weights, 3) : NULL));
        unlink(path);
        assert_in_range(fail_each(&(struct failing_use){save, assert_no_file, histogram, "no memory", 0}), 3, 399);
        assert_in_range(fail_each(&(struct failing_use){load, NULL, queue, "no memory", 0}), weighted ? 8 : 6, 399);
    }
    unlink(path);
}

/* ---- exponential histograms ---- */

static uh_status grow(void *base2) {
    static const double x[] = {-INFINITY, 1e-9, 1e9, 0};
    return uh_base2_fill(base2, ARRAY(UH_F64, x, 4));
}

static void assert_has_one(void *base2) {
    uh_base2_contents contents = {.struct_size = sizeof contents};
    test_good(uh_base2_get_contents(base2, &contents));
    assert_true(contents.scale == 20 && contents.buckets[1].n == 1 && contents.zero + contents.flow.below == 0);
}

UNIT_TEST(exponential_histograms_take_all_values_or_none) {
    static const double x = 1;
    uh_base2 *base2 = NULL;
    test_good(uh_base2_create(test_queue(1, 0), NULL, &base2));
    test_good(uh_base2_fill(base2, ARRAY(UH_F64, &x, 1)));
    assert_in_range(fail_each(&(struct failing_use){grow, assert_has_one, base2, "uh_base2_fill: no memory", 0}), 9,
                    199);
    uh_base2_contents contents = {.struct_size = sizeof contents};
    test_good(uh_base2_fill(base2, ARRAY(UH_F64, &x, 1)));
    test_good(uh_base2_get_contents(base2, &contents));
    assert_true(contents.scale == 1 && contents.zero == 1 && contents.flow.below == 1 && contents.buckets[1].n > 0);
    uh_base2_destroy(base2);
}

/* ---- bins that the data choose ---- */

enum { VALUES = 132000 }; /* more than wait to be sorted */

static double many[VALUES], weighed[VALUES];

/* Adds values of a kind twice, as far as that is necessary, and saves them in between. */
static uh_status add_values(uh_bins *bins, int weighted, unsigned char *bytes) {
    const size_t n = weighted ? VALUES / 16 : VALUES;
    const uh_array *x = ARRAY(UH_F64, many, n), *with = weighted ? ARRAY(UH_F64, weighed, n) : NULL;
    static const double q[] = {0.25, 0.75};
    size_t length;
    int again = 1;
    uh_status status = uh_bins_add(bins, x, with);
    if (!status)
        status = uh_bins_save_bytes(bins, bytes, 1 << 20, &length);
    while (!status && again) {
        status = uh_bins_refine(bins, q, 2, 0, &again);
        if (!status && again)
            status = uh_bins_add(bins, x, with);
    }
    return status;
}

static uh_status choose_all(void *bytes) {
    enum { AXES = UH_RULE_EQUAL_PROBABILITY + 3 };
    const uh_bins_options options = {.struct_size = sizeof options, .max_values = 1024};
    uh_bins *bins[3] = {NULL, NULL, NULL}, *loaded = NULL;
    uh_axis *axes[AXES] = {NULL};
    uh_status status = UH_SUCCESS;
    size_t length = 0;
    double bandwidth;
    for (int i = 0; i < 3 && !status; i++) {
        status = uh_bins_create(&options, &bins[i]);
        if (!status)
            status = i < 2 ? add_values(bins[i], i, bytes) : uh_bins_add(bins[i], ARRAY(UH_F64, many, 9), NULL);
    }
    for (int rule = 0; rule <= UH_RULE_EQUAL_PROBABILITY && !status; rule++) {
        const uh_rule_options how = options_of((uh_rule)rule);
        status = uh_bins_axis(bins[1], (uh_rule)rule, &how, &axes[rule], NULL);
    }
    if (!status)
        status = uh_bins_mdlp(bins, 2, UH_CLOSED_LEFT, &axes[AXES - 2]);
    if (!status)
        status = uh_blocks_of_measures(ARRAY(UH_F64, many, 50), ARRAY(UH_F64, many, 50), ARRAY(UH_F64, weighed, 50),
                                       NULL, &axes[AXES - 1], NULL);
    if (!status)
        status = uh_bins_bandwidth(bins[0], &bandwidth);
    if (!status)
        status = uh_bins_save_bytes(bins[2], bytes, 1 << 20, &length);
    if (!status)
        status = uh_bins_load_bytes(bytes, length, &loaded);
    if (!status)
        status = uh_bins_merge(loaded, bins[2]);
    for (size_t i = 0; i < AXES; i++)
        uh_axis_destroy(axes[i]);
    for (size_t i = 0; i < 3; i++)
        uh_bins_destroy(bins[i]);
    uh_bins_destroy(loaded);
    return status;
}

UNIT_TEST(bins_are_chosen_or_there_is_no_memory) {
    uint64_t random = 3;
    for (size_t i = 0; i < VALUES; i++) {
        many[i] = test_random_f64(&random);
        weighed[i] = 0.5 + test_random_f64(&random);
    }
    assert_in_range(fail_each(&(struct failing_use){choose_all, NULL, test_memory(1 << 20), "no memory", 1}), 60, 1999);
}

/* ---- exchanges: every process hears of the failure ---- */

enum { MAX_BYTES = 4096 };

struct exchanged {
    struct alike alike;
    uh_exchange exchange;
    uh_queue *queue;
    uh_histogram *histogram;
    unsigned char before[MAX_BYTES];
    size_t length;
    double bandwidth;
    uh_clusters *clusters;
    const uh_array *points;
    const uh_mean_shift_options *options;
};

static uh_status exchange_histogram(void *context) {
    struct exchanged *e = context;
    return uh_histogram_exchange(e->histogram, &e->exchange);
}

static void assert_unchanged(void *context) {
    struct exchanged *e = context;
    unsigned char after[MAX_BYTES];
    size_t length = 0;
    test_good(uh_histogram_save_bytes(e->histogram, after, MAX_BYTES, &length));
    assert_int_equal(length, e->length);
    assert_memory_equal(after, e->before, length);
}

UNIT_TEST(exchanged_histograms_stay_as_they_were) {
    static const uint8_t x[] = {0, 1, 2};
    static const double weights[] = {1e-300, 2, 1e300};
    uh_queue *queue = test_queue(1, 0);
    uh_axis *growing = test_growing_axis(), *fixed = test_equal_axis(2, 0, 2);
    for (int i = 0; i < 8; i++) { /* counts and sums, of bins that grow and others, that may differ or do not */
        const int weighted = i & 1, differs = i & 4;
        struct exchanged e = {.alike = {.ranks = 1, .differs = differs}};
        e.exchange = exchange_of(&e.alike);
        e.histogram = test_histogram_over(queue, i & 2 ? &growing : &fixed, 1,
                                          OPTIONS(.storage = weighted ? UH_STORAGE_SUM : UH_STORAGE_COUNT));
        test_good(uh_histogram_fill(e.histogram, ARRAY(UH_U8, x, 3), weighted ? ARRAY(UH_F64, weights, 3) : NULL));
        test_good(uh_histogram_save_bytes(e.histogram, e.before, MAX_BYTES, &e.length));
        const size_t least = i & 3 ? 3 : 1; /* counts of bins that do not grow are one array */
        assert_in_range(fail_each(&(struct failing_use){exchange_histogram, assert_unchanged, &e, "rank 0: ", 0}),
                        differs ? least + 7 : least, 199);
        assert_unchanged(&e);
    }
}

static uh_status estimate_bandwidth(void *context) {
    static const float x[] = {0, 1, 3, 7};
    struct exchanged *e = context;
    return uh_estimate_bandwidth(e->queue, ARRAY(UH_F32, x, 4), 1, BANDWIDTH(.quantile = 0.5, .exchange = &e->exchange),
                                 &e->bandwidth);
}

static void assert_no_bandwidth(void *context) { assert_true(((struct exchanged *)context)->bandwidth == -1); }

UNIT_TEST(a_bandwidth_of_all_is_stored_or_not) {
    struct exchanged e = {.alike = {.ranks = 1}, .queue = test_queue(1, 0), .bandwidth = -1};
    e.exchange = exchange_of(&e.alike);
    const struct failing_use use = {estimate_bandwidth, assert_no_bandwidth, &e, "rank 0: ", 0};
    assert_in_range(fail_each(&use), 9, 199); /* points, their numbers, and what is sought */
    assert_true(e.bandwidth == 2);            /* (1 + 1 + 2 + 4) / 4 */
}

static uh_status shift(void *context) {
    struct exchanged *e = context;
    uh_mean_shift_options options = *e->options;
    options.exchange = &e->exchange;
    const uh_status status = uh_mean_shift(e->queue, e->points, 2, &options, &e->clusters);
    assert_int_equal(e->clusters == NULL, status != UH_SUCCESS);
    return status;
}

/* What comes of no failure is what one process finds that has no exchange. */
static void fail_each_of_clusters(struct exchanged *e) {
    const uh_clusters_properties alone = test_clusters(e->queue, e->points, 2, e->options);
    uh_clusters_properties found = {.struct_size = sizeof found};
    assert_in_range(fail_each(&(struct failing_use){shift, NULL, e, "rank 0: ", 0}), 60, 1999);
    test_good(uh_clusters_get_properties(e->clusters, &found));
    test_same_clusters(&found, &alone);
    uh_clusters_destroy(e->clusters);
}

UNIT_TEST(clusters_of_all_are_found_or_not) {
    enum { N = 40 };
    float x[2 * N];
    for (size_t i = 0; i < 2 * N; i++)
        x[i] = (float)((i * 7 + i / 2 * 5) % 23);
    const uh_array points[] = {{.dtype = UH_F32, .data = x, .stride = 8, .count = N},
                               {.dtype = UH_F32, .data = x + 1, .stride = 8, .count = N}};
    for (int i = 0; i < 6; i++) {
        const uh_mean_shift_options *options =
            SHIFT(.sigma = 1, .iterations = 2, .reduction = (uh_mean_shift_reduction)(i % 3),
                  .algorithm = i < 3 ? UH_MEAN_SHIFT_BLURRING : UH_MEAN_SHIFT_MODES, .seed_bins = i < 3 ? 0 : 2);
        struct exchanged e = {.alike = {.ranks = 1}, .queue = test_queue(1, 0), .points = points, .options = options};
        e.exchange = exchange_of(&e.alike);
        fail_each_of_clusters(&e);
    }
}
