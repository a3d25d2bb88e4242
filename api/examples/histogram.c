/* SPDX-License-Identifier: Apache-2.0 */
/* Counts an array in bins of different widths: in one call, and chunk after chunk. histogram [device], such as "gpu" or
 * "host"; the fastest there is by default. */
#include <stdio.h>
#include <stdlib.h>

#include <unihist/unihist.h>

static void check(uh_status status) {
    if (status != UH_SUCCESS) {
        fprintf(stderr, "%s: %s\n", uh_status_name(status), uh_last_error());
        exit(1);
    }
}

int main(int argc, char **argv) {
    const double edges[] = {0, 1, 10, 100, 1000};
    const float x[] = {0.5f, 3, 3, 99.99999f, 100, 1000, -1, 7e8f};
    const uh_array values = uh_array_of(UH_F32, x, 8);
    uint64_t counts[4];
    uh_flow flow;

    uh_device *device;
    uh_queue *queue;
    check(uh_device_select(argc > 1 ? argv[1] : "auto", &device));
    check(uh_queue_create(device, NULL, &queue));

    /* One call, in the manner of numpy.histogram. */
    check(uh_histogram_of_edges(queue, &values, UH_F64, edges, 5, counts, &flow));

    /* An object: fill it as often as data come in; two with equal axes merge. */
    uh_axis *axis;
    uh_histogram *histogram;
    check(uh_axis_create_edges(UH_F64, edges, 5, UH_CLOSED_LEFT, &axis));
    check(uh_histogram_create(queue, &axis, 1, NULL, &histogram));
    check(uh_histogram_fill(histogram, &values, NULL));
    check(uh_histogram_counts(histogram, counts));
    check(uh_histogram_flow(histogram, 0, &flow));

    for (int j = 0; j < 4; j++)
        printf("%4g to %4g: %lu\n", edges[j], edges[j + 1], (unsigned long)counts[j]);
    printf("below %lu, above %lu, NaN %lu\n", (unsigned long)flow.below, (unsigned long)flow.above,
           (unsigned long)flow.nan);

    check(uh_histogram_destroy(histogram));
    check(uh_axis_destroy(axis));
    check(uh_queue_destroy(queue));
    return 0;
}
