/* SPDX-License-Identifier: Apache-2.0 */
/* Processes that work together on what is divided among them. All of them call each of these at the same time; where
 * there is one process, nothing is sent and each has what there is. What one fails of, all fail of. */
#ifndef UHI_COMMON_TOGETHER_H
#define UHI_COMMON_TOGETHER_H

#include <unihist/exchange.h>

struct uhi_together {
    const char *call;            /* theirs, for messages */
    const uh_exchange *exchange; /* of which all receive; NULL: one process */
    int failed;                  /* all know of a failure: nothing more is told */
};

static inline size_t uhi_together_rank(const struct uhi_together *together) {
    return together->exchange ? together->exchange->rank : 0;
}
static inline size_t uhi_together_ranks(const struct uhi_together *together) {
    return together->exchange ? together->exchange->ranks : 1;
}

/* Each says what has come of its work; returns what has come of that of all. With what stops it, on one or all. */
uh_status uhi_together_agree(struct uhi_together *together, uh_status mine);
uh_status uhi_together_agree_to_stop(struct uhi_together *together, uh_status mine, int *stopped);

/* Whether all have made what takes memory, of `what` of so many points. What is not made here is a failure here. */
uh_status uhi_together_agree_made(struct uhi_together *together, int made, const char *what, size_t count);
static inline uh_status uhi_together_made(struct uhi_together *together, int made, const char *what, size_t count) {
    const uh_status status = uhi_together_agree_made(together, made, what, count);
    return made || status ? status : UH_ERROR_OUT_OF_MEMORY;
}

/* As uhi_together_agree, and replaces the last n - 1 of n numbers by the largest of all; the first is for what is
 * agreed upon. */
uh_status uhi_together_agree_maximum(struct uhi_together *together, uh_status mine, uint64_t *numbers, size_t n);

/* Returns a failure that all find by themselves, of what all know: it is told no more. */
uh_status uhi_together_fail(struct uhi_together *together, uh_status status);

/* UH_ERROR_INCOMPATIBLE, with this text, where all agree on success and words are not the same on all. */
uh_status uhi_together_compare(struct uhi_together *together, uh_status mine, const uint64_t *words, size_t n,
                               const char *differ);

/* Replace words by the largest, or the sums, of all. */
uh_status uhi_together_maximum(struct uhi_together *together, uint64_t *words, size_t n);
uh_status uhi_together_add(struct uhi_together *together, uint64_t *words, size_t n);

/* Brings the bytes of one to all. */
uh_status uhi_together_broadcast(struct uhi_together *together, size_t from, void *bytes, size_t size);

/* As uh_exchange's `trade`. */
uh_status uhi_together_trade(struct uhi_together *together, const void *const *out, const size_t *sent, void *const *in,
                             const size_t *received);

/* Things of all stand in the order of ranks, n of this process: which the first of these is, and how many there are. */
uh_status uhi_together_place(struct uhi_together *together, size_t n, size_t *place, size_t *total);

/* Brings n words of each to all, those of rank 0 first: *total of them, which the caller frees. */
uh_status uhi_together_gather(struct uhi_together *together, const uint64_t *words, size_t n, uint64_t **all,
                              size_t *total);

#endif
