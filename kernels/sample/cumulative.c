/* SPDX-License-Identifier: Apache-2.0 */
/* Cumulative probabilities (defined in table.h). Threads process the masses in chunks: first for the chunks' sums, then
 * for the cumulative, and again if some outcomes have no mass, because only then are the ranks of the others known. */
#include "kernels/sample/table.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/common/values.h"
#include "kernels/sample/tuning.h"
#include "runtime/status.h"

enum { BLOCK = 512 /* masses requested at a time */ };

/* Division by T: T < 2^127 shifted left until its bit 126 is set, and floor((2^254 - 1) / that). */
struct divisor {
    uhi_mass t;
    unsigned shift;
    uint64_t high, low;
};

struct chunk {
    uhi_mass before; /* sum of all masses before the chunk */
    uint32_t items;  /* outcomes with mass */
    uint32_t rank;   /* items before it */
};

struct scan {
    const struct uhi_masses *masses;
    struct uhi_sample_table *table;
    struct divisor divisor;
    uhi_mass total;
    struct chunk *chunk;
    size_t chunks;
    int placed; /* ranks are known */
};

static struct divisor make_divisor(uhi_mass total) {
    struct divisor d = {.t = total};
    while (!(d.t >> 126)) {
        d.t <<= 1;
        d.shift++;
    }
    /* Long division of 2^254 - 1, one bit at a time; the quotient is below 2^128 because t >= 2^126. */
    uhi_mass rest = ((uhi_mass)1 << 126) - 1, quotient = 0;
    for (int i = 0; i < 128; i++) {
        rest = rest << 1 | 1;
        quotient <<= 1;
        if (rest >= d.t) {
            rest -= d.t;
            quotient |= 1;
        }
    }
    d.high = (uint64_t)(quotient >> 64);
    d.low = (uint64_t)quotient;
    return d;
}

/* floor(p * 2^64 / T) for p < T. With R = 2^64 high + low, p R / 2^190 is below the quotient by less than p / 2^190 + p
 * / T / 2^62 < 2^-61; omitting the low parts of products subtracts less than 3 units of 2^-62 more. So the estimate is
 * the floor or one less, and the remainder is below 2 T < 2^128. */
static uint64_t divide(const struct divisor *d, uhi_mass p) {
    p <<= d->shift;
    const uint64_t high = (uint64_t)(p >> 64), low = (uint64_t)p;
    const uhi_mass estimate = (uhi_mass)high * d->high + (uint64_t)((uhi_mass)low * d->high >> 64) +
                              (uint64_t)((uhi_mass)high * d->low >> 64);
    const uint64_t quotient = (uint64_t)(estimate >> 62);
    const uhi_mass rest = (p << 64) - quotient * d->t;
    return quotient + (rest >= d->t);
}

static void sum_chunk(const void *context, size_t c, size_t chunks) {
    const struct scan *scan = context;
    const size_t from = c * UHI_SAMPLE_CHUNK;
    const size_t end = scan->masses->n - from < UHI_SAMPLE_CHUNK ? scan->masses->n : from + UHI_SAMPLE_CHUNK;
    uhi_mass mass[BLOCK], sum = 0;
    (void)chunks;
    for (size_t i = from, n; i < end; i += n) {
        n = end - i < BLOCK ? end - i : BLOCK;
        scan->masses->get(scan->masses->context, i, n, mass);
        for (size_t j = 0; j < n; j++)
            sum += mass[j];
    }
    scan->chunk[c].before = sum;
}

static void fill_chunk(const void *context, size_t c, size_t chunks) {
    const struct scan *scan = context;
    const struct uhi_sample_table *table = scan->table;
    struct chunk *chunk = &scan->chunk[c];
    const size_t from = c * UHI_SAMPLE_CHUNK;
    const size_t end = scan->masses->n - from < UHI_SAMPLE_CHUNK ? scan->masses->n : from + UHI_SAMPLE_CHUNK;
    uhi_mass mass[BLOCK], p = chunk->before;
    (void)chunks;
    size_t at = scan->placed ? chunk->rank : from;
    uint64_t start = p < scan->total ? divide(&scan->divisor, p) : 0;
    /* After the last mass p is the total: nothing is stored then. */
    for (size_t i = from, n; i < end && p < scan->total; i += n) {
        n = end - i < BLOCK ? end - i : BLOCK;
        scan->masses->get(scan->masses->context, i, n, mass);
        for (size_t j = 0; j < n && p < scan->total; j++) {
            if (!mass[j])
                continue;
            p += mass[j];
            const uint64_t next = p < scan->total ? divide(&scan->divisor, p) : 0;
            if (next == start && p < scan->total)
                continue;
            table->top[at] = (uint32_t)(start >> 32);
            table->low[at] = (uint32_t)start;
            if (table->map)
                table->map[at] = (uint32_t)(i + j);
            at++;
            start = next;
        }
    }
    chunk->items = (uint32_t)(at - (scan->placed ? chunk->rank : from));
}

static uh_status out_of_memory(const char *call, const struct uhi_masses *masses) {
    return uhi_fail_memory(call, "no memory for the tables of %zu outcomes", masses->n);
}

static void sum_up(struct scan *scan) {
    uhi_mass sum = 0;
    for (size_t c = 0; c < scan->chunks; c++) {
        const uhi_mass of_chunk = scan->chunk[c].before;
        scan->chunk[c].before = sum;
        sum += of_chunk;
    }
    scan->total = sum;
    scan->divisor = make_divisor(sum);
}

static void place(struct scan *scan) {
    uint32_t rank = 0;
    for (size_t c = 0; c < scan->chunks; c++) {
        scan->chunk[c].rank = rank;
        rank += scan->chunk[c].items;
    }
    scan->table->items = rank;
}

uh_status uhi_sample_cumulative(const struct uhi_sample_work *work, const struct uhi_masses *masses) {
    struct uhi_sample_table *table = work->table;
    struct scan scan = {
        .masses = masses, .table = table, .chunks = (masses->n + UHI_SAMPLE_CHUNK - 1) / UHI_SAMPLE_CHUNK};
    scan.chunk = calloc(scan.chunks, sizeof *scan.chunk);
    table->top = uhi_sample_words(masses->n);
    table->low = uhi_sample_words(masses->n);
    uh_status status = scan.chunk && table->top && table->low ? UH_SUCCESS : out_of_memory(work->call, masses);
    if (status)
        goto out;
    uhi_host_parallel(work->queue, "sample: sum", sum_chunk, &scan, scan.chunks);
    sum_up(&scan);
    uhi_host_parallel(work->queue, "sample: cumulative", fill_chunk, &scan, scan.chunks);
    place(&scan);
    if (table->items == masses->n)
        goto out;
    scan.placed = 1;
    table->map = uhi_sample_words(table->items);
    if (table->map)
        uhi_host_parallel(work->queue, "sample: cumulative", fill_chunk, &scan, scan.chunks);
    else
        status = out_of_memory(work->call, masses);
out:
    free(scan.chunk);
    return status;
}

/* ---- the whole table ---- */

uh_status uhi_sample_table_create(uh_queue *queue, const char *call, const struct uhi_masses *masses,
                                  uh_sample_method method, struct uhi_sample_table **table) {
    const struct uhi_sample_work work = {queue, call, calloc(1, sizeof *work.table)};
    if (!work.table)
        return uhi_fail_memory(call, "no memory for the tables of %zu outcomes", masses->n);
    work.table->method = method == UH_SAMPLE_AUTO ? UH_SAMPLE_UNIHIST : method;
    work.table->size = (uint32_t)masses->n;
    uh_status status = uhi_sample_cumulative(&work, masses);
    if (!status && work.table->method != UH_SAMPLE_BINARY)
        status = work.table->method == UH_SAMPLE_ALIAS ? uhi_sample_alias(&work) : uhi_sample_guide(&work);
    if (status)
        uhi_sample_table_destroy(work.table);
    else
        *table = work.table;
    return status;
}

void uhi_sample_table_destroy(struct uhi_sample_table *table) {
    if (!table)
        return;
    free(table->top);
    free(table->low);
    free(table->map);
    free(table->cells);
    free(table->threshold);
    free(table->rest);
    free(table->alias);
    free(table);
}
