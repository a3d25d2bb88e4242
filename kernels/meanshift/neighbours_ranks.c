/* SPDX-License-Identifier: Apache-2.0 */
/* Sums over neighbours by several processes, among which points are divided by cells, and so are places, by what sums
 * for them cost. A process sums for the places that it has got over one slab's points after the other, as far as these
 * are near: what it holds of others' is never more than a slab. Sums are integers, so that adding up those of slabs
 * gives what one process would have. They go back to where the places came from. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/meanshift/neighbours.h"
#include "kernels/meanshift/points.h"
#include "kernels/meanshift/slabs.h"
#include "runtime/host.h"
#include "runtime/status.h"

struct uhi_neighbours_ranks {
    struct uhi_slab slab;         /* of the points */
    struct uhi_deal deal;         /* of the places, */
    struct uhi_coordinates place; /* those that this process has got, */
    int64_t *sums;                /* and theirs: rows of dims + 1 and their interactions, as they came */
    struct uhi_neighbours here;   /* which sums for them */
    uint32_t *worth;              /* of own places, by number: their interactions in the last sums */
    uint64_t last;                /* interactions of all places then */
};

static uh_status fail_memory(const struct uhi_neighbours *neighbours, size_t count) {
    return uhi_fail(UH_ERROR_OUT_OF_MEMORY, neighbours->call, NULL, "no memory for the sums of %zu places", count);
}

/* ---- life -------------------------------------------------------------------------------------------------------- */

uh_status uhi_neighbours_ranks_make(struct uhi_neighbours *neighbours, const struct uhi_coordinates *points,
                                    size_t places) {
    struct uhi_neighbours_ranks *ranks = neighbours->ranks = calloc(1, sizeof *ranks);
    if (!ranks || !uhi_order_make(&neighbours->order, places) ||
        !(ranks->worth = malloc((places + 1) * sizeof(uint32_t))))
        return fail_memory(neighbours, places);
    for (size_t i = 0; i < places; i++)
        ranks->worth[i] = 1;
    uh_status status = uhi_slab_make(&ranks->slab, neighbours->together, points->count);
    if (!status)
        status = uhi_deal_make(&ranks->deal, neighbours->together);
    ranks->here.method = neighbours->method;
    return status ? status : uhi_neighbours_make(&ranks->here, neighbours->queue, neighbours->call, points, 0);
}

void uhi_neighbours_ranks_close(struct uhi_neighbours *neighbours) {
    struct uhi_neighbours_ranks *ranks = neighbours->ranks;
    if (!ranks)
        return;
    neighbours->ranks = NULL;
    uhi_neighbours_close(&ranks->here);
    uhi_slab_free(&ranks->slab);
    uhi_deal_free(&ranks->deal);
    free(ranks->place.x);
    free(ranks->sums);
    free(ranks->worth);
    free(ranks);
}

int uhi_neighbours_ranks_text(const struct uhi_neighbours *neighbours, char *text, size_t size) {
    const struct uhi_neighbours_ranks *ranks = neighbours->ranks;
    const int written =
        snprintf(text, size, "%zu processes, this one with %zu points and %zu places; ",
                 uhi_together_ranks(neighbours->together), ranks->slab.cells.order.count, ranks->deal.taken);
    if (written < 0 || ranks->here.summing.places == 0)
        return written;
    const size_t used = (size_t)written < size ? (size_t)written : size;
    const int more = uhi_neighbours_text(&ranks->here, text + used, size - used);
    return more < 0 ? more : written + more;
}

/* ---- points ------------------------------------------------------------------------------------------------------ */

uh_status uhi_neighbours_ranks_take(struct uhi_neighbours *neighbours, const struct uhi_coordinates *points) {
    struct uhi_slab *slab = &neighbours->ranks->slab;
    const int whole = neighbours->method == UH_MEAN_SHIFT_TILES || neighbours->method == UH_MEAN_SHIFT_NAIVE;
    struct uhi_span spans[UH_MEAN_SHIFT_MAX_DIMS];
    uh_status status = uhi_slab_choose(slab, points, neighbours->window.radius, whole, spans);
    for (size_t a = 0; a < points->dims && !status; a++)
        if ((status = uhi_points_check_span(neighbours->call, "points", points->size, a, spans[a])))
            neighbours->together->failed = 1; /* on all */
    return status ? status : uhi_slab_take(slab, points);
}

/* How many cells of a list are in a slab or beside it, from number *from on. */
static size_t cells_near(const struct uhi_slab *slab, const struct uhi_cell_list *list, size_t rank, size_t *from) {
    const uint64_t reach = uhi_cells_reach(&slab->cells), first = slab->first[rank];
    *from = uhi_cells_find(list->key, list->count, 0, first > reach ? first - 1 - reach : 0);
    return uhi_cells_find(list->key, list->count, *from, slab->last[rank] + reach) - *from;
}

/* Brings each slab such cells of all lists. `own` is this process's list, `near` what it gets. */
static uh_status bring_cells(const struct uhi_neighbours *neighbours, const struct uhi_cell_list *own,
                             struct uhi_cell_list *near) {
    struct uhi_deal *deal = &neighbours->ranks->deal; /* of nothing now */
    const struct uhi_slab *slab = &neighbours->ranks->slab;
    const size_t ranks = uhi_together_ranks(neighbours->together);
    size_t from, all = 0;
    for (size_t r = 0; r < ranks; r++)
        all += deal->sent[r] = cells_near(slab, own, r, &from);
    uint64_t *sent = malloc((all + 1) * sizeof *sent);
    uh_status status = uhi_together_agree(neighbours->together, sent ? UH_SUCCESS : fail_memory(neighbours, all));
    all = 0;
    for (size_t r = 0; r < ranks && !status; all += deal->sent[r++]) {
        const size_t n = cells_near(slab, own, r, &from);
        memcpy(sent + all, own->key + from, n * sizeof *sent);
    }
    if (!status)
        status = uhi_deal_tell(deal);
    if (!status) {
        *near = (struct uhi_cell_list){deal->taken, malloc((deal->taken + 1) * sizeof *near->key)};
        status =
            uhi_together_agree(neighbours->together, near->key ? UH_SUCCESS : fail_memory(neighbours, deal->taken));
    }
    if (!status)
        status = uhi_deal_bring(deal, sent, sizeof *sent, near->key);
    free(sent);
    return status;
}

/* Tells the points of all slabs in whose cells or beside them something has moved; and `order` those of this
 * process. */
static uh_status find_near(struct uhi_neighbours *neighbours, const struct uhi_cell_list *changed) {
    struct uhi_neighbours_ranks *ranks = neighbours->ranks;
    struct uhi_slab *slab = &ranks->slab;
    const struct uhi_order *home = &slab->home;
    const struct uhi_cell_list none = {.count = 0};
    struct uhi_cell_list near = {.count = 0};
    struct uhi_order found = {.count = 0};
    uint8_t *is_near = calloc(slab->deal.taken + 1, 1), *mine = calloc(slab->deal.given + 1, 1);
    const int made = is_near && mine && uhi_order_make(&found, slab->deal.taken);
    uh_status status =
        uhi_together_agree(neighbours->together, made ? UH_SUCCESS : fail_memory(neighbours, home->count));
    if (!status)
        status = bring_cells(neighbours, changed, &near);
    if (!status) {
        near.count = uhi_keys_unique(near.key, near.count);
        uhi_cells_order_near(&slab->cells, &near, &none, &found);
        for (size_t i = 0; i < found.count; i++)
            is_near[found.id[i]] = 1;
        status = uhi_deal_return(&slab->deal, is_near, 1, mine);
    }
    neighbours->order.count = 0;
    for (size_t i = 0; i < home->count && !status; i++)
        if (mine[i])
            neighbours->order.id[neighbours->order.count++] = home->id[i];
    uhi_order_free(&found);
    free(near.key);
    free(is_near);
    free(mine);
    return status;
}

uh_status uhi_neighbours_ranks_take_moved(struct uhi_neighbours *neighbours, const struct uhi_coordinates *points,
                                          const uint8_t *moved) {
    struct uhi_slab *slab = &neighbours->ranks->slab;
    struct uhi_cell_list changed = {0, malloc((2 * points->count + 1) * sizeof *changed.key)}, reached;
    uh_status status =
        uhi_together_agree(neighbours->together, changed.key ? UH_SUCCESS : fail_memory(neighbours, points->count));
    if (!status) {
        uhi_cells_list(&slab->home, moved, &changed);
        status = uhi_slab_take(slab, points);
    }
    if (!status) {
        reached.key = changed.key + changed.count;
        uhi_cells_list(&slab->home, moved, &reached);
        changed.count += reached.count;
        changed.count = uhi_keys_unique(changed.key, changed.count);
        status = find_near(neighbours, &changed);
    }
    free(changed.key);
    return status;
}

/* ---- sums -------------------------------------------------------------------------------------------------------- */

/* Adds the sums over a block of a slab. */
static uh_status add_block(void *context, const struct uhi_coordinates *block, const uint32_t *number, int *stopped) {
    struct uhi_neighbours_ranks *ranks = context;
    struct uhi_neighbours *here = &ranks->here;
    const size_t row = block->dims + 1;
    (void)number;
    uh_status status = uhi_neighbours_reserve(here, block, ranks->place.count);
    if (status)
        return status;
    uhi_cells_sort(&here->cells, block);
    status = uhi_neighbours_sum(here, &ranks->place, stopped);
    for (size_t i = 0; i < here->order.count && !status && !*stopped; i++) {
        int64_t *sums = ranks->sums + here->order.id[i] * (row + 1);
        for (size_t a = 0; a < row; a++)
            sums[a] += here->sums[i * row + a];
        sums[row] += (int64_t)(here->before[i + 1] - here->before[i]);
    }
    here->earlier += here->interactions;
    return status;
}

/* Gets the places that this process sums for. */
static uh_status deal_places(struct uhi_neighbours *neighbours, const struct uhi_coordinates *places) {
    struct uhi_neighbours_ranks *ranks = neighbours->ranks;
    free(ranks->place.x);
    free(ranks->sums);
    ranks->place.x = ranks->sums = NULL;
    uhi_cells_order(&ranks->slab.cells, places, &neighbours->order);
    uh_status status = uhi_slab_deal(&ranks->deal, &neighbours->order, ranks->worth);
    if (!status)
        status = uhi_slab_bring(&ranks->deal, places, &neighbours->order, &ranks->place);
    if (!status)
        ranks->sums = calloc(ranks->deal.taken + 1, (places->dims + 2) * sizeof *ranks->sums);
    return uhi_together_agree(neighbours->together,
                              status || ranks->sums ? status : fail_memory(neighbours, ranks->deal.taken));
}

/* Sums for them over all slabs. */
static uh_status sum_slabs(struct uhi_neighbours *neighbours, int *stopped) {
    struct uhi_neighbours_ranks *ranks = neighbours->ranks;
    struct uhi_neighbours *here = &ranks->here;
    struct uhi_order *order = &here->order;
    uh_status status = uhi_neighbours_reserve(here, &ranks->place, ranks->place.count);
    status = uhi_together_agree(neighbours->together, status);
    if (status)
        return status;
    uhi_cells_choose_as(&here->cells, &ranks->slab.cells);
    here->window = neighbours->window;
    here->progress = neighbours->progress;
    here->progress_context = neighbours->progress_context;
    here->all = ranks->slab.total;
    here->earlier = here->kernel_ns = 0;
    here->expected = ranks->last / uhi_together_ranks(neighbours->together);
    order->count = ranks->place.count;
    for (size_t i = 0; i < order->count; i++)
        order->id[i] = (uint32_t)i;
    uhi_cells_order(&ranks->slab.cells, &ranks->place, order);
    const struct uhi_visit visit = {
        .around = uhi_slab_around(&ranks->slab, order), .take = add_block, .context = ranks};
    return uhi_slab_visit(&ranks->slab, &visit, stopped);
}

/* Adds up what the sums of all have cost; the method is that of the process that has looked at most. */
static uh_status tell_costs(struct uhi_neighbours *neighbours) {
    struct uhi_neighbours_ranks *ranks = neighbours->ranks;
    uint64_t most = ranks->here.earlier << 2 | (uint64_t)ranks->here.chosen;
    neighbours->interactions = ranks->here.earlier;
    uh_status status = uhi_together_add(neighbours->together, &neighbours->interactions, 1);
    if (!status)
        status = uhi_together_maximum(neighbours->together, &most, 1);
    ranks->last = neighbours->interactions;
    neighbours->chosen = (uh_mean_shift_method)(most & 3);
    return status;
}

/* Brings sums back. */
static uh_status return_sums(struct uhi_neighbours *neighbours, size_t dims) {
    struct uhi_neighbours_ranks *ranks = neighbours->ranks;
    const struct uhi_order *order = &neighbours->order;
    const size_t row = dims + 1;
    free(neighbours->sums);
    neighbours->sums = malloc((order->count + 1) * (row + 1) * sizeof *neighbours->sums);
    uh_status status =
        uhi_together_agree(neighbours->together, neighbours->sums ? UH_SUCCESS : fail_memory(neighbours, order->count));
    if (!status)
        status = uhi_deal_return(&ranks->deal, ranks->sums, (row + 1) * sizeof *ranks->sums, neighbours->sums);
    for (size_t i = 0; i < order->count && !status; i++) {
        const int64_t *from = neighbours->sums + i * (row + 1), cost = from[row];
        ranks->worth[order->id[i]] = cost < 1 ? 1 : cost < UINT32_MAX ? (uint32_t)cost : UINT32_MAX;
        memmove(neighbours->sums + i * row, from, row * sizeof *from);
    }
    return status;
}

uh_status uhi_neighbours_ranks_sum(struct uhi_neighbours *neighbours, const struct uhi_coordinates *places,
                                   int *stopped) {
    struct uhi_neighbours_ranks *ranks = neighbours->ranks;
    uh_status status = deal_places(neighbours, places);
    const uint64_t begin = uhi_host_now();
    if (!status)
        status = sum_slabs(neighbours, stopped);
    neighbours->kernel_ns = uhi_host_now() - begin;
    if (status || *stopped)
        return status;
    status = tell_costs(neighbours);
    neighbours->summing.rule = uhi_rule_of(&neighbours->window, places->size, ranks->slab.total);
    return status ? status : return_sums(neighbours, places->dims);
}
