/* SPDX-License-Identifier: Apache-2.0 */
/* Counts an array in bins of different widths. histogram [device], such as "gpu" or "host"; "auto" by default. */
#include <stdio.h>

#include <unihist/unihist.h>

int main(int argc, char **argv) {
    const double edges[] = {0, 1, 10, 100, 1000};
    const float x[] = {0.5f, 3, 3, 99.99999f, 100, 1000, -1, 7e8f};
    const uh_array values = uh_array_of(UH_F32, x, 8), at = uh_array_of(UH_F64, edges, 5);
    uint64_t counts[4];
    const uh_axis_bins bins = uh_axis_bins_between(&at);
    const uh_cells cells = uh_cells_of(counts);
    uh_device *device;
    uh_queue *queue;
    if (uh_device_select(argc > 1 ? argv[1] : "auto", &device) || uh_queue_create(device, NULL, &queue) ||
        uh_histogram_of(queue, &values, &bins, 1, NULL, &cells))
        return fprintf(stderr, "%s\n", uh_last_error()), 1;
    for (int j = 0; j < 4; j++)
        printf("%4g to %4g: %llu\n", edges[j], edges[j + 1], (unsigned long long)counts[j]);
    uh_queue_destroy(queue);
    return 0;
}
