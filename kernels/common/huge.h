/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stddef.h>

#define UHI_HUGE_PAGE ((size_t)2 << 20)

/* Returns memory for tables with random look-ups, in huge pages from `from` bytes on if available: fewer TLB misses
 * and fewer page faults. Free it with free; NULL if out of memory. */
void *uhi_huge_alloc(size_t bytes, size_t from);
