/* SPDX-License-Identifier: Apache-2.0 */
/* The bits of unihist/interpolate.h in a kernel are those in C. */
#include "tests/tested.h"

#include "tests/interpolate_table.h"

#include "interpolate_f64.cl.h"

UNIT_TEST(a_kernel_interpolates_to_the_bits_of_c) {
    enum { N = 4099 };
    uh_module *module = NULL;
    uh_kernel *kernel = NULL;
    void *memory = NULL;
    uint64_t random = 5;
    const uint32_t nx = TABLE_X, ny = TABLE_Y;
    const uint64_t n = N;
    test_good(uh_malloc(tested.device, UH_MEMORY_SHARED, sizeof(struct table) + 6 * N * sizeof(double), 0, &memory));
    struct table *t = memory;
    double *u = (double *)(t + 1), *v = u + N, *out = v + N;
    table_make(t);
    for (size_t i = 0; i < N; i++) {
        u[i] = t->x[0] + (t->x[TABLE_X - 1] - t->x[0]) * (1.2 * test_random_f64(&random) - 0.1);
        v[i] = t->y[0] + (t->y[TABLE_Y - 1] - t->y[0]) * (1.2 * test_random_f64(&random) - 0.1);
    }
    const uh_nd_range range = {.dims = 1, .global = {1024}};
    const uh_arg args[] = {uh_arg_value(&nx, sizeof nx),
                           uh_arg_pointer(t->x),
                           uh_arg_value(&ny, sizeof ny),
                           uh_arg_pointer(t->y),
                           uh_arg_pointer(t->z),
                           uh_arg_pointer(t->zx),
                           uh_arg_pointer(t->zy),
                           uh_arg_pointer(t->zxy),
                           uh_arg_value(&n, sizeof n),
                           uh_arg_pointer(u),
                           uh_arg_pointer(v),
                           uh_arg_pointer(out)};
    test_good(uh_module_create(tested.device, &uh_program_interpolate_f64, NULL, &module));
    test_good(uh_kernel_get(module, "at_points", &kernel));
    test_good(uh_parallel_for(tested.queue, kernel, &range, args, 12, NULL));
    test_good(uh_queue_wait(tested.queue));
    for (size_t i = 0; i < N; i++) {
        double expected[4];
        table_at(t, u[i], v[i], expected);
        assert_memory_equal(out + 4 * i, expected, sizeof expected);
    }
    uh_module_destroy(module);
    test_good(uh_free(memory));
}

TESTED_MAIN(test_interpolate_device)
