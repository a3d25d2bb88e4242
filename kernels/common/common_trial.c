/* SPDX-License-Identifier: Apache-2.0 */
/* Launches of trials, and the trials of the shared kernels: arithmetic.h, packing of strided values, addition of
 * private tables. */
#include <string.h>

#include "kernels/common/arithmetic.h"
#include "kernels/common/frame.h"
#include "kernels/common/trial.h"
#include "runtime/status.h"

uh_status uhi_trial_begin(uh_queue *queue, const struct uhi_trial *trial, const struct uhi_variants *variants,
                          void *memory, size_t bytes, struct uhi_trial_launch *launch) {
    void *there = NULL;
    *launch = (struct uhi_trial_launch){.memory = memory, .bytes = bytes};
    UHI_TRY(uhi_engine_open(&launch->engine, trial->call, queue, variants));
    UHI_TRY(uhi_engine_kernel(&launch->engine, trial->kernel, &launch->kernel));
    UHI_TRY(uhi_engine_scratch(&launch->engine, bytes, &there));
    launch->there = there;
    return uh_memcpy(queue, there, memory, bytes, NULL);
}

uh_status uhi_trial_finish(struct uhi_trial_launch *launch, uh_status status, size_t n, size_t group,
                           const uh_arg *args, size_t nargs) {
    struct uhi_engine *engine = &launch->engine;
    const uh_nd_range range = {.dims = 1, .global = {n}, .local = {group}};
    if (!status)
        status = group ? uh_parallel_for(engine->queue, launch->kernel, &range, args, nargs, NULL)
                       : uhi_engine_run_wide(engine, launch->kernel, n, args, nargs, NULL, NULL);
    if (!status)
        status = uhi_engine_fetch(engine, launch->memory, launch->there, launch->bytes);
    if (engine->queue)
        uhi_engine_close(engine);
    return status;
}

/* ---- arithmetic -------------------------------------------------------------------------------------------------- */

#define COUNT_ONE(what, expression) +1
#define TESTS                       17
_Static_assert(TESTS == UHI_ARITHMETIC(COUNT_ONE), "a row of UHI_ARITHMETIC for each");

/* Initial value of results; remains if the device computes nothing. */
#define UNTOUCHED UINT64_C(0xa5a5a5a5a5a5a5a5)

static const uint64_t integers[UHI_ARITHMETIC_INTEGERS] = {0, UINT64_C(0xfffffffffffffff1), UINT64_C(0x1fffffff7)};
static const float reals_f32[UHI_ARITHMETIC_REALS] = {0x1.001p0f,       0x1.001p0f,      -0x1.002p0f, 0x1p-126f, 0.5f,
                                                      0x1.8p-148f,      0x1p-147f,       1,           0x1p-24f,  0,
                                                      __builtin_inff(), 0x1.fffffep127f, 4294966.75f};
static const double reals_f64[UHI_ARITHMETIC_REALS] = {
    0x1.0000001p0,   0x1.0000001p0,          -0x1.0000002p0, 0x1p-1022, 0.5, 0x1.8p-1073, 0x1p-1072, 1, 0x1p-53, 0,
    __builtin_inf(), 0x1.fffffffffffffp1023, 4294966.75};
static const uint64_t half_way[2] = {(UINT64_C(1) << 24) + 1, (UINT64_C(1) << 53) + 3}; /* n[0] for f32 and f64 */

static uint64_t bits_of(const void *number, size_t size) {
    uint64_t bits = 0;
    memcpy(&bits, number, size); /* little-endian, as every x86-64 */
    return bits;
}

#define BITS(number)             bits_of(&(REAL){number}, sizeof(REAL))
#define ANSWER(what, expression) *out++ = (uint64_t)(expression);

static void compute_f32(const float *x, const uint64_t *n, uint64_t *out) {
#define REAL float
    UHI_ARITHMETIC(ANSWER)
#undef REAL
}

static void compute_f64(const double *x, const uint64_t *n, uint64_t *out) {
#define REAL double
    UHI_ARITHMETIC(ANSWER)
#undef REAL
}

/* In the order of the kernel's arguments. */
struct numbers {
    double x[UHI_ARITHMETIC_REALS]; /* of the kernel's type */
    uint64_t n[UHI_ARITHMETIC_INTEGERS], out[TESTS], sum;
};

/* Runs as many work-items as fill the device. */
static uh_status compute_answers(uh_queue *queue, const struct uhi_trial *trial, struct numbers *numbers,
                                 size_t *items) {
    struct uhi_trial_launch launch;
    const uh_status status = uhi_trial_begin(queue, trial, uhi_common_variants(), numbers, sizeof *numbers, &launch);
    const size_t group = status ? 1 : uhi_group_size(&launch.engine.properties);
    *items = status ? 0 : group * uhi_groups_to_fill(&launch.engine.properties, group);
    const uh_arg args[] = {uh_arg_pointer(launch.there + offsetof(struct numbers, x)),
                           uh_arg_pointer(launch.there + offsetof(struct numbers, n)),
                           uh_arg_pointer(launch.there + offsetof(struct numbers, out)),
                           uh_arg_pointer(launch.there + offsetof(struct numbers, sum))};
    return uhi_trial_finish(&launch, status, *items, group, args, 4);
}

static uh_status try_arithmetic(uh_queue *queue, struct uhi_trial *trial) {
#define NAME(what, expression) what,
    static const char *const names[] = {UHI_ARITHMETIC(NAME)};
    const int fp64 = uhi_trial_is(trial, "f64");
    struct numbers numbers = {.n = {half_way[fp64], integers[1], integers[2]}};
    uint64_t all = 0;
    size_t items = 0;
    uh_status status = UH_SUCCESS;
    for (size_t i = 0; i < TESTS; i++)
        numbers.out[i] = UNTOUCHED;
    if (fp64)
        memcpy(numbers.x, reals_f64, sizeof reals_f64);
    else
        memcpy(numbers.x, reals_f32, sizeof reals_f32);
    if (uhi_body_of(queue) == UHI_BODY_DEVICE)
        status = compute_answers(queue, trial, &numbers, &items);
    else if (fp64)
        compute_f64(reals_f64, numbers.n, numbers.out);
    else
        compute_f32(reals_f32, numbers.n, numbers.out);
    for (size_t i = 0; i < TESTS; i++) {
        all = UHI_ARITHMETIC_ADD(all, numbers.out[i]);
        uhi_trial_add_one(trial, names[i], numbers.out[i]);
    }
    uhi_trial_add_one(trial, "the sum of all work-items' answers, less what it should be,", numbers.sum - items * all);
    return status;
}

/* ---- other kernels ----------------------------------------------------------------------------------------------- */

enum { GROUPS = 3, GROUP = 4 };

/* Values of an odd size with a negative stride. */
static uh_status try_pack(uh_queue *queue, struct uhi_trial *trial) {
    enum { VALUES = 17, SIZE = 3, STRIDE = 5, FIRST = (VALUES - 1) * STRIDE };
    struct bytes {
        uint8_t from[FIRST + SIZE], to[VALUES * SIZE];
    } bytes = {{0}, {0}};
    const int64_t stride = -STRIDE;
    const uint32_t size = SIZE;
    const uint64_t n = VALUES;
    uh_status status = UH_SUCCESS;
    for (size_t i = 0; i < sizeof bytes.from; i++)
        bytes.from[i] = (uint8_t)(7 * i + 1);
    if (uhi_body_of(queue) == UHI_BODY_DEVICE) {
        struct uhi_trial_launch launch;
        status = uhi_trial_begin(queue, trial, uhi_common_variants(), &bytes, sizeof bytes, &launch);
        const uh_arg args[] = {uh_arg_pointer(launch.there + FIRST), UHI_ARG(stride), UHI_ARG(size), UHI_ARG(n),
                               uh_arg_pointer(launch.there + offsetof(struct bytes, to))};
        status = uhi_trial_finish(&launch, status, (size_t)GROUPS * GROUP, GROUP, args, 5);
    } else {
        for (size_t i = 0; i < VALUES; i++)
            memcpy(bytes.to + i * SIZE, bytes.from + FIRST - i * STRIDE, SIZE);
    }
    uhi_trial_add_all(trial, "byte", bytes.to, sizeof bytes.to, 1);
    return status;
}

/* Sums that carry into the top bit of 32. */
static uh_status try_add_tables(uh_queue *queue, struct uhi_trial *trial) {
    enum { SLOTS = 13, TABLES = 4 };
    const uint32_t slots = SLOTS, tables = TABLES;
    uint32_t counts[TABLES][SLOTS];
    uh_status status = UH_SUCCESS;
    for (uint32_t t = 0; t < TABLES; t++)
        for (uint32_t s = 0; s < SLOTS; s++)
            counts[t][s] = (UINT32_MAX - s) / TABLES;
    if (uhi_body_of(queue) == UHI_BODY_DEVICE) {
        struct uhi_trial_launch launch;
        status = uhi_trial_begin(queue, trial, uhi_common_variants(), counts, sizeof counts, &launch);
        const uh_arg args[] = {uh_arg_pointer(launch.there), UHI_ARG(slots), UHI_ARG(tables)};
        status = uhi_trial_finish(&launch, status, (size_t)GROUPS * GROUP, GROUP, args, 3);
    } else {
        for (uint32_t t = 1; t < TABLES; t++)
            for (uint32_t s = 0; s < SLOTS; s++) {
                counts[0][s] += counts[t][s];
                counts[t][s] = 0;
            }
    }
    uhi_trial_add_all(trial, "counter", counts, (size_t)SLOTS * TABLES, sizeof counts[0][0]);
    return status;
}

uh_status uhi_common_trial(uh_queue *queue, struct uhi_trial *trial) {
    return uhi_trial_is(trial, "pack")         ? try_pack(queue, trial)
           : uhi_trial_is(trial, "add_tables") ? try_add_tables(queue, trial)
                                               : try_arithmetic(queue, trial);
}
