/* SPDX-License-Identifier: Apache-2.0 */
/* Many integrals in one call: each is to the bit what uh_integrate makes of its integrand alone. */
#include <sched.h>
#include <stdatomic.h>

#include "tests/tested.h"

#include "line.c.h"
#include "moments.c.h"
#include "pieces.c.h"
#include "pole.c.h"
#include "tests/integrands/slopes_state.h"
#include "tests/integrate_fixture.h"

enum { MANY = 23, VALUES = 3, BINS = 30 };

/* Integrands, and their integrals and grids. */
struct many {
    struct slopes states[MANY];
    uh_integrand integrand[MANY];
    uh_integral integral[MANY];
    double values[MANY][VALUES], covariance[MANY][VALUES * VALUES];
    uh_grid *grid[MANY];
};

static void end_grids(void *many) {
    for (size_t i = 0; i < MANY; i++)
        uh_grid_destroy(((struct many *)many)->grid[i]);
}

/* Texts of several dimensions and values, but every `step`-th is `code`; slopes.c has a state of its own each time. */
static struct many *many_of(const uh_integrand_code *code, size_t step) {
    static const uh_integrand_code *const texts[] = {&uh_integrand_slopes, &uh_integrand_moments, &uh_integrand_line,
                                                     &uh_integrand_pieces};
    if (!device_takes_integrands(&tested.properties))
        skip_because("the device has too little local memory");
    struct many *many = test_at_end(test_memory(sizeof *many), end_grids);
    for (size_t i = 0; i < MANY; i++) {
        many->integrand[i] = integrand_of(i % step + 1 == step ? code : texts[i % 4]);
        many->states[i] = slopes_state;
        many->states[i].scale = 1 + (int)i;
        many->integrand[i].context = many->integrand[i].context ? &many->states[i] : NULL;
        many->integral[i] = (uh_integral){
            .struct_size = sizeof(uh_integral), .values = many->values[i], .covariance = many->covariance[i]};
        test_good(uh_grid_create(many->integrand[i].code->level[0]->dims, BINS, NULL, NULL, NULL, &many->grid[i]));
    }
    return many;
}

static void have_same_grids(const struct many *a, const struct many *b) {
    for (size_t i = 0; i < MANY; i++) {
        uh_grid_properties of_a = {.struct_size = sizeof of_a}, of_b = of_a;
        test_good(uh_grid_get_properties(a->grid[i], &of_a));
        test_good(uh_grid_get_properties(b->grid[i], &of_b));
        assert_memory_equal(of_a.edges, of_b.edges, of_a.dims * (BINS + 1) * sizeof *of_a.edges);
    }
}

static void have_same_integrals(const struct many *a, const struct many *b) {
    for (size_t i = 0; i < MANY; i++) {
        assert_true(a->integral[i].value == b->integral[i].value && a->integral[i].error == b->integral[i].error);
        assert_int_equal(a->integral[i].calls, b->integral[i].calls);
        assert_ptr_equal(a->integral[i].values, a->values[i]);
    }
    assert_memory_equal(a->values, b->values, sizeof a->values);
    assert_memory_equal(a->covariance, b->covariance, sizeof a->covariance);
}

/* Iterations of each integral; some are stopped. */
struct counts {
    size_t first, of[MANY];
};

static int count(const uh_iteration *iteration, void *context) {
    struct counts *counts = context;
    const size_t i = counts->first + iteration->integrand;
    counts->of[i] = iteration->number + 1;
    return i % 4 == 1 && iteration->number == 2;
}

enum begins { BY_THEMSELVES, IN_ONE_GRID, IN_GRIDS };

UNIT_TEST(each_integral_and_grid_has_the_bits_of_one_alone) {
    static const uh_integrate_options rows[] = {
        {.max_calls = 3000},
        {.max_calls = 3000, .variant = UH_INTEGRATE_MCUBES, .iterations = 4},
        {.max_calls = 5000, .variant = UH_INTEGRATE_LATTICE, .iterations = 4, .adjusting = 1},
        {.max_calls = 70000, .iterations = 3, .skipped = 1}}; /* two threads for each */
    for (size_t row = 0; row < 3 * sizeof rows / sizeof *rows; row++) {
        const enum begins begins = (enum begins)(row % 3);
        const size_t step = begins == IN_ONE_GRID ? 1 : SIZE_MAX;
        struct many *many = many_of(&uh_integrand_slopes, step), *each = many_of(&uh_integrand_slopes, step);
        struct counts counts = {0}, alone = {0};
        uh_integrate_options options = rows[row / 3];
        options.struct_size = sizeof options;
        options.report = count;
        options.report_context = &counts;
        options.grid = begins == IN_ONE_GRID ? many->grid[0] : NULL;
        test_good(uh_integrate_many(tested_queue(4), many->integrand, MANY, &options,
                                    begins == IN_GRIDS ? many->grid : NULL, many->integral));
        options.report_context = &alone;
        for (; alone.first < MANY; alone.first++) {
            options.grid = begins == BY_THEMSELVES ? NULL : each->grid[alone.first];
            test_good(
                uh_integrate(tested.queue, &each->integrand[alone.first], &options, &each->integral[alone.first]));
        }
        have_same_integrals(many, each);
        have_same_grids(many, begins == IN_GRIDS ? each : many_of(&uh_integrand_slopes, step));
        assert_memory_equal(counts.of, alone.of, sizeof counts.of);
        test_end_from(0);
    }
}

/* Waits until both integrals of a call are evaluated: without end, if one follows the other. */
static void meet(size_t n, const double *const *x, double *const *value, const void *context) {
    static atomic_int met;
    const int own = *(const int *)context;
    atomic_fetch_or(&met, own);
    while (atomic_load(&met) != 3)
        sched_yield();
    memcpy(value[0], x[0], n * sizeof **value);
}

UNIT_TEST(small_integrals_are_evaluated_at_the_same_time) {
    static const int own[] = {1, 2};
    const uh_integrand one = {.struct_size = sizeof one, .dims = 1, .function = meet, .context = &own[0]};
    uh_integrand both[] = {one, one};
    uh_integral integrals[] = {{.struct_size = sizeof *integrals}, {.struct_size = sizeof *integrals}};
    both[1].context = &own[1];
    tested_on_host_only();
    test_good(uh_integrate_many(tested.queue, both, 2, INTEGRATE(.max_calls = 1000), NULL, integrals));
}

UNIT_TEST(the_first_integrand_that_fails_is_named_and_nothing_is_stored) {
    struct many *many = many_of(&uh_integrand_pole, 8), *unused = many_of(&uh_integrand_pole, 8);
    test_invalid(uh_integrate_many(tested.queue, many->integrand, MANY, INTEGRATE(.max_calls = 3000), many->grid,
                                   many->integral),
                 "uh_integrate_many: integrands[7]: integrand is inf at (");
    assert_int_equal(uh_last_error_info()->index, 7);
    have_same_integrals(many, unused);
    have_same_grids(many, unused);
}

UNIT_TEST(wrong_arguments_are_named) {
    struct many *many = many_of(&uh_integrand_slopes, 1);
    const uh_integrate_options *bad[] = {INTEGRATE(.grid = many->grid[0]),
                                         INTEGRATE(.exchange = &(uh_exchange){.call = "uh_integrate_many"}),
                                         INTEGRATE(.max_calls = 3)};
    static const char *const texts[] = {"options->grid is given in addition to grids", "options->exchange",
                                        "integrands[0]: options->max_calls is 3"};
    test_null_is_refused(uh_integrate_many(NAMED(queue, tested.queue), NAMED(integrands, many->integrand), MANY, NULL,
                                           NULL, NAMED(integrals, many->integral)));
    for (size_t i = 0; i < 3; i++)
        test_invalid(uh_integrate_many(tested.queue, many->integrand, MANY, bad[i], many->grid, many->integral),
                     texts[i]);
    many->integrand[4].dims = 21;
    test_invalid(uh_integrate_many(tested.queue, many->integrand, MANY, NULL, NULL, many->integral),
                 "integrands[4]: integrand->dims is 21");
}

/* What one queue cannot do, and what the second of several devices loses, others do. */
UNIT_TEST(what_fails_once_fails_no_integral) {
    const struct soft_gpu gpu = test_soft_gpu();
    struct many *many = many_of(NULL, SIZE_MAX), *each = many_of(NULL, SIZE_MAX);
    const uh_integrate_options *few = INTEGRATE(.max_calls = 3000);
    test_good(uh_integrate_many(tested.queue, each->integrand, MANY, few, each->grid, each->integral));
    assert_int_equal((gpu.fail)("zeMemAllocDevice:9=0x70000003"), 0);
    (void)gpu.lose_one(1, 300);
    test_good(uh_integrate_many(tested.queue, many->integrand, MANY, few, many->grid, many->integral));
    assert_int_equal((gpu.fail)(NULL), 0);
    have_same_integrals(many, each);
    have_same_grids(many, each);
}

TESTED_MAIN(test_integrate_many)
