/* SPDX-License-Identifier: Apache-2.0 */
/* What tests of Level Zero devices need. They run on whatever driver the environment selects: the soft driver, which
 * executes, Intel's driver without hardware, which takes every call and computes nothing, or a real one. */
#ifndef TEST_ZE_FIXTURE_H
#define TEST_ZE_FIXTURE_H

#include <unihist/gpu.h>

#include "tests/support.h"

/* Lends the first Level Zero device that is no tile, or NULL. */
uh_device *test_ze_device(void);

/* Whether the device's work is done, so that memory can be looked at: not so on Intel's driver without hardware. */
int test_ze_computes(void);

/* Says on standard output why there is nothing to test, and returns 77, what a skipped test exits with. */
int test_ze_skip(void);

/* A main that skips the test where there is no device. */
#define TEST_ZE_MAIN(name, set_up, tear_down)                                                                          \
    TEST_MAIN(name) {                                                                                                  \
        return test_ze_device() ? test_run_units(set_up, tear_down) : test_ze_skip();                                  \
    }

/* What follows ends with the unit test, or is the caller's to end (test_at_end): a queue on the device, with profiling
 * or without; memory for the device, plain memory where the kind is unknown. The test fails where there is none. */
uh_queue *test_ze_queue(uh_device *device, int profiling);
void *test_ze_alloc(uh_device *device, uh_memory_kind kind, size_t size);

#endif
