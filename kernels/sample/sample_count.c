/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/sample/sample_count.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/common/host_run.h"
#include "kernels/registry.h"

enum {
    SAMPLES_A_THREAD = 32768,
    FOUR_TABLES = 4096,   /* counters up to which a thread has four tables: equal samples do not wait */
    TWO_TABLES = 1 << 17, /* and two */
    PAD = 16,             /* tables begin in different cache sets */
    MOST_BATCH = 1 << 30  /* samples of a thread: counters are of 32 bits */
};

/* All threads' tables together; beyond it they all add to the result. */
#define TABLES_BYTES ((size_t)256 << 20)

struct counting {
    const struct uhi_sample_host *host;
    const struct uhi_sample_look *look;
    uint64_t offset, n; /* this batch's */
    uint64_t *counts;
    size_t length, slabs;
    uint32_t *tables; /* slab s: `replicas` from s * replicas * pitch on */
    size_t pitch, replicas;
};

static uint64_t batch_start(const struct counting *c, size_t slab) {
    return uhi_slab_start(c->n, c->slabs, slab);
}

static void count_slab(const uh_work_group *group, void *const *args) {
    const struct counting *c = args[0];
    const size_t slab = group->group_id[0], counters = c->pitch * c->replicas;
    const uint64_t from = batch_start(c, slab);
    uint32_t *tables = c->tables + slab * counters;
    memset(tables, 0, counters * sizeof *tables);
    c->host->count(c->look, c->offset + from, batch_start(c, slab + 1) - from, tables, c->pitch, c->replicas);
}

static void join_slab(const uh_work_group *group, void *const *args) {
    const struct counting *c = args[0];
    const size_t slab = group->group_id[0];
    const size_t from = uhi_slab_start(c->length, c->slabs, slab), to = uhi_slab_start(c->length, c->slabs, slab + 1);
    for (size_t t = 0; t < c->slabs * c->replicas; t++) {
        const uint32_t *table = c->tables + t * c->pitch;
        for (size_t j = from; j < to; j++)
            c->counts[j] += table[j];
    }
}

static void count_slab_direct(const uh_work_group *group, void *const *args) {
    const struct counting *c = args[0];
    const uint64_t from = batch_start(c, group->group_id[0]);
    c->host->count_direct(c->look, c->offset + from, batch_start(c, group->group_id[0] + 1) - from, c->counts);
}

/* Makes the threads' tables where they are worth it; where that cannot be, they do without. */
static void make_tables(struct counting *c) {
    c->replicas = c->length <= FOUR_TABLES ? 4 : c->length <= TWO_TABLES ? 2 : 1;
    c->pitch = c->length + PAD;
    const size_t bytes = c->slabs * c->replicas * c->pitch * sizeof *c->tables;
    if (c->look->parts == 1 && bytes <= TABLES_BYTES && c->length / 4 <= c->n / c->slabs)
        c->tables = malloc(bytes);
}

uh_status uhi_sample_count(uh_queue *queue, const struct uhi_sample_look *look, uint64_t offset, uint64_t n,
                           uint64_t *counts, size_t length) {
    struct counting c = {.host = uhi_sample_host(),
                         .look = look,
                         .offset = offset,
                         .n = n,
                         .counts = counts,
                         .length = length,
                         .slabs = uhi_host_slabs(queue, n, SAMPLES_A_THREAD)};
    uh_status status = UH_SUCCESS;
    make_tables(&c);
    memset(counts, 0, length * sizeof *counts);
    for (uint64_t at = 0; at < n && !status; at += c.n) {
        const uint64_t most = (uint64_t)MOST_BATCH * c.slabs;
        c.offset = offset + at;
        c.n = n - at < most ? n - at : most;
        if (c.tables) {
            status = uhi_host_run(queue, count_slab, "sample: count", &c, c.slabs);
            if (!status)
                status = uhi_host_run(queue, join_slab, "sample: reduce", &c, c.slabs);
        } else {
            status = uhi_host_run(queue, count_slab_direct, "sample: count", &c, c.slabs);
        }
    }
    free(c.tables);
    return status;
}
