/* SPDX-License-Identifier: Apache-2.0 */
/* Intel's driver without hardware, the library's trace in a file, and launches of the kernels of each operation. */
#ifndef TEST_INTEL_NULL_H
#define TEST_INTEL_NULL_H

#include "tests/support.h"

#include <stddef.h>

#include <unihist/unihist.h>

/* NULL, or one line on why Intel's driver cannot be run without hardware here. */
const char *intel_null_missing(void);

/* Has the library trace into a file of the folder instead of standard error; to be called before it is used. */
void trace_begin(const char *folder);

/* What has been traced so far. The caller frees it. */
char *trace_read(void);

/* Gives standard error back, and shows what came there that is not the library's. */
void trace_end(void);

/* For callbacks that count files. */
extern size_t trace_files;

/* ---- launches --------------------------------------------------------------------------------------------------- */

enum { NULL_VALUES = 50000, NULL_FAMILIES = 4 };

/* All types of values. */
extern const uh_dtype null_dtypes[UH_DTYPE_COUNT];

/* What test_intel_null.c has found. */
extern uh_device *null_device;
extern uh_device_properties null_properties;
extern uh_queue *null_queue;

/* An axis that carries a distribution: of equal bins (family 0), of bins that crowd somewhere (1, 2), as look-ups of
 * two levels are for, of bins that grow (3). The caller destroys it. */
uh_axis *intel_null_axis(size_t bins, int family);

/* Memory of the device for NULL_VALUES values of any type, all zero. The caller frees it. */
void *intel_null_values(void);

/* Whether the device has what this needs: without float64 it has neither such values nor the paper's mesh over integers
 * of 32 and 64 bits. */
int intel_null_can(uh_dtype dtype, uh_method method);

/* A test for each operation, in tests/intel_null_OPERATION.c: launches every kernel of it. */
#define UH_OPERATION(op) void intel_null_##op(void **state);
#include "kernels/registry.def"
#undef UH_OPERATION

#endif
