/* SPDX-License-Identifier: Apache-2.0 */
/* Structures of the public headers that begin with their size. A caller may be compiled with an earlier version that
 * has fewer members, so every size that a version has had is accepted; members missing in the caller's version count as
 * zero, or are not filled in. A new member goes at the end, never into padding; the previous size is then passed as an
 * earlier one.
 *
 * `argument`: the structure's name in messages; `size`: that of this version; `earlier`: sizes of earlier versions and
 * 0, or NULL for none. */
#pragma once

#include <unihist/base.h>

/* Returns UH_ERROR_INVALID_ARGUMENT for a size that no version has had. */
uh_status uhi_sized_check(const char *call, const char *argument, const void *structure, size_t size,
                          const size_t *earlier);

/* Copies the caller's structure to `to`, one of this version; all zero if `from` is NULL. UH_ERROR_INVALID_ARGUMENT as
 * uhi_sized_check; `to` is then unchanged. */
uh_status uhi_sized_read(const char *call, const char *argument, const void *from, void *to, size_t size,
                         const size_t *earlier);

/* Fills in a checked structure of the caller's from one of this version. */
void uhi_sized_write(void *to, const void *made);

/* Checks and fills in the argument `properties`; UH_ERROR_INVALID_ARGUMENT also if it is NULL. */
uh_status uhi_sized_fill(const char *call, void *properties, const void *made, size_t size);
