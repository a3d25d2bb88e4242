/* SPDX-License-Identifier: Apache-2.0 */
/* Weighted samples, and samples of a distribution. sample [device], such as "gpu" or "host"; default: the fastest. */
#include "check.h"

int main(int argc, char **argv) {
    const float weights[] = {0.5f, 0, 3, 1.5f}; /* of outcomes 0 to 3; need not sum to 1 */
    const uint64_t seed = 20261121;
    uint32_t samples[10];
    uint64_t counts[4];

    uh_device *device;
    uh_queue *queue;
    check(uh_device_select(argc > 1 ? argv[1] : "auto", &device));
    check(uh_queue_create(device, NULL, &queue));

    /* Sample i depends on the weights, the seed and i only: any piece can be drawn separately, anywhere. */
    uh_sampler *sampler;
    const uh_array array = uh_array_of(UH_F32, weights, 4);
    const uh_discrete weighted = {.struct_size = sizeof weighted, .kind = UH_DISCRETE_WEIGHTS, .weights = &array};
    check(uh_sampler_create(queue, &weighted, NULL, &sampler));
    check(uh_sampler_draw(sampler, seed, 0, UH_U32, samples, 6));
    check(uh_sampler_draw(sampler, seed, 6, UH_U32, samples + 6, 4));
    for (int i = 0; i < 10; i++)
        printf("%u%c", (unsigned)samples[i], i < 9 ? ' ' : '\n');

    /* A hundred million samples are counted as they are drawn, without storing them. */
    check(uh_sampler_count(sampler, seed, 0, 100000000, counts, 4));
    for (int j = 0; j < 4; j++)
        printf("%d: %lu\n", j, (unsigned long)counts[j]);
    uh_sampler_destroy(sampler);

    /* Distributions are samplers too. */
    const uh_discrete poisson = {.struct_size = sizeof poisson, .kind = UH_DISCRETE_POISSON, .mean = 1000};
    check(uh_sampler_create(queue, &poisson, NULL, &sampler));
    check(uh_sampler_draw(sampler, seed, 0, UH_U32, samples, 3));
    printf("%u %u %u\n", (unsigned)samples[0], (unsigned)samples[1], (unsigned)samples[2]);
    uh_sampler_destroy(sampler);

    uh_queue_destroy(queue);
    return 0;
}
