/* SPDX-License-Identifier: Apache-2.0 */
/* Every kernel of the histogram at work on few values, which is what an interpreter has time for: on the rungs of
 * Oclgrind, each of which counts in another way. Where there is no device, skipped. */
#include "tests/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unihist/histogram.h>

#include "tests/cases_edges.h"
#include "tests/cases_values.h"
#include "tests/oracle.h"

enum { MOST_BINS = 1000, MOST_VALUES = 4000 };

/* Axes that lead to each look-up, for some type of values. */
static const char *const axes[] = {"random 100", "paper_figure_4", "log 60 decades", "nested 64", "worst 100 0.001"};
static const uh_method methods[] = {UH_METHOD_AUTO,      UH_METHOD_BINARY,    UH_METHOD_UNIFORM,
                                    UH_METHOD_LOGARITHM, UH_METHOD_PIECEWISE, UH_METHOD_MESH};
enum { AXES = sizeof axes / sizeof *axes, METHODS = sizeof methods / sizeof *methods };

static uh_device *device;
static uh_device_properties properties;
static uh_queue *queue;

struct problem {
    struct oracle_axis oracle;
    uh_axis *axis;
    uh_dtype dtype;
    size_t bins, n, size;
    char x[MOST_VALUES * 8];
};

static void make_case(const char *name, struct case_axis *made) {
    for (size_t i = 0; i < case_axis_count(); i++) {
        assert_int_equal(case_axis_make(i, made), 0);
        if (strcmp(made->name, name) == 0)
            return;
        case_axis_free(made);
    }
    fail_msg("there is no axis '%s'", name);
}

static void check_counts(const struct problem *p, uh_histogram *histogram, const char *x, size_t n, ptrdiff_t stride) {
    uint64_t expected[MOST_BINS + 3] = {0}, counts[MOST_BINS + 3];
    uh_flow flow;
    for (size_t i = 0; i < n; i++)
        expected[oracle_slot(&p->oracle, oracle_value(p->dtype, p->x + i * p->size))]++;
    assert_int_equal(uh_histogram_reset(histogram), UH_SUCCESS);
    assert_int_equal(uh_histogram_fill_strided(histogram, p->dtype, x, n, stride), UH_SUCCESS);
    assert_int_equal(uh_histogram_counts(histogram, counts + 1), UH_SUCCESS);
    assert_int_equal(uh_histogram_flow(histogram, &flow), UH_SUCCESS);
    counts[0] = flow.below;
    counts[p->bins + 1] = flow.above;
    counts[p->bins + 2] = flow.nan;
    assert_memory_equal(counts, expected, (p->bins + 3) * sizeof *counts);
}

static void check_indices(const struct problem *p, uh_histogram *histogram, size_t n) {
    static int64_t index[MOST_VALUES];
    assert_int_equal(uh_histogram_digitize(histogram, p->dtype, p->x, n, (ptrdiff_t)p->size, index), UH_SUCCESS);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(index[i], oracle_index(&p->oracle, oracle_value(p->dtype, p->x + i * p->size)));
}

/* Whether the device can do this: without float64 it has neither such values nor integer meshes. */
static int device_can(uh_dtype dtype, uh_method method) {
    return properties.fp64 ||
           (dtype != UH_F64 && (dtype == UH_F32 || uh_dtype_size(dtype) < 4 || method != UH_METHOD_MESH));
}

static void check_problem(struct problem *p) {
    /* Values of 8 and 16 bits are looked up whatever the method. */
    for (size_t i = 0; i < (p->size <= 2 ? 1 : METHODS); i++) {
        const uh_histogram_options options = {.struct_size = sizeof options, .method = methods[i]};
        uh_histogram *histogram = NULL;
        if (!device_can(p->dtype, methods[i]))
            continue;
        assert_int_equal(uh_histogram_create(queue, p->axis, &options, &histogram), UH_SUCCESS);
        check_counts(p, histogram, p->x, p->n, (ptrdiff_t)p->size);
        check_indices(p, histogram, p->n / 4);
        assert_int_equal(uh_histogram_destroy(histogram), UH_SUCCESS);
    }
}

static void make_problem(const char *name, uh_dtype dtype, size_t n, struct problem *p) {
    struct case_axis made = {0};
    make_case(name, &made);
    p->dtype = dtype;
    p->size = uh_dtype_size(dtype);
    p->n = n;
    p->bins = made.nedges - 1;
    assert_true(p->bins <= MOST_BINS);
    assert_int_equal(oracle_axis_init(&p->oracle, made.dtype, made.edges, made.nedges, UH_CLOSED_LEFT), 0);
    assert_int_equal(uh_axis_create_edges(made.dtype, made.edges, made.nedges, UH_CLOSED_LEFT, &p->axis), UH_SUCCESS);
    case_values_fill(&p->oracle, dtype, (uint64_t)dtype, p->x, n);
    case_axis_free(&made);
}

static void end_problem(struct problem *p) {
    uh_axis_destroy(p->axis);
    oracle_axis_free(&p->oracle);
}

static void every_method_counts_every_type(void **state) {
    (void)state;
    static struct problem p;
    for (size_t i = 0; i < AXES; i++)
        for (int dtype = 0; dtype < UH_DTYPE_COUNT; dtype++) {
            const int has_kernels = dtype == UH_F32 || dtype == UH_F64 || dtype == UH_I32 || dtype == UH_I64;
            if (i > 0 && !has_kernels) /* unsigned ones share them with the signed; small ones know no axis */
                continue;
            make_problem(axes[i], (uh_dtype)dtype, 90, &p);
            check_problem(&p);
            end_problem(&p);
        }
}

/* Enough for three groups of 16, of which two share a table of counts in global memory. */
static void several_groups_count_together(void **state) {
    (void)state;
    static const uh_dtype dtypes[] = {UH_F32, UH_U8};
    static struct problem p;
    const size_t n = 3 * 16 * 64 + 7;
    for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++) {
        uh_histogram *histogram = NULL;
        make_problem("random 100", dtypes[i], n, &p);
        assert_int_equal(uh_histogram_create(queue, p.axis, NULL, &histogram), UH_SUCCESS);
        check_counts(&p, histogram, p.x, n, (ptrdiff_t)p.size);
        uh_histogram_destroy(histogram);
        end_problem(&p);
    }
}

/* Every third value of memory that only the device reaches, from an odd address on. */
static void values_far_apart_are_packed_on_the_device(void **state) {
    (void)state;
    static struct problem p;
    static const uh_dtype dtypes[] = {UH_F32, UH_I16, UH_I64};
    for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++) {
        enum { FEW = 100 };
        uh_histogram *histogram = NULL;
        void *there = NULL;
        make_problem("paper_figure_4", dtypes[i], FEW, &p);
        const size_t apart = 3 * p.size, bytes = (FEW - 1) * apart + p.size + 1;
        char *memory = calloc(1, bytes);
        assert_non_null(memory);
        for (size_t k = 0; k < FEW; k++)
            memcpy(memory + 1 + k * apart, p.x + k * p.size, p.size);
        assert_int_equal(uh_malloc_device(device, bytes, 0, &there), UH_SUCCESS);
        assert_int_equal(uh_memcpy(queue, there, memory, bytes, NULL, 0, NULL), UH_SUCCESS);
        assert_int_equal(uh_queue_wait(queue), UH_SUCCESS);
        assert_int_equal(uh_histogram_create(queue, p.axis, NULL, &histogram), UH_SUCCESS);
        check_counts(&p, histogram, (char *)there + 1, FEW, (ptrdiff_t)apart);
        uh_histogram_destroy(histogram);
        assert_int_equal(uh_free(there), UH_SUCCESS);
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

TEST_MAIN(test_kernels_histogram) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method_counts_every_type),
        cmocka_unit_test(several_groups_count_together),
        cmocka_unit_test(values_far_apart_are_packed_on_the_device),
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
