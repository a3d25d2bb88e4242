/* SPDX-License-Identifier: Apache-2.0 */
/* Trials: tests whether a device's kernel gives the host's results. An operation with trials has
 *
 *     uh_status uhi_NAME_trial(uh_queue *queue, struct uhi_trial *trial);
 *
 * in kernels/NAME/NAME_trial.c, passed on by uhi_NAME_variants(). It makes the operation's own calls on few values
 * on which compilers and devices fail, so that a device launches the kernel `trial->kernel`, and reports each result
 * by uhi_trial_add. It is called for the host and for the device; both must give the same results. */
#pragma once

#include "kernels/common/engine.h"
#include "kernels/registry.h"

/* Result of a trial: `what`, for an input's bits or for none, is `value`. Only the pointer to the text is kept. */
struct uhi_trial_result {
    const char *what;
    int has_input;
    uint64_t input, value;
    double near; /* above 0: tolerance of a float64 value; INFINITY: any value */
};

struct uhi_trial {
    const char *call;      /* current public call, for messages */
    const char *kernel;    /* name of the kernel to run */
    void *context;         /* of the variants */
    uint64_t local_memory; /* maximum bytes per group, for engines opened after it is set */
    int has_run;           /* the kernel has been requested on the device */
    int failed;            /* out of memory for a result */
    struct uhi_trial_result *result;
    size_t count, room;
};

void uhi_trial_note(struct uhi_trial *trial, struct uhi_trial_result result);

/* Adds the result of one input. */
static inline void uhi_trial_add(struct uhi_trial *trial, const char *what, uint64_t input, uint64_t value) {
    uhi_trial_note(trial, (struct uhi_trial_result){what, 1, input, value, 0});
}

/* Adds a result without an input. */
static inline void uhi_trial_add_one(struct uhi_trial *trial, const char *what, uint64_t value) {
    uhi_trial_note(trial, (struct uhi_trial_result){what, 0, 0, value, 0});
}

/* Adds n results of `size` bytes each, 1 to 8, read as unsigned; the inputs are their indices. */
void uhi_trial_add_all(struct uhi_trial *trial, const char *what, const void *values, size_t n, size_t size);

/* Returns 1 if the kernel's name has this word: one or several parts between underscores. */
int uhi_trial_is(const struct uhi_trial *trial, const char *word);

/* ---- launches ---- */

/* The trial's kernel, and memory that is copied to the device and back. */
struct uhi_trial_launch {
    struct uhi_engine engine;
    uh_kernel *kernel;
    void *memory;
    size_t bytes;
    char *there; /* the memory's copy on the device */
};
uh_status uhi_trial_begin(uh_queue *queue, const struct uhi_trial *trial, const struct uhi_variants *variants,
                          void *memory, size_t bytes, struct uhi_trial_launch *launch);

/* Runs the kernel for n items, in groups of `group` or, if that is 0, of the engine's choice, unless `status`, that of
 * earlier steps, is a failure. Always closes the engine. */
uh_status uhi_trial_finish(struct uhi_trial_launch *launch, uh_status status, size_t n, size_t group,
                           const uh_arg *args, size_t nargs);

/* ---- verdicts ---- */

/* Outcome of a trial. */
struct uhi_verdict {
    char text[256];      /* the difference; "" if none */
    long long failed_at; /* seconds since 1970, if it differs and is kept */
    int stays;           /* due to the driver, and worth caching */
    int reached;         /* the kernel was requested; 0 on a device of unusual size */
};

/* Tests a kernel on the device of a queue, whose `cancelled` also ends the trial. Fails as the operation's calls do. */
uh_status uhi_trial_run(const uh_queue *asking, const char *call, const struct uhi_variants *variants,
                        const char *kernel, struct uhi_verdict *verdict);

/* Trials of the shared kernels, and of the operations in registry.def. */
uh_status uhi_common_trial(uh_queue *queue, struct uhi_trial *trial);
#define UH_OPERATION(op) uh_status uhi_##op##_trial(uh_queue *queue, struct uhi_trial *trial);
#include "kernels/registry.def"
#undef UH_OPERATION

/* ---- self-tests ---- */

/* Tests a kernel before its first use on a device: once per module, device, driver and compiler. The answer is kept
 * with the binaries in the cache, a failure for a day. For operations without trials the device's arithmetic is
 * tested instead; for callers' programs, such as integrand texts, whose module is `module`, it is tested first.
 * UH_ERROR_UNSUPPORTED, naming the difference, if results differ; UNIHIST_SELF_TEST=off in the environment disables
 * the test. The device is the queue's; cancelling the queue's call cancels the trial. Thread-safe. */
uh_status uhi_self_test(const uh_queue *queue, const char *call, const struct uhi_variants *variants,
                        const struct uhi_variant *variant, const uh_module *module);
