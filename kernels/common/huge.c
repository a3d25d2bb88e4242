/* SPDX-License-Identifier: Apache-2.0 */
#define _DEFAULT_SOURCE /* madvise */
#include "kernels/common/huge.h"

#include <stdlib.h>
#include <sys/mman.h>

void *uhi_huge_alloc(size_t bytes, size_t from) {
    void *memory = NULL;
    if (bytes < from)
        return malloc(bytes ? bytes : 1);
    if (posix_memalign(&memory, UHI_HUGE_PAGE, bytes))
        return NULL;
    (void)madvise(memory, bytes, MADV_HUGEPAGE); /* a hint: if refused, pages are small */
    return memory;
}
