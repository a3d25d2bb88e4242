/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/intel_null.h"

void intel_null_random(void **state) {
    (void)state;
}
