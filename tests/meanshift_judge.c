/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/meanshift_oracle.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((format(printf, 2, 3))) static int complain(struct judged *judged, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(judged->problem, sizeof judged->problem, format, arguments);
    va_end(arguments);
    return -1;
}

static struct oracle_kernel kernel_of(const struct judged *judged) {
    const uh_mean_shift_options *o = &judged->options;
    return oracle_kernel_of(o->kernel, o->radius, o->sigma, o->squared);
}

static long double delta_squared_of(const struct judged *judged) {
    const uh_mean_shift_options *o = &judged->options;
    const struct oracle_kernel kernel = kernel_of(judged);
    const long double delta = (long double)o->delta;
    if (o->delta > 0)
        return o->squared ? delta : delta * delta;
    return kernel.kernel == UH_KERNEL_GAUSSIAN ? kernel.sigma * kernel.sigma : kernel.radius_squared;
}

static size_t row_bytes(const struct oracle_points *points) { return points->dims * uh_dtype_size(points->dtype); }

static const char *row_of(const struct oracle_points *points, size_t i) {
    return (const char *)points->rows + i * row_bytes(points);
}

/* ---- a step ------------------------------------------------------------------------------------------------------ */

static long double eps_of(const struct judged *judged) {
    const double eps = judged->options.eps;
    return eps == 0 ? 1e-3L * sqrtl(kernel_of(judged).radius_squared) : fmaxl((long double)eps, 0);
}

/* Whether a row's step was at most eps: 0, 1, or 2 where it is so near to it that rounding decides. */
static int has_rested(const struct judged *judged, const struct oracle_points *from, const struct oracle_points *to,
                      size_t i) {
    const long double unit = judged->points.dtype == UH_F32 ? 0x1p-22L : 0x1p-51L, eps = eps_of(judged);
    const long double moved = sqrtl(oracle_squared_distance(from, i, to, i));
    long double size = eps;
    for (size_t axis = 0; axis < to->dims; axis++)
        size += fabsl(oracle_coordinate(to, i, axis));
    return eps > 0 && fabsl(moved - eps) <= unit * size ? 2 : moved <= eps;
}

static int judge_row(struct judged *judged, const struct oracle_points *earlier, const struct oracle_points *before,
                     const struct oracle_points *after, size_t i) {
    const struct oracle_kernel kernel = kernel_of(judged);
    const int blurs = judged->options.algorithm == UH_MEAN_SHIFT_BLURRING;
    const int ended = earlier && !blurs ? has_rested(judged, earlier, before, i) : 0;
    const int stays = memcmp(row_of(before, i), row_of(after, i), row_bytes(before)) == 0;
    struct oracle_bounded to[UH_MEAN_SHIFT_MAX_DIMS];
    if (ended == 1 && !stays)
        return complain(judged, "row %zu has moved though it had ended", i);
    if (ended && stays)
        return 0;
    (void)oracle_move(&kernel, blurs ? before : &judged->points, before, i, to);
    for (size_t axis = 0; axis < before->dims; axis++) {
        const long double got = oracle_coordinate(after, i, axis);
        if (!(fabsl(got - to[axis].value) <= to[axis].slack))
            return complain(judged, "row %zu of %zu moves from %.17Lg to %.17Lg on axis %zu, expected %.17Lg +- %.2Lg",
                            i, before->n, oracle_coordinate(before, i, axis), got, axis, to[axis].value,
                            to[axis].slack);
    }
    return 0;
}

/* By blurring all go on until each has rested. */
static int judge_going(struct judged *judged, const struct oracle_points *earlier, const struct oracle_points *before) {
    for (size_t i = 0; i < before->n; i++)
        if (has_rested(judged, earlier, before, i) != 1)
            return 0;
    return complain(judged, "all have moved on though they had ended");
}

int judge_step(struct judged *judged, const struct oracle_points *earlier, const struct oracle_points *before,
               const struct oracle_points *after, size_t targets) {
    const size_t n = before->n, step = n > targets ? n / targets : 1;
    if (earlier && judged->options.algorithm == UH_MEAN_SHIFT_BLURRING && judge_going(judged, earlier, before))
        return -1;
    for (size_t i = 0; i < n; i += step)
        if (judge_row(judged, earlier, before, after, i))
            return -1;
    return 0;
}

int judge_end(struct judged *judged, const struct oracle_points *earlier, const struct oracle_points *before,
              const struct oracle_points *after) {
    if (memcmp(before->rows, after->rows, before->n * row_bytes(before)) != 0)
        return complain(judged, "rows have moved after the end");
    for (size_t i = 0; i < before->n; i++)
        if (!earlier || !has_rested(judged, earlier, before, i))
            return complain(judged, "row %zu has not come to rest at the end", i);
    return 0;
}

/* ---- clusters ---------------------------------------------------------------------------------------------------- */

static int judge_counts(struct judged *judged, const uh_clusters_properties *found) {
    uint64_t *counts = oracle_memory(found->clusters, sizeof *counts);
    int worked = 0;
    for (size_t i = 0; i < found->n && worked == 0; i++) {
        if (found->labels[i] >= found->clusters)
            worked = complain(judged, "label %u of %zu clusters", found->labels[i], found->clusters);
        else
            counts[found->labels[i]]++;
    }
    for (size_t c = 0; c < found->clusters && worked == 0; c++)
        if (counts[c] != found->counts[c])
            worked = complain(judged, "cluster %zu counts %llu points, but %llu have its label", c,
                              (unsigned long long)found->counts[c], (unsigned long long)counts[c]);
    free(counts);
    return worked;
}

/* Most points first, then the smallest coordinates. */
static int judge_order(struct judged *judged, const uh_clusters_properties *found) {
    for (size_t c = 1; c < found->clusters; c++) {
        const double *x = found->centroids + (c - 1) * found->dims, *y = x + found->dims;
        size_t axis = 0;
        while (axis + 1 < found->dims && x[axis] == y[axis])
            axis++;
        if (found->counts[c - 1] < found->counts[c] || (found->counts[c - 1] == found->counts[c] && x[axis] > y[axis]))
            return complain(judged, "cluster %zu is not where it belongs", c);
    }
    return 0;
}

static struct oracle_points centroids_of(const uh_clusters_properties *found) {
    return (struct oracle_points){UH_F64, found->clusters, found->dims, found->centroids};
}

static int judge_components(struct judged *judged, const uh_clusters_properties *found,
                            const struct oracle_points *moved) {
    size_t *first = oracle_memory(moved->n, sizeof *first), found_clusters = 0;
    long double *means = oracle_memory(found->clusters * found->dims, sizeof *means);
    int unsure = 0, worked = 0;
    oracle_components(moved, delta_squared_of(judged), first, &unsure);
    for (size_t i = 0; i < moved->n && worked == 0; i++) {
        const uint32_t label = found->labels[i];
        found_clusters += first[i] == i;
        if (!unsure && found->labels[first[i]] != label)
            worked = complain(judged, "points %zu and %zu are connected", i, first[i]);
        for (size_t axis = 0; axis < found->dims; axis++)
            means[label * found->dims + axis] += oracle_coordinate(moved, i, axis) / (long double)found->counts[label];
    }
    if (worked == 0 && !unsure && found_clusters != found->clusters)
        worked = complain(judged, "%zu clusters, expected %zu", found->clusters, found_clusters);
    for (size_t c = 0; c < found->clusters; c++)
        for (size_t axis = 0; axis < found->dims && worked == 0; axis++) {
            const size_t k = c * found->dims + axis;
            const long double difference = fabsl(means[k] - (long double)found->centroids[k]);
            if (!(difference <= 1e-12L * (1 + fabsl(means[k]))))
                worked = complain(judged, "centroid %zu is at %.17g on axis %zu, expected %.17Lg", c,
                                  found->centroids[k], axis, means[k]);
        }
    free(first);
    free(means);
    return worked;
}

/* A label is right where no other centroid is nearer, but for rounding. */
static int judge_nearest(struct judged *judged, const uh_clusters_properties *found,
                         const struct oracle_points *where) {
    const struct oracle_points centroids = centroids_of(found);
    for (size_t i = 0; i < where->n; i++) {
        const long double own = sqrtl(oracle_squared_distance(where, i, &centroids, found->labels[i]));
        for (size_t c = 0; c < found->clusters; c++) {
            const long double other = sqrtl(oracle_squared_distance(where, i, &centroids, c));
            if (own > other * (1 + 1e-5L))
                return complain(judged, "point %zu is nearer to centroid %zu than to its own, %u", i, c,
                                found->labels[i]);
        }
    }
    return 0;
}

/* Whether the centroid is a moved point, to the bit. */
static int is_moved_point(const uh_clusters_properties *found, size_t c, const struct oracle_points *moved, size_t i) {
    for (size_t axis = 0; axis < found->dims; axis++)
        if (oracle_coordinate(moved, i, axis) != (long double)found->centroids[c * found->dims + axis])
            return 0;
    return 1;
}

/* All centroids are those of the oracle, in its order. */
static int judge_centroids(struct judged *judged, const uh_clusters_properties *found,
                           const struct oracle_points *moved, const size_t *centroids, size_t count) {
    if (count != found->clusters)
        return complain(judged, "%zu clusters, expected %zu", found->clusters, count);
    for (size_t c = 0; c < count; c++)
        if (!is_moved_point(found, c, moved, centroids[c]))
            return complain(judged, "moved point %zu is not centroid %zu", centroids[c], c);
    return 0;
}

static int judge_found(struct judged *judged, const uh_clusters_properties *found, const struct oracle_points *moved) {
    const struct oracle_kernel kernel = kernel_of(judged);
    const int densest = judged->options.reduction == UH_MEAN_SHIFT_DENSEST;
    size_t *order = oracle_memory(moved->n, sizeof *order), *centroids = oracle_memory(moved->n, sizeof *centroids);
    /* Other densities are not known exactly. */
    int unsure = densest && (judged->options.kernel != UH_KERNEL_FLAT || found->iterations > 1);
    if (densest && !unsure)
        oracle_densest_order(&kernel, &judged->points, moved, order, &unsure);
    const size_t count = oracle_greedy(moved, densest ? order : NULL, delta_squared_of(judged), centroids, &unsure);
    const int worked = unsure ? 0 : judge_centroids(judged, found, moved, centroids, count);
    free(order);
    free(centroids);
    return worked ? -1 : judge_nearest(judged, found, densest ? &judged->points : moved);
}

int judge_clusters(struct judged *judged, const uh_clusters_properties *found) {
    const struct oracle_points *points = &judged->points,
                               moved = {points->dtype, points->n, points->dims, found->shifted};
    if (found->n != points->n || found->dims != points->dims || found->dtype != points->dtype ||
        found->moved != points->n || found->clusters == 0)
        return complain(judged, "%zu points of %zu axes, %zu moved, %zu clusters", found->n, found->dims, found->moved,
                        found->clusters);
    if (judge_counts(judged, found))
        return -1;
    if (judged->options.reduction == UH_MEAN_SHIFT_COMPONENTS && judge_order(judged, found))
        return -1;
    return judged->options.reduction == UH_MEAN_SHIFT_COMPONENTS ? judge_components(judged, found, &moved)
                                                                 : judge_found(judged, found, &moved);
}

int judge_groups(struct judged *judged, const uh_clusters_properties *found, const size_t *group, size_t groups) {
    uint32_t label[16] = {0};
    char seen[16] = {0};
    if (found->clusters != groups || groups > 16)
        return complain(judged, "%zu clusters of %zu groups", found->clusters, groups);
    for (size_t i = 0; i < found->n; i++) {
        if (seen[group[i]] && label[group[i]] != found->labels[i])
            return complain(judged, "group %zu has labels %u and %u", group[i], label[group[i]], found->labels[i]);
        seen[group[i]] = 1;
        label[group[i]] = found->labels[i];
    }
    for (size_t g = 0; g < groups; g++)
        for (size_t h = 0; h < g; h++)
            if (label[g] == label[h])
                return complain(judged, "groups %zu and %zu have the label %u", h, g, label[g]);
    return 0;
}
