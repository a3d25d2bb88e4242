/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support.h"

#include <stdlib.h>
#include <unistd.h>

#ifndef UNIHIST_TEST_DATA_DEFAULT
#define UNIHIST_TEST_DATA_DEFAULT "../shared/data"
#endif

const char *test_data_directory(void) {
    const char *directory = getenv("UNIHIST_TEST_DATA");
    if (!directory || !*directory)
        directory = UNIHIST_TEST_DATA_DEFAULT;
    return access(directory, R_OK | X_OK) == 0 ? directory : NULL;
}

int test_is_coarse(void) {
    return getenv("UNIHIST_TEST_COARSE") != NULL;
}

uint64_t test_random_u64(uint64_t *state) {
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

double test_random_f64(uint64_t *state) {
    return (double)(test_random_u64(state) >> 11) * 0x1p-53;
}
