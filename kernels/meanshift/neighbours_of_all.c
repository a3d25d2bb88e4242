/* SPDX-License-Identifier: Apache-2.0 */
/* Sums over neighbours by several processes. Points are divided by cells, and places by the cost of their sums. A
 * process sums for the places dealt to it over the nearby points of one slab after the other: it never holds more than
 * a slab of others' points. Sums are integers, so that those of slabs add up to the result of a single process. They
 * return to the places' home processes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/meanshift/neighbours.h"
#include "runtime/status.h"

static int is_one(const struct uhi_neighbours_of_all *all) { return !all->collective->exchange; }

/* ---- creation and destruction ------------------------------------------------------------------------------------ */

uh_status uhi_of_all_make(struct uhi_neighbours_of_all *all, struct uhi_collective *collective, uh_queue *queue,
                          const struct uhi_coordinates *points, size_t places) {
    all->collective = collective;
    all->order = is_one(all) ? &all->here.order : &all->local;
    uh_status status = uhi_neighbours_make(&all->here, queue, collective->call, points, is_one(all) ? places : 0);
    if (status || is_one(all))
        return status;
    all->worth = malloc((places + 1) * sizeof *all->worth);
    if (!uhi_order_make(&all->local, places) || !all->worth)
        return uhi_fail_memory(collective->call, "no memory for the sums of %zu places", places);
    for (size_t i = 0; i < places; i++)
        all->worth[i] = 1;
    status = uhi_slab_make(&all->slab, collective, points->count);
    return status ? status : uhi_routes_open(&all->routes, collective);
}

void uhi_of_all_close(struct uhi_neighbours_of_all *all) {
    uhi_neighbours_close(&all->here);
    if (!all->collective || is_one(all))
        return;
    uhi_slab_free(&all->slab);
    uhi_routes_free(&all->routes);
    uhi_order_free(&all->local);
    free(all->place.x);
    free(all->got);
    free(all->sums);
    free(all->worth);
}

int uhi_of_all_text(const struct uhi_neighbours_of_all *all, char *text, size_t size) {
    if (is_one(all))
        return uhi_neighbours_text(&all->here, text, size);
    const int written = snprintf(text, size, "%zu processes, this one with %zu points and %zu places; ",
                                 uhi_collective_ranks(all->collective), all->slab.cells.order.count, all->routes.taken);
    if (written < 0 || all->here.summing.places == 0)
        return written;
    const size_t used = (size_t)written < size ? (size_t)written : size;
    const int more = uhi_neighbours_text(&all->here, text + used, size - used);
    return more < 0 ? more : written + more;
}

double uhi_of_all_unit(const struct uhi_neighbours_of_all *all, size_t size) {
    return uhi_rule_of(&all->here.window, size, all->here.all).unit;
}

/* ---- points ------------------------------------------------------------------------------------------------------ */

static uint32_t clamp_worth(uint64_t interactions) {
    return interactions < 1 ? 1 : interactions < UINT32_MAX ? (uint32_t)interactions : UINT32_MAX;
}

/* Finds the candidates within the own slab of its points, in sorted order. */
static uh_status find_local(struct uhi_neighbours_of_all *all) {
    struct uhi_neighbours *here = &all->here;
    const struct uhi_cells *cells = &all->slab.cells;
    const size_t count = cells->order.count;
    UHI_TRY(uhi_neighbours_reserve(here, &cells->sorted, count));
    if (count == 0)
        return UH_SUCCESS;
    uhi_cells_choose_as(&here->cells, cells);
    uhi_cells_sort(&here->cells, &cells->sorted);
    uhi_order_all(&here->order, count);
    return uhi_neighbours_find(here, &cells->sorted);
}

/* Before the first sums: estimates the cost of each point's sums from its slab alone. */
static uh_status estimate_worth(struct uhi_neighbours_of_all *all) {
    struct uhi_neighbours *here = &all->here;
    struct uhi_slab *slab = &all->slab;
    const size_t count = slab->cells.order.count;
    uint32_t *got = malloc((count + 1) * sizeof *got), *local = malloc((slab->home.count + 1) * sizeof *local);
    uh_status status = uhi_collective_allocated(all->collective, got && local, "sums", count);
    if (!status)
        status = uhi_collective_agree(all->collective, find_local(all));
    all->interactions = count > 0 ? here->interactions : 0;
    for (size_t i = 0; i < count && !status; i++)
        got[slab->cells.order.id[here->order.id[i]]] = clamp_worth(here->before[i + 1] - here->before[i]);
    if (!status)
        status = uhi_collective_add(all->collective, &all->interactions, 1);
    if (!status)
        status = uhi_routes_return(&slab->routes, got, sizeof *got, local);
    for (size_t i = 0; i < slab->home.count && !status; i++)
        all->worth[slab->home.id[i]] = local[i];
    free(got);
    free(local);
    return status;
}

uh_status uhi_of_all_take(struct uhi_neighbours_of_all *all, const struct uhi_coordinates *points) {
    struct uhi_neighbours *here = &all->here;
    if (is_one(all)) {
        uhi_neighbours_take(here, points);
        return UH_SUCCESS;
    }
    const int whole = here->method == UH_MEAN_SHIFT_TILES || here->method == UH_MEAN_SHIFT_NAIVE;
    UHI_TRY(uhi_slab_choose(&all->slab, points, here->window.radius, whole));
    here->all = all->slab.total;
    UHI_TRY(uhi_slab_take(&all->slab, points));
    return !all->are_points || all->interactions > 0 ? UH_SUCCESS : estimate_worth(all);
}

/* Returns the number of a list's cells in a slab or next to it, starting at index *from. */
static size_t cells_adjacent(const struct uhi_slab *slab, const struct uhi_cell_list *list, size_t rank, size_t *from) {
    const uint64_t reach = uhi_cells_reach(&slab->cells), first = slab->first[rank];
    *from = uhi_cells_find(list->key, list->count, 0, first > reach ? first - 1 - reach : 0);
    return uhi_cells_find(list->key, list->count, *from, slab->last[rank] + reach) - *from;
}

/* Sends each slab the cells near it from all lists. `local` is this process's list, `nearby` the cells it gets. */
static uh_status exchange_cells(struct uhi_neighbours_of_all *all, const struct uhi_cell_list *local,
                                struct uhi_cell_list *nearby) {
    struct uhi_routes *routes = &all->routes; /* not in use now */
    const struct uhi_slab *slab = &all->slab;
    const size_t ranks = uhi_collective_ranks(all->collective);
    size_t from, n = 0;
    for (size_t r = 0; r < ranks; r++)
        n += routes->sent[r] = cells_adjacent(slab, local, r, &from);
    uint64_t *sent = malloc((n + 1) * sizeof *sent);
    uh_status status = uhi_collective_allocated(all->collective, sent != NULL, "sums", n);
    n = 0;
    for (size_t r = 0; r < ranks && !status; n += routes->sent[r++]) {
        (void)cells_adjacent(slab, local, r, &from);
        memcpy(sent + n, local->key + from, routes->sent[r] * sizeof *sent);
    }
    if (!status)
        status = uhi_routes_exchange_counts(routes);
    if (!status) {
        *nearby = (struct uhi_cell_list){routes->taken, malloc((routes->taken + 1) * sizeof *nearby->key)};
        status = uhi_collective_allocated(all->collective, nearby->key != NULL, "sums", routes->taken);
    }
    if (!status)
        status = uhi_routes_send(routes, sent, sizeof *sent, nearby->key);
    free(sent);
    return status;
}

/* Notifies the points of all slabs in or next to whose cells something has moved, and stores those of this process in
 * `order`. */
static uh_status find_adjacent(struct uhi_neighbours_of_all *all, const struct uhi_cell_list *changed) {
    struct uhi_slab *slab = &all->slab;
    const struct uhi_order *home = &slab->home;
    struct uhi_cell_list nearby = {.count = 0};
    struct uhi_order found = {.count = 0};
    uint8_t *is_adjacent = calloc(slab->routes.taken + 1, 1), *mine = calloc(slab->routes.given + 1, 1);
    const int made = is_adjacent && mine && uhi_order_make(&found, slab->routes.taken);
    uh_status status = uhi_collective_allocated(all->collective, made, "sums", home->count);
    if (!status)
        status = exchange_cells(all, changed, &nearby);
    if (!status) {
        uhi_cells_order_adjacent(&slab->cells, &nearby, &found);
        for (size_t i = 0; i < found.count; i++)
            is_adjacent[found.id[i]] = 1;
        status = uhi_routes_return(&slab->routes, is_adjacent, 1, mine);
    }
    all->order->count = 0;
    for (size_t i = 0; i < home->count && !status; i++)
        if (mine[i])
            all->order->id[all->order->count++] = home->id[i];
    uhi_order_free(&found);
    free(nearby.key);
    free(is_adjacent);
    free(mine);
    return status;
}

uh_status uhi_of_all_take_moved(struct uhi_neighbours_of_all *all, const struct uhi_coordinates *points,
                                const uint8_t *moved) {
    struct uhi_slab *slab = &all->slab;
    if (is_one(all))
        return uhi_neighbours_take_moved(&all->here, points, moved);
    struct uhi_cell_list changed = {0, malloc((2 * points->count + 1) * sizeof *changed.key)};
    uh_status status = uhi_collective_allocated(all->collective, changed.key != NULL, "sums", points->count);
    if (!status) {
        uhi_cells_list(&slab->home, moved, &changed);
        status = uhi_slab_take(slab, points);
    }
    if (!status) {
        uhi_cells_list(&slab->home, moved, &changed);
        changed.count = uhi_keys_unique(changed.key, changed.count);
        status = find_adjacent(all, &changed);
    }
    free(changed.key);
    return status;
}

/* ---- sums -------------------------------------------------------------------------------------------------------- */

/* Adds the sums over a block of a slab. */
static uh_status add_block(void *context, const struct uhi_coordinates *block,
                           __attribute__((unused)) const uint32_t *number, int *stopped) {
    struct uhi_neighbours_of_all *all = context;
    struct uhi_neighbours *here = &all->here;
    const size_t row = block->dims + 1;
    UHI_TRY(uhi_neighbours_reserve(here, block, all->place.count));
    uhi_cells_sort(&here->cells, block);
    uh_status status = uhi_neighbours_sum(here, &all->place, stopped);
    for (size_t i = 0; i < here->order.count && !status && !*stopped; i++) {
        int64_t *sums = all->got + here->order.id[i] * (row + 1);
        for (size_t a = 0; a < row; a++)
            sums[a] += here->sums[i * row + a];
        sums[row] += (int64_t)(here->before[i + 1] - here->before[i]);
    }
    here->earlier += here->interactions;
    return status;
}

/* Distributes places, and gets those that this process sums for. */
static uh_status redistribute_places(struct uhi_neighbours_of_all *all, const struct uhi_coordinates *places) {
    free(all->place.x);
    free(all->got);
    all->place.x = all->got = NULL;
    uhi_cells_order(&all->slab.cells, places, all->order);
    UHI_TRY(uhi_slab_divide(&all->routes, all->order, all->worth));
    UHI_TRY(uhi_slab_send(&all->routes, places, all->order, &all->place));
    all->got = calloc(all->routes.taken + 1, (places->dims + 2) * sizeof *all->got);
    return uhi_collective_allocated(all->collective, all->got != NULL, "sums", all->routes.taken);
}

/* Sums for these places over all slabs. */
static uh_status sum_slabs(struct uhi_neighbours_of_all *all, int *stopped) {
    struct uhi_neighbours *here = &all->here;
    struct uhi_order *order = &here->order;
    UHI_TRY(uhi_collective_agree(all->collective, uhi_neighbours_reserve(here, &all->place, all->place.count)));
    uhi_cells_choose_as(&here->cells, &all->slab.cells);
    here->earlier = 0;
    here->expected = all->interactions / uhi_collective_ranks(all->collective);
    uhi_order_all(order, all->place.count);
    uhi_cells_order(&all->slab.cells, &all->place, order);
    const struct uhi_visit visit = {.around = uhi_slab_around(&all->slab, order), .take = add_block, .context = all};
    return uhi_slab_visit(&all->slab, &visit, stopped);
}

/* Adds up the costs of all sums; the method is that of the process with the most interactions. */
static uh_status exchange_costs(struct uhi_neighbours_of_all *all) {
    uint64_t maximum = all->here.earlier << 2 | (uint64_t)all->here.chosen;
    all->interactions = all->here.earlier;
    UHI_TRY(uhi_collective_add(all->collective, &all->interactions, 1));
    UHI_TRY(uhi_collective_maximum(all->collective, &maximum, 1));
    all->chosen = (uh_mean_shift_method)(maximum & 3);
    return UH_SUCCESS;
}

/* Returns sums to the places' home processes. */
static uh_status return_sums(struct uhi_neighbours_of_all *all, size_t dims) {
    const struct uhi_order *order = all->order;
    const size_t row = dims + 1;
    free(all->sums);
    all->sums = malloc((order->count + 1) * (row + 1) * sizeof *all->sums);
    UHI_TRY(uhi_collective_allocated(all->collective, all->sums != NULL, "sums", order->count));
    UHI_TRY(uhi_routes_return(&all->routes, all->got, (row + 1) * sizeof *all->got, all->sums));
    for (size_t i = 0; i < order->count; i++) {
        const int64_t *from = all->sums + i * (row + 1);
        all->worth[order->id[i]] = clamp_worth((uint64_t)from[row]);
        memmove(all->sums + i * row, from, row * sizeof *from);
    }
    return UH_SUCCESS;
}

static uh_status sum_together(struct uhi_neighbours_of_all *all, const struct uhi_coordinates *places, int *stopped) {
    UHI_TRY(redistribute_places(all, places));
    const uint64_t begin = uhi_host_now();
    const uh_status status = sum_slabs(all, stopped);
    all->kernel_ns = uhi_host_now() - begin;
    if (status || *stopped)
        return status;
    UHI_TRY(exchange_costs(all));
    return return_sums(all, places->dims);
}

uh_status uhi_of_all_sum(struct uhi_neighbours_of_all *all, const struct uhi_coordinates *places, int *stopped) {
    struct uhi_neighbours *here = &all->here;
    if (!is_one(all))
        return sum_together(all, places, stopped);
    const uh_status status = uhi_neighbours_sum(here, places, stopped);
    all->sums = here->sums;
    all->chosen = here->chosen;
    all->interactions = here->interactions;
    all->kernel_ns = here->kernel_ns;
    return status;
}
