/* SPDX-License-Identifier: Apache-2.0 */
/* Intel's driver without hardware, and the library's trace in a file. */
#ifndef TEST_INTEL_NULL_H
#define TEST_INTEL_NULL_H

#include <stddef.h>

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

#endif
