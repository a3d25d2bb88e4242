/* SPDX-License-Identifier: Apache-2.0 */
/* Structures of the public headers that begin with their size. A caller may be compiled with an earlier version of one
 * than the library, which has fewer members: every size that a version has had is taken, and members that the caller's
 * does not have count as zero, or are not filled in. A new member goes to the end, never into padding; from then on
 * the size before it is given as an earlier one.
 *
 * `argument` is the structure as messages name it; `size` is that of this version; `earlier` is the sizes of the
 * earlier ones and 0, or NULL where there has been no other. */
#ifndef UHI_SIZED_H
#define UHI_SIZED_H

#include <unihist/base.h>

/* UH_ERROR_INVALID_ARGUMENT for a structure of a size that no version has had. */
uh_status uhi_sized_check(const char *call, const char *argument, const void *structure, size_t size,
                          const size_t *earlier);

/* Copies a structure that the caller has filled in to `to`, one of this version, or makes it all zero where `from` is
 * NULL. UH_ERROR_INVALID_ARGUMENT as uhi_sized_check; `to` is then untouched. */
uh_status uhi_sized_read(const char *call, const char *argument, const void *from, void *to, size_t size,
                         const size_t *earlier);

/* Fills in a structure of the caller's that has been checked, from one of this version. */
void uhi_sized_write(void *to, const void *made);

/* Both, for the argument `properties`, which may be NULL: UH_ERROR_INVALID_ARGUMENT then, too. */
uh_status uhi_sized_give(const char *call, void *properties, const void *made, size_t size);

#endif
