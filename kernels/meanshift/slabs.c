/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/meanshift/slabs.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/status.h"

/* ---- creation and destruction ------------------------------------------------------------------------------------ */

uh_status uhi_slab_make(struct uhi_slab *slab, struct uhi_collective *collective, size_t count) {
    const size_t ranks = uhi_collective_ranks(collective);
    slab->collective = collective;
    slab->first = calloc(2 * ranks, sizeof *slab->first);
    if (!slab->first || !uhi_order_make(&slab->home, count))
        return uhi_fail_memory(collective->call, "no memory to share %zu points", count);
    slab->last = slab->first + ranks;
    return uhi_routes_open(&slab->routes, collective);
}

void uhi_slab_free(struct uhi_slab *slab) {
    uhi_cells_free(&slab->cells);
    uhi_order_free(&slab->home);
    uhi_routes_free(&slab->routes);
    free(slab->first);
}

uh_status uhi_slab_choose(struct uhi_slab *slab, const struct uhi_coordinates *points, double radius, int whole) {
    struct uhi_span spans[UHI_MEANSHIFT_MAX_DIMS];
    UHI_TRY(uhi_points_span(slab->collective, UH_SUCCESS, points, spans));
    slab->total = points->count;
    UHI_TRY(uhi_collective_add(slab->collective, &slab->total, 1));
    uhi_cells_choose(&slab->cells, spans, points->dims, radius, whole);
    return UH_SUCCESS;
}

/* ---- distribution ------------------------------------------------------------------------------------------------ */

struct placed {
    const struct uhi_order *order;
    const uint32_t *worth;
    uint64_t rank;
};

/* Within a cell, points are ordered by rank. */
static void row_of(const void *context, size_t i, uint64_t *words) {
    const struct placed *placed = context;
    words[0] = placed->order->key[i];
    words[1] = placed->rank << 32 | i;
}

static uint32_t worth_of(const void *context, size_t i) {
    const struct placed *placed = context;
    return placed->worth[placed->order->id[i]];
}

uh_status uhi_slab_divide(struct uhi_routes *routes, const struct uhi_order *order, const uint32_t *worth) {
    const struct placed placed = {order, worth, uhi_collective_rank(routes->collective)};
    const struct uhi_routed_rows rows = {
        .count = order->count, .words = 2, .row = row_of, .worth = worth ? worth_of : NULL, .context = &placed};
    return uhi_routes_assign(routes, &rows);
}

uh_status uhi_slab_send(struct uhi_routes *routes, const struct uhi_coordinates *from, const struct uhi_order *order,
                        struct uhi_coordinates *to) {
    struct uhi_coordinates sorted = {.count = 0};
    const int made = uhi_coordinates_make(&sorted, from->size, from->dims, order->count) &&
                     uhi_coordinates_make(to, from->size, from->dims, routes->taken);
    uh_status status = uhi_collective_allocated(routes->collective, made, "slabs", order->count + routes->taken);
    if (!status)
        uhi_coordinates_gather(from, order, &sorted);
    for (size_t a = 0; a < from->dims && !status; a++)
        status = uhi_routes_send(routes, (const char *)sorted.x + a * sorted.stride * from->size, from->size,
                                 (char *)to->x + a * to->stride * from->size);
    free(sorted.x);
    return status;
}

/* Makes room for the points of the slab, and some more for later changes. */
static int make_room(struct uhi_slab *slab, const struct uhi_coordinates *points) {
    struct uhi_coordinates maximum = *points;
    if (points->count < slab->room)
        return 1;
    maximum.count += maximum.count / 8 + 1;
    uhi_cells_free(&slab->cells);
    slab->room = uhi_cells_make(&slab->cells, &maximum) ? maximum.count : 0;
    return slab->room > 0;
}

/* Sends the ends of all slabs to all. An empty slab gets the last cell before it. */
static uh_status exchange_ends(struct uhi_slab *slab) {
    const size_t ranks = uhi_collective_ranks(slab->collective), rank = uhi_collective_rank(slab->collective);
    const struct uhi_order *order = &slab->cells.order;
    memset(slab->first, 0, 2 * ranks * sizeof *slab->first);
    if (order->count > 0) {
        slab->first[rank] = order->key[0] + 1;
        slab->last[rank] = order->key[order->count - 1] + 1;
    }
    const uh_status status = uhi_collective_add(slab->collective, slab->first, 2 * ranks);
    for (size_t r = 0; r < ranks && !status; r++)
        if (slab->last[r] == 0)
            slab->first[r] = slab->last[r] = r > 0 ? slab->last[r - 1] : 0;
    return status;
}

uh_status uhi_slab_take(struct uhi_slab *slab, const struct uhi_coordinates *points) {
    struct uhi_order *home = &slab->home;
    struct uhi_coordinates taken = {.count = 0};
    uhi_order_all(home, points->count);
    uhi_cells_order(&slab->cells, points, home);
    uh_status status = uhi_slab_divide(&slab->routes, home, NULL);
    if (!status)
        status = uhi_slab_send(&slab->routes, points, home, &taken);
    if (!status)
        status = uhi_collective_allocated(slab->collective, make_room(slab, &taken), "slabs", taken.count);
    if (!status) {
        uhi_cells_sort(&slab->cells, &taken);
        status = exchange_ends(slab);
    }
    free(taken.x);
    return status;
}

/* ---- visits ------------------------------------------------------------------------------------------------------ */

struct uhi_keys uhi_slab_around(const struct uhi_slab *slab, const struct uhi_order *order) {
    const uint64_t reach = uhi_cells_reach(&slab->cells);
    if (order->count == 0)
        return (struct uhi_keys){1, 0};
    const uint64_t first = order->key[0] + 1, last = order->key[order->count - 1] + 1;
    return (struct uhi_keys){first > reach ? first - reach : 1, last + reach};
}

/* A process holds the blocks of this many steps at a time: usually of its own slab and both next to it. Between windows
 * processes wait for each other, because the work of steps differs. */
enum { WINDOW = 4 };

/* The slabs from which each process takes points, `count` starting at `first`, one per step. The first one differs
 * between processes, so that not all take from the same. */
struct visiting {
    const struct uhi_slab *slab;
    const struct uhi_visit *visit;
    size_t ranks, rank, steps;
    struct uhi_keys *around; /* per process; owned, as are the following */
    uint32_t *first, *count;
    struct uhi_routes routes; /* points for each process, and from each */
    char *received;           /* blocks of a window's steps, axis by axis, */
    uint32_t *number;
    size_t used; /* number of points in use */
};

static int make_blocks(struct visiting *v) {
    v->around = calloc(v->ranks, sizeof *v->around);
    v->first = calloc(2 * v->ranks, sizeof *v->first);
    if (!v->around || !v->first || uhi_routes_open(&v->routes, v->slab->collective))
        return 0;
    v->count = v->first + v->ranks;
    return 1;
}

static void drop_blocks(struct visiting *v) {
    free(v->around);
    free(v->first);
    uhi_routes_free(&v->routes);
    free(v->received);
    free(v->number);
}

/* Returns the process from whose slab a process takes points in a step; ranks: none. */
static size_t source_of(const struct visiting *v, size_t taker, size_t step) {
    return step < v->count[taker] ? v->first[taker] + (taker + step) % v->count[taker] : v->ranks;
}

/* Returns the first point of the own slab from a cell on, given by its key plus 1. */
static size_t point_of(const struct visiting *v, uint64_t key) {
    const struct uhi_order *order = &v->slab->cells.order;
    return uhi_cells_find(order->key, order->count, 0, key > 0 ? key - 1 : 0);
}

/* Finds out, on all processes, who takes points from whom. */
static uh_status plan(struct visiting *v) {
    const struct uhi_slab *slab = v->slab;
    v->around[v->rank] = v->visit->around;
    const uh_status status = uhi_collective_add(slab->collective, (uint64_t *)v->around, 2 * v->ranks);
    for (size_t r = 0; r < v->ranks && !status; r++) {
        const struct uhi_keys *around = &v->around[r];
        const size_t end = v->visit->before ? r : v->ranks, first = uhi_cells_find(slab->last, end, 0, around->first),
                     last = uhi_cells_find(slab->first, end, 0, around->last + 1);
        v->first[r] = (uint32_t)first;
        v->count[r] = (uint32_t)(first < last && around->first <= around->last ? last - first : 0);
        v->steps = v->count[r] > v->steps ? v->count[r] : v->steps;
        if (v->rank - first < v->count[r])
            v->routes.sent[r] = point_of(v, around->last + 1) - point_of(v, around->first);
    }
    return status;
}

/* Tells each process how many points it will get. */
static uh_status exchange_counts(struct visiting *v) {
    struct uhi_routes *routes = &v->routes;
    for (size_t r = 0; r < v->ranks; r++) {
        routes->out[r] = &routes->sent[r];
        routes->in[r] = &routes->received[r];
        routes->give[r] = v->rank - v->first[r] < v->count[r] ? sizeof *routes->sent : 0;
        routes->take[r] = r - v->first[v->rank] < v->count[v->rank] ? sizeof *routes->received : 0;
    }
    return uhi_collective_trade(routes->collective, routes->out, routes->give, routes->in, routes->take);
}

/* Allocates the blocks of a window, except the own one, which stays in place. */
static int make_received(struct visiting *v) {
    const struct uhi_coordinates *sorted = &v->slab->cells.sorted;
    uint64_t maximum = 0, sum = 0;
    for (size_t step = 0; step < v->steps; step++) {
        const size_t source = source_of(v, v->rank, step);
        sum = step % WINDOW ? sum : 0;
        sum += source < v->ranks && source != v->rank ? v->routes.received[source] : 0;
        maximum = sum > maximum ? sum : maximum;
    }
    if (v->visit->number && !(v->number = malloc((maximum + 1) * sizeof *v->number)))
        return 0;
    v->received = malloc((sorted->dims * maximum + 1) * sorted->size);
    return v->received != NULL;
}

/* Exchanges `size` bytes per point of a step's blocks. */
static uh_status trade(struct visiting *v, size_t step, const void *mine, size_t size, void *theirs) {
    const size_t source = source_of(v, v->rank, step);
    struct uhi_routes *routes = &v->routes;
    for (size_t r = 0; r < v->ranks; r++) {
        const int gives = r != v->rank && source_of(v, r, step) == v->rank, takes = r == source && r != v->rank;
        routes->give[r] = gives ? routes->sent[r] * size : 0;
        routes->take[r] = takes ? routes->received[r] * size : 0;
        routes->out[r] = gives ? (const char *)mine + point_of(v, v->around[r].first) * size : NULL;
        routes->in[r] = theirs;
    }
    return uhi_collective_trade(routes->collective, routes->out, routes->give, routes->in, routes->take);
}

struct block {
    struct uhi_coordinates points;
    const uint32_t *number;
};

/* Exchanges a step's blocks. */
static uh_status receive_block(struct visiting *v, size_t step, struct block *block) {
    const struct uhi_coordinates *sorted = &v->slab->cells.sorted;
    const size_t source = source_of(v, v->rank, step), size = sorted->size, dims = sorted->dims;
    const size_t count = source < v->ranks ? v->routes.received[source] : 0;
    char *received = v->received + v->used * dims * size;
    uint32_t *number = v->visit->number ? v->number + v->used : NULL;
    uh_status status = UH_SUCCESS;
    *block = (struct block){{.size = size, .dims = dims, .count = count, .stride = count, .x = received}, number};
    for (size_t a = 0; a < dims && !status; a++)
        status = trade(v, step, (const char *)sorted->x + a * sorted->stride * size, size, received + a * count * size);
    if (!status && number)
        status = trade(v, step, v->visit->number, sizeof *number, number);
    if (source == v->rank) {
        const size_t local = point_of(v, v->visit->around.first);
        block->points.stride = sorted->stride;
        block->points.x = (char *)sorted->x + local * size;
        block->number = number ? v->visit->number + local : NULL;
    } else {
        v->used += count;
    }
    return status;
}

static uh_status take_window(struct visiting *v, size_t step, int *stopped) {
    struct block blocks[WINDOW];
    size_t n = 0;
    uh_status status = UH_SUCCESS;
    v->used = 0;
    for (; n < WINDOW && step + n < v->steps; n++)
        UHI_TRY(receive_block(v, step + n, &blocks[n]));
    for (size_t i = 0; i < n && !status && !*stopped; i++)
        if (blocks[i].points.count > 0)
            status = v->visit->take(v->visit->context, &blocks[i].points, blocks[i].number, stopped);
    return uhi_collective_agree_to_stop(v->slab->collective, status, stopped);
}

static uh_status take_windows(struct visiting *v, int *stopped) {
    struct uhi_collective *collective = v->slab->collective;
    UHI_TRY(uhi_collective_allocated(collective, make_blocks(v), "slabs", v->ranks));
    UHI_TRY(plan(v));
    UHI_TRY(exchange_counts(v));
    UHI_TRY(uhi_collective_allocated(collective, make_received(v), "slabs", v->ranks));
    for (size_t step = 0; step < v->steps && !*stopped; step += WINDOW)
        UHI_TRY(take_window(v, step, stopped));
    return UH_SUCCESS;
}

uh_status uhi_slab_visit(const struct uhi_slab *slab, const struct uhi_visit *visit, int *stopped) {
    struct visiting v = {.slab = slab,
                         .visit = visit,
                         .ranks = uhi_collective_ranks(slab->collective),
                         .rank = uhi_collective_rank(slab->collective)};
    const uh_status status = take_windows(&v, stopped);
    drop_blocks(&v);
    return status;
}
