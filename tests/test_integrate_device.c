/* SPDX-License-Identifier: Apache-2.0 */
/* What devices say to integrals of functions in C. (The points of grids are in cases_integrate.c.) */
#include "tests/tested.h"

#include <stdlib.h>

#include <unihist/integrate.h>

static void never(size_t n, const double *const *x, double *const *value, const void *context) {
    (void)n;
    (void)x;
    (void)value;
    (void)context;
    abort();
}

UNIT_TEST(a_function_in_c_is_refused) {
    const uh_integrand integrand = {.struct_size = sizeof integrand, .dims = 2, .function = never};
    uh_integral integral = {.struct_size = sizeof integral, .value = 17};
    test_assert_failed(uh_integrate(tested.queue, &integrand, NULL, &integral), UH_ERROR_UNSUPPORTED,
                       "uh_integrate: integrand is a function in C, which the host alone runs, and the queue is of ",
                       tested.properties.selector);
    assert_string_equal(uh_last_error_info()->argument, "integrand");
    assert_true(integral.value == 17);
}

TESTED_MAIN(test_integrate_device)
