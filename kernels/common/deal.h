/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of all processes dealt out among them: each process gets those of a range of their order, and ranges ascend with
 * ranks, so that rows are sorted over all processes but for those of one, which come as they were sent. */
#ifndef UHI_COMMON_DEAL_H
#define UHI_COMMON_DEAL_H

#include "kernels/common/together.h"

/* Words of a row by which rows are sorted, at most. */
enum { UHI_DEAL_WORDS = 18 };

/* A process's rows in their order. */
struct uhi_dealt {
    size_t count, words;
    /* Stores the words of a row; they ascend, compared one after the other. */
    void (*row)(const void *context, size_t i, uint64_t *words);
    /* What a row is worth, at least 1; or NULL: all the same. Processes get rows of about as much worth. */
    uint32_t (*worth)(const void *context, size_t i);
    const void *context;
};

/* Zero it, make it, free it at any stage. */
struct uhi_deal {
    struct uhi_together *together;
    size_t *sent, *received; /* rows to and from each process, */
    size_t given, taken;     /* and all of them */
    size_t *give, *take;     /* in bytes, of a trade, */
    const void **out;        /* and where they are */
    void **in;
};

uh_status uhi_deal_make(struct uhi_deal *deal, struct uhi_together *together);
void uhi_deal_free(struct uhi_deal *deal);

/* Decides which rows go where: those for rank 0 are the first ones. */
uh_status uhi_deal_out(struct uhi_deal *deal, const struct uhi_dealt *rows);

/* Tells processes how many rows they get, where `sent` is there already. */
uh_status uhi_deal_tell(struct uhi_deal *deal);

/* Brings `size` bytes of each of the rows to those that have got them; and back to those that they came from. */
uh_status uhi_deal_bring(struct uhi_deal *deal, const void *mine, size_t size, void *theirs);
uh_status uhi_deal_return(struct uhi_deal *deal, const void *theirs, size_t size, void *mine);

#endif
