/* SPDX-License-Identifier: Apache-2.0 */
/* The self-test of each kernel, in its own process: the device computes as the host, and the trial reaches the kernel
 * that it is for. */
#include "tests/tested.h"

#include "kernels/common/trial.h"

static const struct uhi_variants *(*const operations[])(void) = {
    uhi_common_variants,
#define UH_OPERATION(op) uhi_##op##_variants,
#include "kernels/registry.def"
#undef UH_OPERATION
};

/* The tables of all values of 16 bits take more memory than most devices have. */
static int needs_more_local_memory(const char *kernel) {
    return tested.properties.local_memory < 1 << 19 &&
           (tested.properties.local_memory < 1 << 15 || strcmp(kernel, "count_local_d16_direct") == 0);
}

static const char *only; /* the operation that is tried; NULL: all */

UNIT_TEST(each_kernel_is_tried_and_computes_as_the_host) {
    size_t tried = 0, wrong = 0;
    for (size_t op = 0; op < sizeof operations / sizeof *operations; op++) {
        const struct uhi_variants *all = operations[op]();
        if (only && strcmp(all->operation, only) != 0)
            continue;
        /* Most of the time goes into compiling them. */
        const size_t step = test_is_coarse() && all->count > 16 ? 4 : 1;
        for (size_t i = test_first_of(step); all->trial && i < all->count; i += step) {
            const struct uhi_variant *variant = &all->variant[i];
            struct uhi_verdict verdict;
            if (variant->fp64 && !tested.properties.fp64)
                continue;
            if (uhi_trial_run(tested.queue, "test", all, variant->name, &verdict))
                fail_msg("%s of %s: %s", variant->name, all->operation, uh_last_error());
            tried++;
            if (verdict.text[0] || (!verdict.reached && !needs_more_local_memory(variant->name))) {
                printf("%s of %s: %s\n", variant->name, all->operation,
                       verdict.text[0] ? verdict.text : "its trial does not run it");
                wrong++;
            }
        }
    }
    assert_true(tried > 0 && wrong == 0);
}

TEST_MAIN(test_kernels_self_test) {
    setenv("UNIHIST_TEST_DEVICE", "level_zero", 0);
    only = argc > 1 ? argv[1] : NULL;
    return tested_run();
}
