/* SPDX-License-Identifier: Apache-2.0 */
/* Tables with random look-ups on the host: their memory, and how a vector's elements are loaded. */
#pragma once

#include <stddef.h>

#define UHI_HUGE_PAGE ((size_t)2 << 20)

/* Returns memory for tables with random look-ups, in huge pages from `from` bytes on if available: fewer TLB misses
 * and fewer page faults. Free it with free; NULL if out of memory. */
void *uhi_huge_alloc(size_t bytes, size_t from);

/* Returns 1 if, at v3, one load per element is faster than a gather instruction. Gathers are microcode on many CPUs,
 * and slowed by the mitigation of Gather Data Sampling on others, so this is measured once, in about 20 us;
 * UNIHIST_ISA can override it. 0 at other levels. Results are the same. */
int uhi_loads_win(void);
