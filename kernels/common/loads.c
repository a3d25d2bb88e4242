/* SPDX-License-Identifier: Apache-2.0 */
#define _DEFAULT_SOURCE /* madvise */
#include "kernels/common/loads.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "kernels/histogram/histogram.h"
#include "kernels/registry.h"
#include "runtime/cpu.h"
#include "runtime/host.h"
#include "runtime/log.h"

void *uhi_huge_alloc(size_t bytes, size_t from) {
    void *memory = NULL;
    if (bytes < from)
        return malloc(bytes ? bytes : 1);
    if (posix_memalign(&memory, UHI_HUGE_PAGE, bytes))
        return NULL;
    (void)madvise(memory, bytes, MADV_HUGEPAGE); /* a hint: if refused, pages are small */
    return memory;
}

enum { ELEMENTS = 512, TRIES = 9, AGAIN = 4 /* sums per try */ };

/* Elements to add up, by either method. */
struct elements {
    uint32_t table[ELEMENTS], index[ELEMENTS], sum;
};

static void make_elements(struct elements *elements) {
    elements->sum = 0;
    for (uint32_t i = 0; i < ELEMENTS; i++) {
        elements->table[i] = i * i;
        elements->index[i] = i * 0x9e3779b1u >> 23; /* below ELEMENTS, unordered */
        elements->sum += elements->index[i] * elements->index[i];
    }
}

/* Returns the shortest time of TRIES tries in ns; 0 if a sum is wrong. */
static int64_t min_time(const struct elements *elements, int each) {
    const struct uhi_histogram_host *host = uhi_histogram_host();
    int64_t minimum = INT64_MAX;
    int right = 1;
    for (int i = 0; i < TRIES; i++) {
        const uint64_t from = uhi_host_now();
        for (int again = 0; again < AGAIN; again++)
            right &= host->sum(elements->table, elements->index, ELEMENTS, each) == elements->sum;
        const int64_t time = (int64_t)(uhi_host_now() - from);
        minimum = time < minimum ? time : minimum;
    }
    return right ? minimum : 0;
}

static int loads_win;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void choose_loads(void) {
    struct elements elements;
    loads_win = uhi_cpu_table_loads();
    if (loads_win >= 0)
        return;
    make_elements(&elements);
    const int64_t gathered = min_time(&elements, 0), loaded = min_time(&elements, 1);
    loads_win = loaded > 0 && loaded < gathered;
    uhi_log(UH_LOG_TRACE, "%d elements of a table: %lld ns by gathers, %lld ns one by one", AGAIN * ELEMENTS,
            (long long)gathered, (long long)loaded);
}

int uhi_loads_win(void) {
    if (uhi_cpu_isa() != UHI_ISA_V3)
        return 0;
    pthread_once(&once, choose_loads);
    return loads_win;
}
