/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/meanshift/meanshift_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/common/keys.h"
#include "kernels/meanshift/tree.h"
#include "runtime/grow.h"
#include "runtime/status.h"

/* State of a reduction of points to clusters. */
struct work {
    const struct uhi_reducing *reducing;
    struct uhi_collective *collective;
    struct uh_clusters *clusters;
    size_t dims, count; /* number of rows, */
    size_t dense;       /* and of those that may be centroids: the first in order */
    double *rows;       /* of moved points; owned, as are */
    uint32_t *number;   /* a number per row, */
    double *centroids;  /* and centroids, with room to spare */
    size_t found, room;
};

/* ---- memory ------------------------------------------------------------------------------------------------------ */

/* Zeroed memory; a size of 0 is allowed. */
static void *allocate(size_t n, size_t size) { return calloc(n > 0 ? n : 1, size); }

/* Exchanges the result of an allocation; returns that of all processes. */
static uh_status agree_allocated(const struct work *work, int made) {
    return uhi_collective_allocated(work->collective, made, "clusters", work->count);
}

static uh_status reduce_points(struct work *work) {
    work->rows = allocate(work->count * work->dims, sizeof *work->rows);
    work->number = allocate(work->count, sizeof *work->number);
    if (work->rows)
        uhi_coordinates_rows(work->reducing->moved, 0, work->count, work->rows);
    return agree_allocated(work, work->rows && work->number);
}

static uh_status make_clusters(struct work *work) {
    struct uh_clusters *clusters = work->clusters;
    clusters->centroids = allocate(work->found * work->dims, sizeof *clusters->centroids);
    clusters->counts = allocate(work->found, sizeof *clusters->counts);
    clusters->labels = allocate(work->reducing->points->count, sizeof *clusters->labels);
    clusters->properties.clusters = work->found;
    return agree_allocated(work, clusters->centroids && clusters->counts && clusters->labels);
}

/* ---- connected components ---------------------------------------------------------------------------------------- */

/* Numbers components by their first rows. */
static uh_status number_components(struct work *work) {
    const struct uhi_reducing *reducing = work->reducing;
    struct uhi_tree tree;
    if (work->collective->exchange)
        return uhi_components_together(work->collective, reducing->moved, reducing->squared, work->number,
                                       &work->found);
    const int made = uhi_tree_make(&tree, work->rows, work->dims, work->count);
    if (made)
        uhi_tree_connect(&tree, reducing->squared, work->number);
    for (size_t i = 0; i < work->count && made; i++) /* roots are the first rows of their components */
        work->number[i] = work->number[i] == i ? (uint32_t)work->found++ : work->number[work->number[i]];
    uhi_tree_free(&tree);
    return agree_allocated(work, made);
}

__extension__ typedef unsigned __int128 wide;

/* The average of a component along one axis. */
struct average {
    double lower, upper; /* the extent; then `upper` is the number of units per 1 */
    uint64_t count;
    wide sum; /* in these units, of distances to `lower` */
};

enum { WORDS = 4 }; /* per component, exchanged between processes */

static uh_status share_extents(const struct work *work, struct average *of, uint64_t *words) {
    for (size_t c = 0; c < work->found; c++) {
        words[2 * c] = ~uhi_key_of_f64(of[c].lower);
        words[2 * c + 1] = uhi_key_of_f64(of[c].upper);
    }
    UHI_TRY(uhi_collective_maximum(work->collective, words, 2 * work->found));
    for (size_t c = 0; c < work->found; c++) {
        of[c].lower = uhi_f64_of_key(~words[2 * c]);
        of[c].upper = uhi_f64_of_key(words[2 * c + 1]);
    }
    return UH_SUCCESS;
}

/* Adds up the counts and the sums of all processes, these as digits of 32 bits. */
static uh_status share_sums(const struct work *work, struct average *of, uint64_t *words) {
    for (size_t c = 0; c < work->found; c++) {
        for (size_t i = 0; i < 3; i++)
            words[WORDS * c + i] = (uint64_t)(of[c].sum >> 32 * i) & (i < 2 ? UINT32_MAX : UINT64_MAX);
        words[WORDS * c + 3] = of[c].count;
    }
    UHI_TRY(uhi_collective_add(work->collective, words, WORDS * work->found));
    for (size_t c = 0; c < work->found; c++, words += WORDS) {
        of[c].sum = words[0] + ((wide)words[1] << 32) + ((wide)words[2] << 64);
        of[c].count = words[3];
    }
    return UH_SUCCESS;
}

/* Averages one axis of each component, as integers relative to its lowest coordinate, so that the order of rows does
 * not matter. */
static uh_status average(struct work *work, struct average *of, uint64_t *words, size_t axis) {
    const size_t dims = work->dims;
    for (size_t c = 0; c < work->found; c++)
        of[c] = (struct average){.lower = INFINITY, .upper = -INFINITY};
    for (size_t i = 0; i < work->count; i++) {
        const double x = work->rows[i * dims + axis];
        struct average *mine = &of[work->number[i]];
        mine->lower = fmin(mine->lower, x);
        mine->upper = fmax(mine->upper, x);
        mine->count++;
    }
    UHI_TRY(share_extents(work, of, words));
    for (size_t c = 0; c < work->found; c++) {
        int exponent;
        (void)frexp(of[c].upper - of[c].lower, &exponent);
        of[c].upper = ldexp(1, exponent > -900 ? 52 - exponent : 952);
    }
    for (size_t i = 0; i < work->count; i++) {
        struct average *mine = &of[work->number[i]];
        mine->sum += (uint64_t)((work->rows[i * dims + axis] - mine->lower) * mine->upper);
    }
    UHI_TRY(share_sums(work, of, words));
    for (size_t c = 0; c < work->found; c++)
        work->clusters->centroids[c * dims + axis] =
            of[c].lower + (double)of[c].sum / (double)of[c].count / of[c].upper;
    return UH_SUCCESS;
}

static uh_status find_components(struct work *work) {
    struct average *of = NULL;
    uint64_t *words = NULL;
    uh_status status = number_components(work);
    if (!status)
        status = make_clusters(work);
    if (!status) {
        of = allocate(work->found, sizeof *of);
        words = allocate(WORDS * work->found, sizeof *words);
        status = agree_allocated(work, of && words);
    }
    for (size_t axis = 0; axis < work->dims && !status; axis++)
        status = average(work, of, words, axis);
    free(of);
    free(words);
    return status;
}

/* ---- sequential reductions --------------------------------------------------------------------------------------- */

/* A row in sorted order: largest number first, then by coordinates, then the first row. */
struct ranked {
    uint64_t count; /* of points, or a density */
    const double *row;
    size_t dims;
    uint32_t number;
    int direction; /* of coordinates: 1 ascending, or -1 descending */
};

static int compare_ranked(const void *a, const void *b) {
    const struct ranked *x = a, *y = b;
    if (x->count != y->count)
        return x->count < y->count ? 1 : -1;
    for (size_t d = 0; d < x->dims; d++)
        if (x->row[d] != y->row[d])
            return x->row[d] > y->row[d] ? x->direction : -x->direction;
    return x->number < y->number ? -1 : 1;
}

static int order_by_density(struct work *work, const uint64_t *density, uint32_t *order) {
    struct ranked *dense = allocate(work->count, sizeof *dense);
    if (!dense)
        return 0;
    for (size_t i = 0; i < work->count; i++)
        dense[i] = (struct ranked){density[i], work->rows + i * work->dims, work->dims, (uint32_t)i, -1};
    qsort(dense, work->count, sizeof *dense, compare_ranked);
    for (size_t i = work->dense = 0; i < work->count; i++) {
        order[i] = dense[i].number;
        work->dense += dense[i].count > 0;
    }
    free(dense);
    return 1;
}

/* Sorts the rows of all processes by density: each gets those that follow the rows of the previous rank. */
static uh_status redistribute_by_density(struct work *work) {
    struct uhi_dense local = {work->count, work->dims, work->rows, work->reducing->densities},
                     redistributed = {.count = 0};
    uh_status status = agree_allocated(work, order_by_density(work, local.density, work->number));
    if (status || !work->collective->exchange)
        return status;
    status = uhi_dense_redistribute(work->collective, &local, work->number, &redistributed);
    if (!status) {
        free(work->rows);
        free(work->number);
        work->rows = redistributed.rows;
        work->count = redistributed.count;
        work->number = allocate(redistributed.count, sizeof *work->number);
        status = agree_allocated(work, work->number && order_by_density(work, redistributed.density, work->number));
    } else {
        free(redistributed.rows);
    }
    free(redistributed.density);
    return status;
}

/* Appends centroids. If `rows` is NULL, the caller fills them in later. */
static int add_centroids(struct work *work, const double *rows, size_t n) {
    const size_t row = work->dims * sizeof *work->centroids;
    if (!uhi_grow(&work->centroids, &work->room, work->found + n, row))
        return 0;
    if (rows)
        memcpy(work->centroids + work->found * work->dims, rows, n * row);
    work->found += n;
    return 1;
}

/* Each row that no earlier centroid has dropped is a centroid. */
static int find_local(struct work *work, struct uhi_tree *tree) {
    for (size_t i = 0; tree->dropped && i < work->dense; i++) { /* of no rows there is no tree */
        const double *row = work->rows + work->number[i] * work->dims;
        if (tree->dropped[work->number[i]])
            continue;
        uhi_tree_drop(tree, row, work->reducing->squared);
        if (!add_centroids(work, row, 1))
            return 0;
    }
    return 1;
}

/* Sends the centroids that a process has found after the first `before` to all; they drop rows there, too. */
static uh_status share_centroids(struct work *work, struct uhi_tree *tree, size_t from, size_t before) {
    const int is_mine = from == uhi_collective_rank(work->collective);
    uint64_t n = work->found - before;
    UHI_TRY(uhi_collective_broadcast(work->collective, from, &n, sizeof n));
    UHI_TRY(agree_allocated(work, is_mine || add_centroids(work, NULL, (size_t)n)));
    if (n > 0)
        UHI_TRY(uhi_collective_broadcast(work->collective, from, work->centroids + before * work->dims,
                                         (size_t)n * work->dims * sizeof *work->centroids));
    for (size_t c = before; c < work->found && !is_mine && work->count > 0; c++)
        uhi_tree_drop(tree, work->centroids + c * work->dims, work->reducing->squared);
    return UH_SUCCESS;
}

/* One process after the other: rows are in the order of ranks. */
static uh_status find_in_order(struct work *work) {
    struct uhi_tree tree = {.count = 0};
    uh_status status = UH_SUCCESS;
    for (size_t i = 0; i < work->count; i++)
        work->number[i] = (uint32_t)i;
    work->dense = work->count;
    if (work->reducing->reduction == UH_MEAN_SHIFT_DENSEST)
        status = redistribute_by_density(work);
    if (!status)
        status = agree_allocated(work, work->count == 0 || uhi_tree_make(&tree, work->rows, work->dims, work->count));
    for (size_t turn = 0; turn < uhi_collective_ranks(work->collective) && !status; turn++) {
        const size_t before = work->found;
        status = agree_allocated(work, turn != uhi_collective_rank(work->collective) || find_local(work, &tree));
        if (!status)
            status = share_centroids(work, &tree, turn, before);
    }
    uhi_tree_free(&tree);
    if (!status && work->found == 0)
        status = uhi_fail(UH_ERROR_NOT_FOUND, work->collective->call, "options->radius",
                          "is %g, expected some point within it of some seed", sqrt(work->reducing->squared));
    if (!status)
        status = make_clusters(work);
    if (!status)
        memcpy(work->clusters->centroids, work->centroids, work->found * work->dims * sizeof *work->centroids);
    return status;
}

/* ---- labels ------------------------------------------------------------------------------------------------------ */

struct labelling {
    const struct uhi_tree *tree; /* of centroids */
    const struct uhi_coordinates *points;
    uint32_t *labels;
};

static void label_part(const void *context, size_t part, size_t parts) {
    const struct labelling *labelling = context;
    const size_t n = labelling->points->count, to = uhi_part_start(n, parts, part + 1);
    double row[UH_MEAN_SHIFT_MAX_DIMS];
    for (size_t i = uhi_part_start(n, parts, part); i < to; i++) {
        uhi_coordinates_rows(labelling->points, i, 1, row);
        labelling->labels[i] = uhi_tree_nearest(labelling->tree, row);
    }
}

static int label_nearest(struct work *work, const struct uhi_coordinates *points) {
    enum { EACH = 1 << 12 };
    struct uhi_tree tree;
    const int made = uhi_tree_make(&tree, work->clusters->centroids, work->dims, work->found);
    const struct labelling labelling = {&tree, points, work->clusters->labels};
    if (made)
        uhi_host_parallel(work->reducing->queue, "mean shift: labels", label_part, &labelling,
                          uhi_parts_for(work->reducing->queue, points->count, EACH));
    uhi_tree_free(&tree);
    return made;
}

static uh_status label(struct work *work) {
    const struct uhi_reducing *reducing = work->reducing;
    if (reducing->reduction != UH_MEAN_SHIFT_COMPONENTS || reducing->seeded) {
        const int as_moved = reducing->reduction == UH_MEAN_SHIFT_GREEDY && !reducing->seeded;
        UHI_TRY(agree_allocated(work, label_nearest(work, as_moved ? reducing->moved : reducing->points)));
    } else {
        memcpy(work->clusters->labels, work->number, work->count * sizeof *work->number);
    }
    for (size_t i = 0; i < reducing->points->count; i++)
        work->clusters->counts[work->clusters->labels[i]]++;
    return uhi_collective_add(work->collective, work->clusters->counts, work->found);
}

/* ---- order of clusters ------------------------------------------------------------------------------------------- */

/* Sorts clusters: largest first, then by coordinates. */
static int rank(struct work *work) {
    struct uh_clusters *clusters = work->clusters;
    const size_t row = work->dims * sizeof *clusters->centroids;
    struct ranked *ranked = allocate(work->found, sizeof *ranked);
    uint32_t *place = allocate(work->found, sizeof *place);
    double *centroids = allocate(work->found * work->dims, sizeof *centroids);
    const int made = ranked && place && centroids;
    for (size_t c = 0; made && c < work->found; c++)
        ranked[c] =
            (struct ranked){clusters->counts[c], clusters->centroids + c * work->dims, work->dims, (uint32_t)c, 1};
    if (made)
        qsort(ranked, work->found, sizeof *ranked, compare_ranked);
    for (size_t c = 0; made && c < work->found; c++) {
        clusters->counts[c] = ranked[c].count;
        memcpy(centroids + c * work->dims, ranked[c].row, row);
        place[ranked[c].number] = (uint32_t)c;
    }
    if (made)
        memcpy(clusters->centroids, centroids, work->found * row);
    for (size_t i = 0; made && i < work->reducing->points->count; i++)
        clusters->labels[i] = place[clusters->labels[i]];
    free(ranked);
    free(place);
    free(centroids);
    return made;
}

uh_status uhi_clusters_reduce(const struct uhi_reducing *reducing, struct uh_clusters *clusters) {
    struct work work = {.reducing = reducing,
                        .collective = reducing->collective,
                        .clusters = clusters,
                        .dims = reducing->moved->dims,
                        .count = reducing->moved->count};
    uh_status status = reduce_points(&work);
    if (!status)
        status = reducing->reduction == UH_MEAN_SHIFT_COMPONENTS ? find_components(&work) : find_in_order(&work);
    if (!status)
        status = label(&work);
    if (!status && reducing->reduction == UH_MEAN_SHIFT_COMPONENTS)
        status = agree_allocated(&work, rank(&work));
    free(work.rows);
    free(work.number);
    free(work.centroids);
    return status;
}
