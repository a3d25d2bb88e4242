/* SPDX-License-Identifier: Apache-2.0 */
/* Samples of 32 bits by the guide: sample.cl. Weights of outcomes are alike, or all but a thousandth is one's. */
#include "perf/model/model.h"

#include "kernels/sample/sample_run.h"

#include "kernels/common/philox.h"
#include "runtime/backend.h"

#include <stdio.h>
#include <stdlib.h>

enum { WIDTH = 4, HEAVY = 1023 /* times all the others together */ };

/* Sites: of a search, two for each pass of its loop. */
enum { SITE_CELL, SITE_SPLIT, SITE_SEARCH };

struct draw {
    struct uhi_masses masses;
    size_t heavy; /* the outcome, or `n` for none */
    struct uhi_sample_table *table;
    int local;
    uint32_t samples[MODEL_POINTS];
};

static uhi_mass mass_of(const struct draw *draw, size_t outcome) {
    return outcome == draw->heavy ? (uhi_mass)HEAVY * draw->masses.n : 1;
}

static void get_masses(const void *context, size_t from, size_t n, uhi_mass *mass) {
    for (size_t i = 0; i < n; i++)
        mass[i] = mass_of(context, from + i);
}

/* By one thread; a queue of the public call would have the library open all drivers that there are. */
static void make_table(struct draw *draw) {
    uh_device host = {.backend = &uhi_backend_host};
    uh_queue queue = {.device = &host, .options = {.threads = 1}};
    perf_check(uhi_sample_table_create(&queue, "unihist-model", &draw->masses, UH_SAMPLE_UNIHIST, &draw->table));
}

static void *open_draw(const struct model_device *device, const struct model_case *of, struct model_launch *launch) {
    struct draw *draw = perf_memory(1, sizeof *draw);
    draw->masses = (struct uhi_masses){get_masses, draw, of->k};
    draw->heavy = of->data == CASE_ONEBIN ? of->k / 2 : of->k;
    make_table(draw);
    const struct uhi_engine engine = {.properties = model_device_properties(device)};
    const struct uhi_sample_part part = {.words = (uint32_t)draw->table->cell_count};
    draw->local = uhi_sample_fits_local(&engine, &part);
    launch->where = draw->local ? "local" : "global";
    launch->group_size = uhi_engine_group_size(&engine);
    launch->groups = uhi_engine_groups(&engine, launch->group_size);
    launch->local_tables = launch->local_bytes = draw->local ? part.words * 4 : 0;
    launch->copies = 1;
    launch->width = WIDTH;
    launch->written = 4;
    snprintf(launch->kernel, sizeof launch->kernel, "draw_guide_%s_32", launch->where);
    return draw;
}

static uint32_t look(uint32_t site, const uint32_t *table, uint32_t index, int local, struct model_way *way) {
    model_way_add(way, (struct model_access){site, 4 * index, 1, (uint16_t)local, 0});
    return table[index];
}

/* last_rank: a search in global memory. */
static uint32_t search(const struct draw *draw, uint32_t w, uint32_t v, struct model_way *way) {
    const struct uhi_sample_table *t = draw->table;
    uint32_t first = 0, pass = 0;
    for (uint32_t count = t->items - 1; count > 0; pass++) {
        const uint32_t step = (count + 1) / 2, top = look(SITE_SEARCH + 2 * pass, t->top, first + step, 0, way);
        const int before = top < w || (top == w && look(SITE_SEARCH + 2 * pass + 1, t->low, first + step, 0, way) <= v);
        first += before ? step : 0;
        count = before ? count - step : step - 1;
    }
    return first;
}

/* ranks_of; what an entry does not settle comes after the others of the block. */
static uint32_t rank_of(const struct draw *draw, uint32_t w, uint32_t v, struct model_way *way) {
    const struct uhi_sample_table *t = draw->table;
    uint32_t shift = 32 - t->bits, mask = (1U << shift) - 1;
    uint32_t x = look(SITE_CELL, t->cells, w >> shift, draw->local, way) + (w & mask);
    int ties = (x & mask) == 0;
    if (ties || x >> shift >= t->items)
        way->later = way->count;
    if (!ties && x >> shift >= t->items) {
        const uint32_t split = (x >> shift) - uhi_sample_first_split(t->bits);
        shift -= t->more;
        mask = (1U << shift) - 1;
        const uint32_t at = (1U << t->bits) + (split << t->more) + (w >> shift & ((1U << t->more) - 1));
        x = look(SITE_SPLIT, t->cells, at, draw->local, way) + (w & mask);
        ties = (x & mask) == 0 || x >> shift >= t->items;
    }
    return ties ? search(draw, w, v, way) : x >> shift;
}

static void follow_draw(void *work, size_t i, __attribute__((unused)) uint32_t lane, struct model_way *way) {
    struct draw *draw = work;
    const uint32_t w = uhi_philox4x32_u32(MODEL_SEED, UHI_SAMPLE_STREAM, i);
    const uint32_t v = uhi_philox4x32_u32(MODEL_SEED, UHI_SAMPLE_STREAM + 1, i);
    draw->samples[i] = rank_of(draw, w, v, way);
}

/* Outcome j is right for u where floor(P_j 2^64 / T) <= u < floor(P_(j+1) 2^64 / T), P being sums of masses. */
static void check_draw(const void *work) {
    const struct draw *draw = work;
    const size_t n = draw->masses.n;
    uhi_mass *before = perf_memory(n + 1, sizeof *before);
    for (size_t j = 0; j < n; j++)
        before[j + 1] = before[j] + mass_of(draw, j);
    for (size_t i = 0; i < MODEL_POINTS; i++) {
        const uhi_mass u = (uhi_mass)uhi_philox4x32_u32(MODEL_SEED, UHI_SAMPLE_STREAM, i) << 32 |
                           uhi_philox4x32_u32(MODEL_SEED, UHI_SAMPLE_STREAM + 1, i);
        const uint32_t j = draw->samples[i];
        if (j >= n || (before[j] << 64) / before[n] > u || (before[j + 1] << 64) / before[n] <= u)
            perf_fail("wrong: the model draws %u as sample %zu, which it is not", j, i);
    }
    free(before);
}

static void close_draw(void *work) { uhi_sample_table_destroy(((struct draw *)work)->table); }

const struct model_operation model_draw = {"draw", open_draw, follow_draw, check_draw, close_draw};
