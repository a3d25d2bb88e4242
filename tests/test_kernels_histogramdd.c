/* SPDX-License-Identifier: Apache-2.0 */
/* Every kernel of histograms over several axes at work on few points, see test_kernels_histogram.c. */
#include "tests/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unihist/histogramdd.h>

#include "tests/cases_edges.h"
#include "tests/cases_values.h"
#include "tests/oracle.h"

enum { MOST_BINS = 130, MOST_POINTS = 2 * 16 * 64 + 7, BINS = 3 };

/* Axes and methods that lead to each look-up, for some type of coordinates. */
static const char *const axes[] = {"random 100", "log 60 decades", "nested 64", "worst 100 0.001"};
static const uh_method methods[] = {UH_METHOD_BINARY, UH_METHOD_UNIFORM, UH_METHOD_LOGARITHM, UH_METHOD_PIECEWISE,
                                    UH_METHOD_MESH};
static const uh_dtype dtypes[] = {UH_F32, UH_F64, UH_I32, UH_I64, UH_U8, UH_U16};
enum { AXES = sizeof axes / sizeof *axes, METHODS = sizeof methods / sizeof *methods, DTYPES = 6 };

static uh_device *device;
static uh_device_properties properties;
static uh_queue *queue;

/* A made axis with values, and one of three bins with values of float32. */
struct problem {
    struct oracle_axis oracle[2];
    uh_axis *axis[2];
    uh_dtype dtype;
    size_t bins, n, size;
    char x[MOST_POINTS * 8];
    float y[MOST_POINTS];
};

static void works(uh_status status) {
    if (status)
        fail_msg("%s", uh_last_error());
}

static void make_axis(uh_dtype dtype, const void *edges, size_t nedges, struct problem *p, size_t a) {
    assert_int_equal(oracle_axis_init(&p->oracle[a], dtype, edges, nedges, UH_CLOSED_LEFT), 0);
    works(uh_axis_create_edges(dtype, edges, nedges, UH_CLOSED_LEFT, &p->axis[a]));
}

static void make_problem(const char *name, uh_dtype dtype, size_t n, struct problem *p) {
    static const float few[BINS + 1] = {-1, 0, 2.5F, 7};
    struct case_axis made;
    size_t i = 0;
    while (case_axis_make(i, &made) == 0 && strcmp(made.name, name) != 0 && ++i < case_axis_count())
        case_axis_free(&made);
    assert_true(i < case_axis_count() && made.nedges - 1 <= MOST_BINS);
    p->dtype = dtype;
    p->size = uh_dtype_size(dtype);
    p->bins = made.nedges - 1;
    p->n = n;
    make_axis(made.dtype, made.edges, made.nedges, p, 0);
    make_axis(UH_F32, few, BINS + 1, p, 1);
    case_values_fill(&p->oracle[0], dtype, (uint64_t)dtype, p->x, n);
    for (size_t k = 0; k < n; k++)
        p->y[k] = (float)(k % 19) / 2 - 2;
    case_axis_free(&made);
}

static void end_problem(struct problem *p) {
    for (size_t a = 0; a < 2; a++) {
        uh_axis_destroy(p->axis[a]);
        oracle_axis_free(&p->oracle[a]);
    }
}

/* The made axis is the first or the second. `x` may be a copy of the values that the device reaches. */
static void check(const struct problem *p, uh_method method, int second, const void *x, ptrdiff_t stride) {
    uint64_t expected[MOST_BINS * BINS] = {0}, counts[MOST_BINS * BINS], inside = 0, outside = 0, below = 0;
    const uh_axis *both[] = {p->axis[second], p->axis[!second]};
    const uh_method each[] = {second ? UH_METHOD_AUTO : method, second ? method : UH_METHOD_AUTO};
    const uh_histogramdd_options options = {
        .struct_size = sizeof options, .storage = UH_STORAGE_COUNT, .methods = each};
    const uh_array made = {x, stride, p->dtype}, few = {p->y, sizeof *p->y, UH_F32};
    const uh_array coordinates[] = {second ? few : made, second ? made : few};
    uh_histogramdd *histogram = NULL;
    uh_flow flow;
    for (size_t i = 0; i < p->n; i++) {
        const size_t s = oracle_slot(&p->oracle[0], oracle_value(p->dtype, p->x + i * p->size));
        const size_t t = oracle_slot(&p->oracle[1], (long double)p->y[i]);
        const int in = s > 0 && s <= p->bins && t > 0 && t <= BINS;
        inside += in ? 1 : 0;
        below += s == 0 ? 1 : 0;
        if (in)
            expected[second ? (t - 1) * p->bins + s - 1 : (s - 1) * BINS + t - 1]++;
    }
    works(uh_histogramdd_create(queue, both, 2, &options, &histogram));
    works(uh_histogramdd_fill(histogram, coordinates, p->n, NULL));
    works(uh_histogramdd_counts(histogram, counts));
    assert_memory_equal(counts, expected, p->bins * BINS * sizeof *counts);
    works(uh_histogramdd_total(histogram, &counts[0], &outside));
    assert_int_equal(counts[0], inside);
    assert_int_equal(outside, p->n - inside);
    works(uh_histogramdd_flow(histogram, (size_t)second, &flow));
    assert_int_equal(flow.below, below);
    works(uh_histogramdd_destroy(histogram));
}

/* Without float64 a device has neither such values nor integer meshes. */
static int device_can(uh_dtype dtype, uh_method method) {
    return properties.fp64 ||
           (dtype != UH_F64 && (dtype == UH_F32 || uh_dtype_size(dtype) < 4 || method != UH_METHOD_MESH));
}

static void every_method_finds_the_cells_of_every_type(void **state) {
    (void)state;
    static struct problem p;
    for (size_t i = 0; i < AXES; i++)
        for (size_t k = 0; k < DTYPES; k++) {
            if (i > 0 && uh_dtype_size(dtypes[k]) <= 2) /* looked up whatever the axis and the method */
                continue;
            make_problem(axes[i], dtypes[k], 70, &p);
            for (size_t m = 0; m < (p.size <= 2 ? 1 : METHODS); m++)
                if (device_can(p.dtype, methods[m]))
                    check(&p, methods[m], (int)(i + m) % 2, p.x, (ptrdiff_t)p.size);
            end_problem(&p);
        }
}

static void several_groups_count_together(void **state) {
    (void)state;
    static struct problem p;
    make_problem("random 100", UH_F32, MOST_POINTS, &p);
    check(&p, UH_METHOD_AUTO, 0, p.x, sizeof(float));
    end_problem(&p);
}

/* Every third value, from an odd address on. */
static void coordinates_far_apart_are_packed_on_the_device(void **state) {
    (void)state;
    enum { FEW = 60 };
    static struct problem p;
    for (size_t k = 0; k < 2; k++) {
        void *there = NULL;
        if (!device_can(dtypes[k], UH_METHOD_AUTO))
            continue;
        make_problem("random 100", dtypes[k], FEW, &p);
        const size_t apart = 3 * p.size, bytes = FEW * apart + 1;
        char *memory = calloc(1, bytes);
        assert_non_null(memory);
        for (size_t i = 0; i < FEW; i++)
            memcpy(memory + 1 + i * apart, p.x + i * p.size, p.size);
        works(uh_malloc_device(device, bytes, 0, &there));
        works(uh_memcpy(queue, there, memory, bytes, NULL, 0, NULL));
        works(uh_queue_wait(queue));
        check(&p, UH_METHOD_AUTO, 0, (char *)there + 1, (ptrdiff_t)apart);
        works(uh_free(there));
        free(memory);
        end_problem(&p);
    }
}

static int setup(void **state) {
    (void)state;
    return uh_queue_create(device, NULL, &queue) != UH_SUCCESS;
}

static int teardown(void **state) {
    (void)state;
    return uh_queue_destroy(queue) != UH_SUCCESS;
}

TEST_MAIN(test_kernels_histogramdd) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method_finds_the_cells_of_every_type),
        cmocka_unit_test(several_groups_count_together),
        cmocka_unit_test(coordinates_far_apart_are_packed_on_the_device),
    };
    const char *selector = getenv("UNIHIST_TEST_DEVICE");
    properties.struct_size = sizeof properties;
    if (uh_device_select(selector ? selector : "level_zero", &device)) {
        printf("skipped: %s\n", uh_last_error());
        return 77;
    }
    if (uh_device_get_properties(device, &properties))
        return 1;
    return cmocka_run_group_tests(tests, setup, teardown);
}
