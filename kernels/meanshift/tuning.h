/* SPDX-License-Identifier: Apache-2.0 */
/* Tuning parameters of mean shift; none changes a result. */
#pragma once

enum {
    /* Overhead of a run of candidates, in candidates: EPYC (Zen 4), 2 virtual cores */
    UHI_MEANSHIFT_RUN_COST = 12,
    /* Interactions worth a thread: about 20 us on that machine */
    UHI_MEANSHIFT_THREAD = 1 << 15,
    /* Parts of a piece per thread, to balance the load */
    UHI_MEANSHIFT_PARTS = 8,
    /* Interactions worth a piece for one of several devices: not measured */
    UHI_MEANSHIFT_MIN_SHARE = 1 << 14,
    /* Candidates per place worth a launch: as many as a group has in local memory at a time */
    UHI_MEANSHIFT_MIN_CANDIDATES = 512
};

/* Interactions between calls of `progress` on the host: some tenths of a second of a core */
#define UHI_MEANSHIFT_HOST_PIECE ((uint64_t)1 << 29)
