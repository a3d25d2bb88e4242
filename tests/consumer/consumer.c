/* SPDX-License-Identifier: Apache-2.0 */
/* A program outside the project, in C and C++: counts nine values whose bins are known by eye. */
#include <stdio.h>
#include <string.h>

#include <unihist/unihist.h>

int main(void) {
    static const double edges[] = {0.0, 1.0, 10.0, 100.0};
    static const float values[] = {-1.0f, 0.0f, 0.5f, 1.0f, 9.5f, 10.0f, 100.0f, 100.5f, 3.0f};
    static const uint64_t expected[] = {2, 3, 2};
    const uh_array x = uh_array_of(UH_F32, values, sizeof values / sizeof *values), at = uh_array_of(UH_F64, edges, 4);
    uint64_t counts[3] = {0, 0, 0};
    uh_flow flow = {0, 0, 0};
    const uh_axis_bins bins = uh_axis_bins_between(&at);
    uh_cells cells = uh_cells_of(counts);
    uh_device *device = NULL;
    uh_queue *queue = NULL;
    int failed = 1;
    cells.flows = &flow;

    if (uh_device_select("cpu", &device) || uh_queue_create(device, NULL, &queue) ||
        uh_histogram_of(queue, &x, &bins, 1, NULL, &cells)) {
        fprintf(stderr, "consumer: %s\n", uh_last_error());
        goto out;
    }
    if (memcmp(counts, expected, sizeof counts) || flow.below != 1 || flow.above != 1 || flow.nan != 0) {
        fprintf(stderr, "consumer: counts %lu %lu %lu, below %lu, above %lu, nan %lu\n", (unsigned long)counts[0],
                (unsigned long)counts[1], (unsigned long)counts[2], (unsigned long)flow.below,
                (unsigned long)flow.above, (unsigned long)flow.nan);
        goto out;
    }
    failed = 0;
    puts("2 3 2");
out:
    uh_queue_destroy(queue);
    return failed;
}
