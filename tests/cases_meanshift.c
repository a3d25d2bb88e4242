/* SPDX-License-Identifier: Apache-2.0 */
/* Mean shift: points that move once, by a plain sum over all others. */
#include <math.h>
#include <stdio.h>

#include <unihist/meanshift.h>

#include "tests/descriptions.h"
#include "tests/splitmix.h"
#include "tests/support.h"

struct moved {
    size_t n;
    float *points;
    double *expected;
};

static int describe(size_t number, struct tried *tried) {
    if (number > 0)
        return -1;
    snprintf(tried->name, sizeof tried->name, "two axes, float32");
    tried->exact = 500;
    tried->few = 40;
    tried->in_faults = 100;
    tried->in_null = 300;
    return 0;
}

static void *make(size_t number, size_t n, uint64_t seed) {
    struct moved *moved = case_new(sizeof *moved);
    (void)number;
    moved->n = n;
    moved->points = case_array(moved, 2 * n, sizeof *moved->points);
    moved->expected = case_array(moved, 2 * n, sizeof *moved->expected);
    for (size_t i = 0; i < 2 * n; i++)
        moved->points[i] = (float)(test_random_u64(&seed) % 1024) / 32;
    for (size_t i = 0; i < n; i++) {
        double sum[3] = {0};
        for (size_t j = 0; j < n; j++) {
            const double x = (double)moved->points[2 * j] - (double)moved->points[2 * i],
                         y = (double)moved->points[2 * j + 1] - (double)moved->points[2 * i + 1],
                         k = x * x + y * y <= 16 ? exp(-(x * x + y * y) / 8) : 0;
            sum[0] += k;
            sum[1] += k * x;
            sum[2] += k * y;
        }
        for (size_t a = 0; a < 2; a++)
            moved->expected[2 * i + a] = (double)moved->points[2 * i + a] + sum[a + 1] / sum[0];
    }
    return moved;
}

static void run(struct use *use, const void *made) {
    const struct moved *moved = made;
    const float *points = use_input(use, moved->points, 2 * moved->n * sizeof *points);
    const uh_mean_shift_options options = {.struct_size = sizeof options, .radius = 4, .sigma = 2, .iterations = 1};
    uh_clusters_properties found = {.struct_size = sizeof found};
    uh_clusters *clusters = NULL;
    uh_array arrays[2];
    if (!points || moved->n == 0)
        return;
    uh_arrays_of_rows(UH_F32, points, moved->n, 2, arrays);
    if (!use_call(use, "uh_mean_shift", uh_mean_shift(use->queue, arrays, 2, &options, &clusters))) {
        use_expect(use, clusters == NULL, "clusters of a call that failed");
        return;
    }
    (void)uh_clusters_get_properties(clusters, &found);
    for (size_t i = 0; i < 2 * moved->n && use->computes; i++)
        use_expect(use, fabs((double)((const float *)found.shifted)[i] - moved->expected[i]) < 1e-5,
                   "coordinate %zu: %g, expected %g", i, (double)((const float *)found.shifted)[i], moved->expected[i]);
    (void)uh_clusters_destroy(clusters);
}

const struct description describe_meanshift = {"meanshift", describe, make, run, case_free};
