/* SPDX-License-Identifier: Apache-2.0 */
/* Trials: whether a device's kernel computes what the host does. An operation whose kernels are tried has
 *
 *     uh_status uhi_NAME_trial(uh_queue *queue, struct uhi_trial *trial);
 *
 * in kernels/NAME/NAME_trial.c, which uhi_NAME_variants() hands on. It makes the operation's own calls on few values,
 * those where compilers and devices go wrong, so that on a device they launch the kernel `trial->kernel`, and tells
 * what came of each by uhi_trial_add. It is called twice, for the host and for the device: both must say the same. */
#ifndef UHI_TRIAL_H
#define UHI_TRIAL_H

#include "kernels/registry.h"

/* What a trial has found: `what`, of an input's bits or of none, is `value`. Only the pointer to the text is kept. */
struct uhi_trial_result {
    const char *what;
    int has_input;
    uint64_t input, value;
    double
        near; /* more than 0: the value is a float64, and may be so far from the other's; INFINITY: nothing is said */
};

struct uhi_trial {
    const char *call;      /* the public call at work, for messages */
    const char *kernel;    /* that is to run: its name */
    void *context;         /* the variants' */
    uint64_t local_memory; /* bytes a group has, at most, for engines that are opened after it is set */
    int has_run;           /* the kernel has been asked for, on the device */
    int failed;            /* no memory for a result */
    struct uhi_trial_result *result;
    size_t count, room;
};

/* Notes a result. */
void uhi_trial_note(struct uhi_trial *trial, struct uhi_trial_result result);

/* Notes what came of one input. */
static inline void uhi_trial_add(struct uhi_trial *trial, const char *what, uint64_t input, uint64_t value) {
    uhi_trial_note(trial, (struct uhi_trial_result){what, 1, input, value, 0});
}

/* Notes n results, each `size` bytes, 1 to 8, read as unsigned; the inputs are their numbers. */
void uhi_trial_add_all(struct uhi_trial *trial, const char *what, const void *values, size_t n, size_t size);

/* Whether the kernel's name has this word: what stands between underscores, or several of these. */
int uhi_trial_is(const struct uhi_trial *trial, const char *word);

/* What came of a trial. */
struct uhi_verdict {
    char text[256];      /* what differs; "" for nothing */
    long long failed_at; /* seconds since 1970, where it differs and is kept */
    int stays;           /* it is the driver's, and worth keeping */
    int reached;         /* the kernel has been asked for: not so on a device of unusual size */
};

/* Tries a kernel on the device of a queue, whose `cancelled` ends the trial, too. Fails as the operation's calls do. */
uh_status uhi_trial_run(const uh_queue *asking, const char *call, const struct uhi_variants *variants,
                        const char *kernel, struct uhi_verdict *verdict);

/* The trials of kernels that are shared. Those of operations are declared for each of registry.def. */
uh_status uhi_common_trial(uh_queue *queue, struct uhi_trial *trial);
#define UH_OPERATION(op) uh_status uhi_##op##_trial(uh_queue *queue, struct uhi_trial *trial);
#include "kernels/registry.def"
#undef UH_OPERATION

#endif
