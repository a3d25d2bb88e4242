/* SPDX-License-Identifier: Apache-2.0 */
/* What a sampler keeps on a device, between the files that work on it. */
#ifndef UHI_SAMPLE_STATE_H
#define UHI_SAMPLE_STATE_H

#include "kernels/common/sink.h"
#include "kernels/sample/sample_device.h"

/* One table in the device's memory. */
struct uhi_sample_part {
    const char *method;         /* as kernels are called */
    uint64_t stream;            /* of the words */
    uint32_t *front;            /* what every sample reads: guide's cells, alias's columns in pairs, binary's `top` */
    uint32_t *top;              /* alias: NULL */
    uint32_t *low;              /* alias: the rests of the thresholds */
    uint32_t *map;              /* outcomes of ranks, or NULL */
    const uint32_t *outcomes;   /* the same on the host, the form's */
    uint32_t words;             /* of the front */
    uint32_t bits, more, items; /* uniform: what lower halves are refused below, none, and the bound */
    uint32_t bins;              /* ranks, or alias's outcomes */
    uint32_t shift;
};

struct uhi_sample_device {
    struct uhi_engine engine;
    struct uhi_sink sink;
    size_t parts;
    struct uhi_sample_part part[UHI_SAMPLE_PARTS];
    uint64_t first;
    uint64_t most; /* samples that the counters may hold */
};

/* Samples of one launch: whole blocks' numbers have one high half, so that kernels compute what depends on it once. */
struct uhi_sample_piece {
    uint64_t seed, offset;
    uint32_t n;
};

/* How many of `n` samples from number `offset` on one launch makes, `most` >= 4 at the most. The next piece begins with
 * a block, so that it is stored as vectors. */
uint32_t uhi_sample_piece_length(uint64_t offset, uint64_t n, uint64_t most);

/* Appends the arguments of a table and of samples to `args`; returns how many there are. `piece` and `words`, which
 * holds what is computed of it, live until the launch. */
struct uhi_sample_words {
    uint64_t stream, block;
    uint32_t phase;
};
size_t uhi_sample_args(const struct uhi_sample_part *part, const struct uhi_sample_piece *piece,
                       struct uhi_sample_words *words, uh_arg *args);
enum { UHI_SAMPLE_ARGS = 12 };

/* Lends the kernel `what`_METHOD_`where`, where METHOD is the part's. */
uh_status uhi_sample_kernel(struct uhi_sample_device *device, const char *what, const struct uhi_sample_part *part,
                            const char *where, uh_kernel **kernel);

/* Whether a group may have the part's front in local memory to draw from it. */
int uhi_sample_fits_local(const struct uhi_sample_device *device, const struct uhi_sample_part *part);

/* Stores (digit 0) or adds one part of samples: 32 bits each, or 64, at `out`, which the device reaches. */
uh_status uhi_sample_launch_draw(struct uhi_sample_device *device, size_t digit, const struct uhi_sample_piece *piece,
                                 int wide, uint64_t first, void *out, uh_event **event);

#endif
