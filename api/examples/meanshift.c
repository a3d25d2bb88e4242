/* SPDX-License-Identifier: Apache-2.0 */
/* Clusters of points in the plane: three groups, found by mean shift, and the density at their centres. */
#include "check.h"

enum { N = 3000, DIMS = 2 };

int main(int argc, char **argv) {
    static const float centre[3][DIMS] = {{0, 0}, {-10, 10}, {10, 10}};
    static float points[N][DIMS];
    uh_device *device;
    uh_queue *queue;
    check(uh_device_select(argc > 1 ? argv[1] : "auto", &device));
    check(uh_queue_create(device, NULL, &queue));

    /* Uniform in a square of width 8 around a centre. */
    check(uh_random(queue, &(uh_random_stream){UH_PHILOX4X32_10, 1, 0, 0}, 0, UH_F32, points, (size_t)N * DIMS));
    for (int i = 0; i < N; i++)
        for (int axis = 0; axis < DIMS; axis++)
            points[i][axis] = centre[i % 3][axis] + 8 * points[i][axis] - 4;

    uh_array arrays[DIMS];
    uh_arrays_of_rows(UH_F32, points, N, DIMS, arrays);
    const uh_mean_shift_options options = {.struct_size = sizeof options, .sigma = 2};
    uh_clusters *clusters;
    uh_clusters_properties found = {.struct_size = sizeof found};
    check(uh_mean_shift(queue, arrays, DIMS, &options, &clusters));
    check(uh_clusters_get_properties(clusters, &found));
    printf("%zu clusters after %zu iterations\n", found.clusters, found.iterations);
    for (size_t c = 0; c < found.clusters; c++)
        printf("%5lu points around %6.2f, %6.2f\n", (unsigned long)found.counts[c], found.centroids[DIMS * c],
               found.centroids[DIMS * c + 1]);

    const uh_kde_options kde = {.struct_size = sizeof kde, .sigma = 2};
    uh_array at[DIMS];
    double density[3];
    uh_arrays_of_rows(UH_F32, centre, 3, DIMS, at);
    check(uh_kde(queue, arrays, DIMS, at, &kde, density));
    printf("densities at the true centres: %.4f, %.4f, %.4f\n", density[0], density[1], density[2]);

    uh_clusters_destroy(clusters);
    uh_queue_destroy(queue);
    return 0;
}
