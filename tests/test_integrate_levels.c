/* SPDX-License-Identifier: Apache-2.0 */
/* Integrals have the same bits at each x86-64 level that this CPU has: a process for each prints them. */
#include "tests/integrate_fixture.h"

#include "runtime/cpu.h"

TEST_CHILD(print) {
    static const struct integrand_of f = {F5, 6};
    const uh_integrand integrand = integrand_for(&f);
    for (int variant = UH_INTEGRATE_MCUBES; variant <= UH_INTEGRATE_PLAIN; variant++)
        for (uint64_t calls = 5000; calls <= 50001; calls += 45001) { /* 2 samples per cube, and more */
            uh_grid *grid = NULL;
            uh_grid_properties made = {.struct_size = sizeof made};
            uh_integral got = {.struct_size = sizeof got};
            if (uh_grid_create(f.dims, 10, NULL, NULL, NULL, &grid) ||
                uh_integrate(test_queue(1, 0), &integrand,
                             OPTIONS(.variant = (uh_integrate_variant)variant, .max_calls = calls, .grid = grid,
                                     .iterations = 6, .adjusting = 4, .relative_error = 1e-12, .seed = 9),
                             &got) ||
                uh_grid_get_properties(grid, &made))
                return 1;
            printf("%a %a %a", got.value, got.error, got.chi2_dof);
            for (size_t j = 1; j < f.dims * 11; j += 2) /* every other edge fits the text of a child */
                printf(" %a", made.edges[j]);
            uh_grid_destroy(grid);
        }
    return 0;
}

UNIT_TEST(levels_of_x86_64_change_no_bit) {
    static const char *const levels[] = {"UNIHIST_ISA=v2", "UNIHIST_ISA=v3", "UNIHIST_ISA=v4"};
    static struct test_child first, other;
#ifdef UNIHIST_ONE_LEVEL
    skip_because("the build has one level");
#endif
    for (size_t level = 0; level <= uhi_cpu_isa() - UHI_ISA_V2; level++) {
        test_run_child("print", (const char *const[]){levels[level], NULL}, level ? &other : &first);
        assert_int_equal(level ? other.exit_code : first.exit_code, 0);
        assert_true(strlen(first.out) > 5000 && (level == 0 || strcmp(first.out, other.out) == 0));
    }
}
