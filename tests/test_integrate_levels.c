/* SPDX-License-Identifier: Apache-2.0 */
/* Samples of an integral by each x86-64 level that this CPU has, side by side. */
#include "tests/integrate_fixture.h"

#include "kernels/integrate/grid.h"
#include "runtime/cpu.h"

#ifdef UNIHIST_ONE_LEVEL

UNIT_TEST(levels_of_x86_64_change_no_bit) {
    skip_because("the build has one level");
}

#else

extern const struct uhi_integrate_host uhi_integrate_host_v2, uhi_integrate_host_v3, uhi_integrate_host_v4;

UNIT_TEST(levels_of_x86_64_change_no_bit) {
    enum {
        BINS = 50,
        DIMS = 6,
        CUBES = 4096,
        MAX_EACH = 5,
        UNITS = CUBES * MAX_EACH / UHI_UNIT,
        WORDS = UHI_ROW_WORDS(1),
        LEVELS = 3
    };
    static union uhi_word rows[LEVELS][UNITS][WORDS];
    static struct uhi_cell cells[DIMS * BINS];
    static uint64_t contributions[LEVELS][DIMS * BINS], starts[CUBES + 1];
    static double spread[LEVELS][CUBES];
    static _Alignas(64) char memory[1 << 17];
    static const struct integrand_of f = {F5, DIMS};
    const struct uhi_integrate_host *const hosts[] = {&uhi_integrate_host_v2, &uhi_integrate_host_v3,
                                                      &uhi_integrate_host_v4};
    const uh_integrand integrand = {
        .struct_size = sizeof integrand, .dims = DIMS, .values = 1, .function = integrand_batch, .context = &f};
    for (size_t i = 0; i < (size_t)DIMS * BINS; i++)
        cells[i] = (struct uhi_cell){(double)(i % BINS) / BINS, 1};
    for (size_t c = 0; c < CUBES; c++)
        starts[c + 1] = starts[c] + 2 + c % 3;
    assert_true(UHI_INTEGRATE_MEMORY(DIMS, 1) <= sizeof memory);
    for (uint64_t each = 1; each <= MAX_EACH; each += each == 2 ? 3 : 1) /* 1: cubes differ */
        for (size_t level = 0; level <= uhi_cpu_isa() - UHI_ISA_V2; level++) {
            struct uhi_sampler_part part = {.contributions = contributions[level], .memory = memory};
            const struct uhi_sampling sampling = {.integrand = &integrand,
                                                  .field = {.dims = DIMS, .bins = BINS, .cells = cells},
                                                  .seed = 9,
                                                  .stream = 77,
                                                  .intervals = 4,
                                                  .cubes = CUBES,
                                                  .samples = each > 1 ? CUBES * each : starts[CUBES],
                                                  .each = each,
                                                  .starts = each > 1 ? NULL : starts,
                                                  .adjusts = DIMS,
                                                  .scale = 1e6,
                                                  .limit = 0x1p40,
                                                  .scale_of_values = 1,
                                                  .spread = spread[level],
                                                  .report = UINT64_MAX,
                                                  .rows = rows[level][0]};
            const size_t n = (size_t)((sampling.samples + UHI_UNIT - 1) / UHI_UNIT);
            memset(contributions[level], 0, sizeof contributions[level]);
            hosts[level]->sample(&sampling, 0, n, &part);
            assert_memory_equal(contributions[0], contributions[level], sizeof *contributions);
            assert_memory_equal(spread[0], spread[level], sizeof *spread);
            assert_memory_equal(rows[0], rows[level], n * sizeof *rows[0]);
            for (size_t u = 0; u < n; u++)
                assert_true(rows[level][u][UHI_ROW_SUMS].f > 0 && rows[level][u][UHI_ROW_SUMS + 1].f > 0);
        }
}

#endif
