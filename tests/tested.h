/* SPDX-License-Identifier: Apache-2.0 */
/* The device that a test of an operation runs on, with a queue. */
#pragma once

#include "tests/arrays.h"

enum { TESTED_THREADS = 3 }; /* of the queue, however many cores there are */

extern struct tested {
    uh_device *device;
    uh_device_properties properties;
    uh_queue *queue;
    int on_host;
} tested;

/* Runs the tests of the file on the device that UNIHIST_TEST_DEVICE names, the host by default. Returns what the test
 * exits with: 77 without such a device. TESTED_MAIN(test_NAME) is the TEST_MAIN of a file that does no more. */
int tested_run(void);

/* What it does before and after: selects that device and makes the queue, and destroys it. Each returns what the test
 * exits with, 0 to go on. */
int tested_begin(void);
int tested_end(int failed);
#define TESTED_MAIN(name)                                                                                              \
    TEST_MAIN(name) { return tested_run(); }

/* Skips the test unless it runs on the host, or unless it runs on another device. */
void tested_on_host_only(void);
void tested_on_devices_only(void);

/* What a test gives to operations, where the device has it: a copy in its memory, which ends with the unit test, or on
 * the host `data` itself. In plain memory some operations look at it by the host's code on any device. */
const void *tested_there(const void *data, size_t size);
#define THERE(type, values, n) ARRAY(type, tested_there(values, (n)*uh_dtype_size(type)), n)

/* Makes a queue with `threads` threads (0: the default), which ends with the unit test. */
uh_queue *tested_queue(uint32_t threads);
