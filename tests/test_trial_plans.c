/* SPDX-License-Identifier: Apache-2.0 */
/* The trials of kernels that look values up: on the host and on a device they take the same axes and values, so that
 * their results are paired one by one. */
#include "kernels/histogram/trial_plans.h"
#include "tests/support.h"

#include <string.h>

extern const struct uhi_variants *uhi_histogram_variants(void);

static void check_kernel(const char *name) {
    const struct uhi_trial trial = {.call = "test", .kernel = name};
    struct uhi_trial_plans device, host;
    assert_int_equal(uhi_trial_plans_make(&trial, UHI_BODY_DEVICE, &device), UH_SUCCESS);
    assert_int_equal(uhi_trial_plans_make(&trial, UHI_BODY_HOST, &host), UH_SUCCESS);
    if (host.count != device.count)
        fail_msg("%s has %zu axes on the host, %zu on a device", name, host.count, device.count);
    for (size_t p = 0; p < host.count; p++) {
        assert_int_equal(host.n[p], device.n[p]);
        assert_memory_equal(host.often[p], device.often[p], host.n[p] * UHI_TRIAL_TIMES * uh_dtype_size(host.dtype));
    }
    uhi_trial_plans_free(&device);
    uhi_trial_plans_free(&host);
}

/* Kernels whose names end with a look-up. */
static size_t check_all(const struct uhi_variants *all) {
    static const char *const lookups[] = {"search", "mesh", "cdf", "packed", "direct"};
    size_t checked = 0;
    for (size_t i = 0; i < all->count; i++)
        for (size_t j = 0; j < sizeof lookups / sizeof *lookups; j++) {
            const char *name = all->variant[i].name, *end = strrchr(name, '_');
            if (end && strcmp(end + 1, lookups[j]) == 0) {
                check_kernel(name);
                checked++;
            }
        }
    return checked;
}

UNIT_TEST(host_and_device_take_the_same_axes_and_values) {
    assert_true(check_all(uhi_histogram_variants()) > 20);
}
