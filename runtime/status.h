/* SPDX-License-Identifier: Apache-2.0 */
/* The thread's last error: set here by every call that fails. */
#ifndef UHI_STATUS_H
#define UHI_STATUS_H

#include <unihist/base.h>

/* Stores the thread's last message and returns `status`. The message names the call, the argument, its value and what
 * was expected, e.g. "uh_axis_create_equal: bins is 0, expected 1 to 1073741824". It is also logged, as an error. The
 * arguments may point into the last message itself. */
__attribute__((format(printf, 2, 3), cold)) uh_status uhi_fail(uh_status status, const char *format, ...);

/* The same for an argument that must not be NULL: "CALL: ARGUMENT is NULL, expected EXPECTED". */
__attribute__((cold)) uh_status uhi_fail_null(const char *call, const char *argument, const char *expected);

#ifdef __clang_analyzer__ /* it judges one file at a time, and cannot see in status.c that this returns `status` */
#define uhi_fail(status, ...) (uhi_fail(status, __VA_ARGS__), status)
#endif

#endif
