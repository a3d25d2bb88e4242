/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers that tune mean shift; none changes a result. */
#ifndef UHI_MEANSHIFT_TUNING_H
#define UHI_MEANSHIFT_TUNING_H

enum {
    /* What a run of candidates costs beside them, in candidates: EPYC (Zen 4), 2 virtual cores */
    UHI_MEANSHIFT_RUN_COST = 12,
    /* Interactions that are worth a thread: about 20 us there */
    UHI_MEANSHIFT_THREAD = 1 << 15,
    /* Parts that threads share a piece in: what one has too much of, others make up for */
    UHI_MEANSHIFT_PARTS = 8,
    /* Interactions that are worth a piece for one of several devices: not measured */
    UHI_MEANSHIFT_LEAST_SHARE = 1 << 14,
    /* Candidates of a place that are worth a launch: as many as a group has in local memory at a time */
    UHI_MEANSHIFT_LEAST_CANDIDATES = 512
};

/* Interactions from one call of `progress` to the next on the host: some tenths of a second of a core */
#define UHI_MEANSHIFT_HOST_PIECE ((uint64_t)1 << 29)

#endif
