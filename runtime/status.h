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

/* The same for a structure whose struct_size is not what this library's is. */
__attribute__((cold)) uh_status uhi_fail_size(const char *call, const char *argument, size_t size, size_t expected);

/* Long enough for the tail of a driver's build log; a longer message is cut and ends in "...". */
enum { UHI_MESSAGE_SIZE = 4096 };

/* The last message, kept while what a failure leaves is cleaned up: should that fail, too, it is not what the caller
 * has to hear. */
struct uhi_message {
    char text[UHI_MESSAGE_SIZE];
};
void uhi_message_keep(struct uhi_message *message);
void uhi_message_restore(const struct uhi_message *message);

#ifdef __clang_analyzer__ /* it judges one file at a time, and cannot see in status.c that this returns `status` */
#define uhi_fail(status, ...) (uhi_fail(status, __VA_ARGS__), status)
#endif

#endif
