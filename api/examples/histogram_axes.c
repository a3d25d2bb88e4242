/* SPDX-License-Identifier: Apache-2.0 */
/* Exact sums of weights in the cells of two axes, integers and hours. histogram_axes [device], as histogram.c. */
#include "check.h"

int main(int argc, char **argv) {
    /* Shop, hour and amount of each sale. */
    const int32_t shop[] = {1, 2, 2, 2, 1, 9};
    const float hour[] = {9.5f, 12, 17.99f, 14, 12, 10};
    const double amount[] = {0.5, 1e17, 0.1, -1e17, 0.25, 5};
    const double edges[] = {8, 12, 18};
    double sums[2 * 2];
    uint64_t inside, outside;

    uh_device *device;
    uh_queue *queue;
    check(uh_device_select(argc > 1 ? argv[1] : "auto", &device));
    check(uh_queue_create(device, NULL, &queue));

    /* Shops 1 and 2; hours from 8 to 12 and from 12 to 18. */
    uh_axis *axes[2];
    check(uh_axis_create_integer(1, 2, &axes[0]));
    check(uh_axis_create_edges(UH_F64, edges, 3, UH_CLOSED_LEFT, &axes[1]));

    const uh_histogram_options options = {.struct_size = sizeof options, .storage = UH_STORAGE_SUM};
    uh_histogram *histogram;
    check(uh_histogram_create(queue, axes, 2, &options, &histogram));

    /* Each coordinate has its own type. Sums are exact, rounded once, independent of order. */
    const uh_array points[] = {uh_array_of(UH_I32, shop, 6), uh_array_of(UH_F32, hour, 6)};
    const uh_array weights = uh_array_of(UH_F64, amount, 6);
    check(uh_histogram_fill(histogram, points, &weights));
    check(uh_histogram_sums(histogram, UH_F64, sums, NULL));
    check(uh_histogram_total(histogram, &inside, &outside));

    for (size_t j = 0; j < 2; j++)
        printf("shop %zu: %g before 12, %g after\n", j + 1, sums[2 * j], sums[2 * j + 1]);
    printf("%lu sales, and %lu elsewhere\n", (unsigned long)inside, (unsigned long)outside);

    uh_histogram_destroy(histogram);
    uh_axis_destroy(axes[0]);
    uh_axis_destroy(axes[1]);
    uh_queue_destroy(queue);
    return 0;
}
