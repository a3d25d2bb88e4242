/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of the self-test, whose answer other programs may have kept. */
#include "tests/tested.h"

#include <stdlib.h>

#include "kernels/common/self_test.h"

UNIT_TEST(the_device_computes_as_the_host) {
    test_good(uhi_self_test(tested.device, "test", tested.properties.fp64 != 0));
}

TEST_MAIN(test_kernels_self_test) {
    setenv("UNIHIST_TEST_DEVICE", "level_zero", 0);
    setenv("UNIHIST_CACHE", "off", 1);
    return tested_run();
}
