/* SPDX-License-Identifier: Apache-2.0 */
/* The thread's last error: set here by every call that fails. */
#ifndef UHI_STATUS_H
#define UHI_STATUS_H

#include <unihist/base.h>

/* Stores the thread's last message and returns `status`. The message names the call, the argument, its value and what
 * was expected, e.g. "uh_axis_create_equal: bins is 0, expected 1 to 1073741824". */
__attribute__((format(printf, 2, 3))) uh_status uhi_fail(uh_status status, const char *format, ...);

#endif
