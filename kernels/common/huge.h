/* SPDX-License-Identifier: Apache-2.0 */
#ifndef UHI_COMMON_HUGE_H
#define UHI_COMMON_HUGE_H

#include <stddef.h>

#define UHI_HUGE_PAGE ((size_t)2 << 20)

/* Memory for tables that are looked up at random, in huge pages from `from` bytes on where the system has some:
 * look-ups then miss the TLB less often, and the memory is there with fewer page faults. Freed with free; NULL when
 * there is none left. */
void *uhi_huge_alloc(size_t bytes, size_t from);

#endif
