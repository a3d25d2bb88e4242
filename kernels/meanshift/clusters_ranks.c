/* SPDX-License-Identifier: Apache-2.0 */
/* Components: each process connects the points of its slab, whose cells are as wide as the steps, then nearby points of
 * earlier slabs with its own. Connections between components of two slabs are sent to all. */
#include "kernels/meanshift/meanshift_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/common/keys.h"
#include "kernels/meanshift/tree.h"
#include "runtime/grow.h"
#include "runtime/status.h"

struct joining {
    struct uhi_collective *collective;
    struct uhi_slab slab;
    double squared;
    size_t count;     /* points of the slab */
    uint32_t *number; /* their components, */
    size_t all;       /* number of components in all slabs */
    uint64_t *link;   /* pairs of connected components, first << 32 | second */
    size_t links, room;
};

static uh_status fail_memory(const struct uhi_collective *collective, size_t count) {
    return uhi_fail_memory(collective->call, "no memory to find the clusters of %zu points", count);
}

/* ---- one slab ---------------------------------------------------------------------------------------------------- */

/* Connects points with each other and with others; returns roots, which the caller frees, or NULL. */
static uint32_t *connect(const struct uhi_coordinates *points, const struct uhi_coordinates *others, double squared) {
    const size_t dims = points->dims, count = points->count + others->count;
    struct uhi_tree tree = {.count = 0};
    uint32_t *root = calloc(count + 1, sizeof *root);
    double *rows = malloc((count + 1) * dims * sizeof *rows);
    int made = root && rows;
    if (made && count > 0) {
        uhi_coordinates_rows(points, 0, points->count, rows);
        uhi_coordinates_rows(others, 0, others->count, rows + points->count * dims);
        made = uhi_tree_make(&tree, rows, dims, count);
        if (made)
            uhi_tree_connect(&tree, squared, root);
        uhi_tree_free(&tree);
    }
    free(rows);
    if (made)
        return root;
    free(root);
    return NULL;
}

/* Numbers the components of the slab, after those of earlier slabs. */
static uh_status number_local(struct joining *j) {
    const struct uhi_coordinates none = {.count = 0};
    size_t found = 0, before = 0;
    j->count = j->slab.cells.order.count;
    j->number = connect(&j->slab.cells.sorted, &none, j->squared);
    UHI_TRY(uhi_collective_allocated(j->collective, j->number != NULL, "clusters", j->count));
    for (size_t i = 0; i < j->count; i++) /* roots are the first of their components */
        j->number[i] = j->number[i] == i ? (uint32_t)found++ : j->number[j->number[i]];
    UHI_TRY(uhi_collective_offset(j->collective, found, &before, &j->all));
    if (j->all > UINT32_MAX)
        return uhi_collective_fail(j->collective, uhi_fail(UH_ERROR_UNSUPPORTED, j->collective->call, NULL,
                                                           "found more than 2^32 - 1 initial clusters"));
    for (size_t i = 0; i < j->count; i++)
        j->number[i] += (uint32_t)before;
    return UH_SUCCESS;
}

/* ---- several slabs ----------------------------------------------------------------------------------------------- */

static int add_link(struct joining *j, uint32_t a, uint32_t b) {
    const uint64_t link = (uint64_t)a << 32 | b;
    if (j->links > 0 && j->link[j->links - 1] == link)
        return 1;
    if (!uhi_grow(&j->link, &j->room, j->links + 1, sizeof *j->link))
        return 0;
    j->link[j->links++] = link;
    return 1;
}

static uh_status join_block(void *context, const struct uhi_coordinates *block, const uint32_t *number,
                            __attribute__((unused)) int *stopped) {
    struct joining *j = context;
    const size_t count = j->count + block->count;
    uint32_t *root = connect(&j->slab.cells.sorted, block, j->squared), *known = malloc(count * sizeof *known);
    int made = root && known;
    for (size_t i = 0; i < count && made; i++) { /* the first point of a root comes first */
        const uint32_t mine = i < j->count ? j->number[i] : number[i - j->count];
        if (root[i] == i)
            known[i] = mine;
        else if (known[root[i]] != mine)
            made = add_link(j, known[root[i]], mine);
    }
    free(root);
    free(known);
    j->links = uhi_keys_unique(j->link, j->links);
    return made ? UH_SUCCESS : fail_memory(j->collective, count);
}

static uh_status link_slabs(struct joining *j) {
    const struct uhi_visit visit = {.around = uhi_slab_around(&j->slab, &j->slab.cells.order),
                                    .before = 1,
                                    .number = j->number,
                                    .take = join_block,
                                    .context = j};
    int stopped = 0;
    return uhi_slab_visit(&j->slab, &visit, &stopped);
}

/* Joins the components of all slabs; points get the numbers of the joined ones. */
static uh_status join_slabs(struct joining *j, size_t *found) {
    uint64_t *links = NULL;
    size_t n = 0;
    uint32_t *root = malloc((j->all + 1) * sizeof *root), *whole = malloc((j->all + 1) * sizeof *whole);
    uh_status status = uhi_collective_allocated(j->collective, root && whole, "clusters", j->all);
    if (!status)
        status = uhi_collective_gather(j->collective, j->link, j->links, &links, &n);
    for (size_t c = 0; c < j->all && !status; c++)
        root[c] = (uint32_t)c;
    for (size_t i = 0; i < n && !status; i++)
        uhi_tree_unite(root, (uint32_t)(links[i] >> 32), (uint32_t)links[i]);
    *found = 0;
    for (size_t c = 0; c < j->all && !status; c++) { /* a root is the smallest of its set */
        const uint32_t first = uhi_tree_root(root, (uint32_t)c);
        whole[c] = first == c ? (uint32_t)(*found)++ : whole[first];
    }
    for (size_t i = 0; i < j->count && !status; i++)
        j->number[i] = whole[j->number[i]];
    free(links);
    free(root);
    free(whole);
    return status;
}

/* Returns the numbers to the points' home processes. */
static uh_status return_labels(struct joining *j, uint32_t *number) {
    const struct uhi_order *sorted = &j->slab.cells.order, *home = &j->slab.home;
    uint32_t *taken = malloc((sorted->count + 1) * sizeof *taken), *given = malloc((home->count + 1) * sizeof *given);
    uh_status status = uhi_collective_allocated(j->collective, taken && given, "clusters", sorted->count);
    for (size_t i = 0; i < sorted->count && !status; i++)
        taken[sorted->id[i]] = j->number[i];
    if (!status)
        status = uhi_routes_return(&j->slab.routes, taken, sizeof *taken, given);
    for (size_t i = 0; i < home->count && !status; i++)
        number[home->id[i]] = given[i];
    free(taken);
    free(given);
    return status;
}

/* Numbers components by their first points. */
static uh_status number_by_first(struct uhi_collective *collective, uint32_t *number, size_t count, size_t found) {
    const uint64_t rank = uhi_collective_rank(collective);
    uint64_t *first = calloc(found + 1, sizeof *first), *sorted = malloc((found + 1) * sizeof *sorted);
    uint32_t *place = malloc((found + 1) * sizeof *place);
    uh_status status = uhi_collective_allocated(collective, first && sorted && place, "clusters", found);
    for (size_t i = count; i-- > 0 && !status;)
        first[number[i]] = ~(rank << 32 | i);
    if (!status)
        status = uhi_collective_maximum(collective, first, found);
    for (size_t c = 0; c < found && !status; c++)
        sorted[c] = first[c] = ~first[c];
    if (!status)
        (void)uhi_keys_unique(sorted, found);
    for (size_t c = 0; c < found && !status; c++)
        place[c] = (uint32_t)uhi_cells_find(sorted, found, 0, first[c]);
    for (size_t i = 0; i < count && !status; i++)
        number[i] = place[number[i]];
    free(first);
    free(sorted);
    free(place);
    return status;
}

static uh_status number_all(struct joining *j, const struct uhi_coordinates *points, uint32_t *number, size_t *found) {
    UHI_TRY(uhi_collective_agree(j->collective, uhi_slab_make(&j->slab, j->collective, points->count)));
    UHI_TRY(uhi_slab_choose(&j->slab, points, sqrt(j->squared), 0));
    UHI_TRY(uhi_slab_take(&j->slab, points));
    UHI_TRY(number_local(j));
    UHI_TRY(link_slabs(j));
    UHI_TRY(join_slabs(j, found));
    UHI_TRY(return_labels(j, number));
    return number_by_first(j->collective, number, points->count, *found);
}

uh_status uhi_components_together(struct uhi_collective *collective, const struct uhi_coordinates *points,
                                  double squared, uint32_t *number, size_t *found) {
    struct joining joining = {.collective = collective, .squared = squared};
    const uh_status status = number_all(&joining, points, number, found);
    uhi_slab_free(&joining.slab);
    free(joining.number);
    free(joining.link);
    return status;
}

/* ---- density ----------------------------------------------------------------------------------------------------- */

/* Largest density first, then the largest coordinates. */
static void row_of(const void *context, size_t i, uint64_t *words) {
    const struct uhi_dense *points = context;
    words[0] = ~points->density[i];
    for (size_t a = 0; a < points->dims; a++)
        words[a + 1] = ~uhi_key_of_f64(points->rows[i * points->dims + a]);
}

/* Packs points in their order; of consecutive duplicates only the first. */
static uh_status pack(const struct uhi_collective *collective, const struct uhi_dense *points, const uint32_t *order,
                      struct uhi_dense *to) {
    const size_t size = points->dims * sizeof *points->rows;
    *to = (struct uhi_dense){0, points->dims, malloc((points->count + 1) * size),
                             malloc((points->count + 1) * sizeof *to->density)};
    if (!to->rows || !to->density)
        return fail_memory(collective, points->count);
    for (size_t i = 0; i < points->count; i++) {
        const double *row = points->rows + order[i] * points->dims, *last = to->rows + to->count * points->dims;
        const uint64_t density = points->density[order[i]];
        if (to->count > 0 && to->density[to->count - 1] == density && memcmp(last - points->dims, row, size) == 0)
            continue;
        memcpy(to->rows + to->count * points->dims, row, size);
        to->density[to->count++] = density;
    }
    return UH_SUCCESS;
}

uh_status uhi_dense_redistribute(struct uhi_collective *collective, const struct uhi_dense *points,
                                 const uint32_t *order, struct uhi_dense *redistributed) {
    const size_t size = points->dims * sizeof *points->rows;
    struct uhi_dense packed = {.count = 0};
    struct uhi_routes routes = {.given = 0};
    uh_status status = uhi_routes_open(&routes, collective);
    status = uhi_collective_agree(collective, status ? status : pack(collective, points, order, &packed));
    const struct uhi_routed_rows rows = {
        .count = packed.count, .words = 1 + points->dims, .row = row_of, .context = &packed};
    if (!status)
        status = uhi_routes_assign(&routes, &rows);
    if (!status) {
        *redistributed = (struct uhi_dense){routes.taken, points->dims, malloc((routes.taken + 1) * size),
                                            malloc((routes.taken + 1) * sizeof *redistributed->density)};
        status = uhi_collective_allocated(collective, redistributed->rows && redistributed->density, "clusters",
                                          routes.taken);
    }
    if (!status)
        status = uhi_routes_send(&routes, packed.rows, size, redistributed->rows);
    if (!status)
        status = uhi_routes_send(&routes, packed.density, sizeof *packed.density, redistributed->density);
    uhi_routes_free(&routes);
    free(packed.rows);
    free(packed.density);
    return status;
}
