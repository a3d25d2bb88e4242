/* SPDX-License-Identifier: Apache-2.0 */
/* Intel's driver without hardware, and the library's trace in a file: what the tests of it share. */
#ifndef TEST_INTEL_NULL_H
#define TEST_INTEL_NULL_H

#include <stddef.h>

#include <unihist/device.h>

#include "tests/support.h"

/* The device and a queue of it, while the tests run. */
extern uh_device *null_device;
extern uh_device_properties null_properties;
extern uh_queue *null_queue;

/* Runs the tests, and if all pass once more in a child, under the loader's validation layer. Returns the exit status;
 * skipped where there is no such driver. */
int intel_null_run(const char *name, const struct CMUnitTest *tests, size_t n, int argc, char **argv);

/* A test, the last one: of more calls than the size_t at *state none has failed. */
void no_call_of_level_zero_has_failed(void **state);

/* NULL, or one line on why Intel's driver cannot be run without hardware here. */
const char *intel_null_missing(void);

/* Has the library trace into a file of the folder instead of standard error; to be called before it is used. */
void trace_begin(const char *where);

/* What has been traced so far. The caller frees it. */
char *trace_read(void);

/* Gives standard error back, and shows what came there that is not the library's. */
void trace_end(void);

#endif
