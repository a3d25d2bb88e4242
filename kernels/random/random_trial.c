/* SPDX-License-Identifier: Apache-2.0 */
/* Trial of the kernels of random numbers: where counters carry, and with a bound that refuses every other number. */
#include <string.h>

#include "kernels/common/sequence.h"
#include "kernels/common/trial.h"
#include "kernels/random/random.h"

uh_status uhi_random_trial(uh_queue *queue, struct uhi_trial *trial) {
    enum { NUMBERS = 19 };
    static const struct {
        const char *name;
        enum uhi_random_kind kind;
        uint64_t bound;
    } kinds[] = {
        {"words", UHI_RANDOM_U32, 0},
        {"words", UHI_RANDOM_U64, 0},
        {"f32", UHI_RANDOM_F32, 0},
        {"f64", UHI_RANDOM_F64, 0},
        {"bounded_32", UHI_RANDOM_BOUNDED_32, (UINT64_C(1) << 31) + 1},
        {"bounded_32_wide", UHI_RANDOM_BOUNDED_32_WIDE, (UINT64_C(1) << 31) + 1},
        {"bounded_64", UHI_RANDOM_BOUNDED_64, (UINT64_C(1) << 63) + 1},
    };
    /* Block 2^32 is the first one after the low half of the block number has carried, with both generators. */
    static const uint64_t offsets[] = {3, (UINT64_C(1) << 33) - 9, (UINT64_C(1) << 34) - 9, (UINT64_C(1) << 35) - 9};
    const int sobol = uhi_trial_is(trial, "sobol");
    struct uhi_random_job job = {.generator = uhi_trial_is(trial, "4x32") ? UH_PHILOX4X32_10 : UH_PHILOX4X64_10,
                                 .seed = UINT64_C(0xfedcba9876543210),
                                 .stream = UINT64_C(0x8000000180000001),
                                 .add = (uint64_t)-1000,
                                 .sequence = sobol ? UHI_SEQUENCE_OWEN : 0,
                                 .scrambled = 1,
                                 .dims = 5};
    uh_status status = UH_SUCCESS;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const size_t length = strlen(kinds[i].name), size = uhi_random_size(kinds[i].kind);
        if (strncmp(trial->kernel, kinds[i].name, length) != 0 || strchr("0123456789s", trial->kernel[length + 1]) == 0)
            continue;
        if (sobol && kinds[i].kind == UHI_RANDOM_U64)
            continue;
        for (size_t j = 0; j < sizeof offsets / sizeof *offsets && !status; j++) {
            uint64_t numbers[NUMBERS] = {0};
            job.kind = kinds[i].kind;
            job.offset = sobol ? (UINT64_C(1) << 32) - NUMBERS : offsets[j];
            job.bound = kinds[i].bound;
            status = uhi_random_fill(queue, trial->call, &job, numbers, sobol ? NUMBERS / job.dims : NUMBERS);
            uhi_trial_add_all(trial, "the random number", numbers, NUMBERS, size);
        }
    }
    return status;
}
