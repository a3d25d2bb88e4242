/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/meanshift/clusters.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/common/parts.h"
#include "kernels/meanshift/tree.h"
#include "runtime/status.h"

/* A reduction at work. */
struct work {
    const struct uhi_reducing *reducing;
    struct uh_clusters *clusters;
    size_t dims, count; /* rows */
    double *rows;       /* of moved points */
    struct uhi_tree *tree;
    uint32_t *number; /* a number of each row */
    size_t found;
};

/* ---- memory ------------------------------------------------------------------------------------------------------ */

/* Zeroed; there is memory of none, too. */
static void *allocate(size_t n, size_t size) {
    return calloc(n > 0 ? n : 1, size);
}

static void get_row(const struct uhi_coordinates *points, size_t i, double *row) {
    for (size_t d = 0; d < points->dims; d++)
        row[d] = uhi_coordinate(points, d, i);
}

static int make(struct work *work) {
    work->rows = allocate(work->count * work->dims, sizeof *work->rows);
    work->number = allocate(work->count, sizeof *work->number);
    if (!work->rows || !work->number)
        return 0;
    for (size_t i = 0; i < work->count; i++)
        get_row(work->reducing->moved, i, work->rows + i * work->dims);
    return uhi_tree_make(work->tree, work->rows, work->dims, work->count);
}

static int make_clusters(struct work *work) {
    struct uh_clusters *clusters = work->clusters;
    clusters->centroids = allocate(work->found * work->dims, sizeof *clusters->centroids);
    clusters->counts = allocate(work->found, sizeof *clusters->counts);
    clusters->labels = allocate(work->reducing->points->count, sizeof *clusters->labels);
    clusters->properties.clusters = work->found;
    return clusters->centroids && clusters->counts && clusters->labels;
}

/* ---- connected components ---------------------------------------------------------------------------------------- */

/* Numbers components by their first rows. */
static void number_components(struct work *work) {
    uhi_tree_connect(work->tree, work->reducing->squared, work->number);
    for (size_t i = 0; i < work->count; i++) /* roots are the first rows of theirs */
        work->number[i] = work->number[i] == i ? (uint32_t)work->found++ : work->number[work->number[i]];
}

/* The mean of one axis of each component: of integers from its lowest coordinate on, so that the order of rows does not
 * matter. */
static int average(struct work *work, size_t axis) {
    __extension__ typedef unsigned __int128 wide;
    const size_t dims = work->dims;
    double *lower = allocate(work->found, sizeof *lower), *upper = allocate(work->found, sizeof *upper);
    uint64_t *count = allocate(work->found, sizeof *count);
    wide *sum = allocate(work->found, sizeof *sum);
    const int made = lower && upper && count && sum;
    for (size_t c = 0; made && c < work->found; c++) {
        lower[c] = INFINITY;
        upper[c] = -INFINITY;
    }
    for (size_t i = 0; made && i < work->count; i++) {
        const double x = work->rows[i * dims + axis];
        const uint32_t c = work->number[i];
        lower[c] = fmin(lower[c], x);
        upper[c] = fmax(upper[c], x);
        count[c]++;
    }
    for (size_t c = 0; made && c < work->found; c++) {
        int exponent;
        (void)frexp(upper[c] - lower[c], &exponent);
        upper[c] = ldexp(1, exponent > -900 ? 52 - exponent : 952); /* units in one */
    }
    for (size_t i = 0; made && i < work->count; i++) {
        const uint32_t c = work->number[i];
        sum[c] += (uint64_t)((work->rows[i * dims + axis] - lower[c]) * upper[c]);
    }
    for (size_t c = 0; made && c < work->found; c++)
        work->clusters->centroids[c * dims + axis] = lower[c] + (double)sum[c] / (double)count[c] / upper[c];
    free(lower);
    free(upper);
    free(count);
    free(sum);
    return made;
}

static int find_components(struct work *work) {
    int made;
    number_components(work);
    made = make_clusters(work);
    for (size_t axis = 0; axis < work->dims && made; axis++)
        made = average(work, axis);
    return made;
}

/* ---- in an order ------------------------------------------------------------------------------------------------- */

/* A row in an order: most first, then by coordinates, then the first row. */
struct ranked {
    uint64_t count;
    const double *row;
    size_t dims;
    uint32_t number;
    int direction; /* of coordinates: 1, the smallest first, or -1, the largest */
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

static int order_by_density(const struct work *work, uint32_t *order) {
    struct ranked *dense = allocate(work->count, sizeof *dense);
    if (!dense)
        return 0;
    for (size_t i = 0; i < work->count; i++)
        dense[i] =
            (struct ranked){work->reducing->neighbours[i], work->rows + i * work->dims, work->dims, (uint32_t)i, -1};
    qsort(dense, work->count, sizeof *dense, compare_ranked);
    for (size_t i = 0; i < work->count; i++)
        order[i] = dense[i].number;
    free(dense);
    return 1;
}

/* Each row that no centroid before has dropped is one. */
static int find_in_order(struct work *work) {
    uint32_t *order = work->number;
    for (size_t i = 0; i < work->count; i++)
        order[i] = (uint32_t)i;
    if (work->reducing->reduction == UH_MEAN_SHIFT_DENSEST && !order_by_density(work, order))
        return 0;
    for (size_t i = 0; i < work->count; i++)
        if (!work->tree->dropped[order[i]]) {
            const uint32_t row = order[i];
            uhi_tree_drop(work->tree, work->rows + row * work->dims, work->reducing->squared);
            order[work->found++] = row; /* of those that have been looked at */
        }
    if (!make_clusters(work))
        return 0;
    for (size_t c = 0; c < work->found; c++)
        memcpy(work->clusters->centroids + c * work->dims, work->rows + order[c] * work->dims,
               work->dims * sizeof *work->rows);
    return 1;
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
        get_row(labelling->points, i, row);
        labelling->labels[i] = uhi_tree_nearest(labelling->tree, row);
    }
}

/* The nearest centroid of each point. */
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

static int label(struct work *work) {
    const struct uhi_reducing *reducing = work->reducing;
    if (reducing->reduction != UH_MEAN_SHIFT_COMPONENTS || reducing->seeded) {
        const int as_moved = reducing->reduction == UH_MEAN_SHIFT_GREEDY && !reducing->seeded;
        if (!label_nearest(work, as_moved ? reducing->moved : reducing->points))
            return 0;
    } else {
        memcpy(work->clusters->labels, work->number, work->count * sizeof *work->number);
    }
    for (size_t i = 0; i < reducing->points->count; i++)
        work->clusters->counts[work->clusters->labels[i]]++;
    return 1;
}

/* ---- the order of clusters --------------------------------------------------------------------------------------- */

/* Largest first, then by coordinates. */
static int rank(struct work *work) {
    struct uh_clusters *clusters = work->clusters;
    const size_t row = work->dims * sizeof *clusters->centroids;
    struct ranked *ranked = allocate(work->found, sizeof *ranked);
    uint32_t *place = allocate(work->found, sizeof *place);
    double *centroids = allocate(work->found, row);
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
    struct uhi_tree tree = {.count = 0};
    struct work work = {.reducing = reducing,
                        .clusters = clusters,
                        .tree = &tree,
                        .dims = reducing->moved->dims,
                        .count = reducing->moved->count};
    int made = make(&work);
    if (made)
        made = reducing->reduction == UH_MEAN_SHIFT_COMPONENTS ? find_components(&work) : find_in_order(&work);
    if (made)
        made = label(&work) && (reducing->reduction == UH_MEAN_SHIFT_GREEDY || rank(&work));
    free(work.rows);
    free(work.number);
    uhi_tree_free(&tree);
    if (made)
        return UH_SUCCESS;
    return uhi_fail(UH_ERROR_OUT_OF_MEMORY, reducing->call, NULL, "no memory to find the clusters of %zu points",
                    work.count);
}
