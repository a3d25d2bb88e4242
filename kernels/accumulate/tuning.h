/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers that tune what stores add. */
#ifndef UHI_ACCUMULATE_TUNING_H
#define UHI_ACCUMULATE_TUNING_H

/* On the host: measured on Sapphire Rapids, 2 virtual cores, 48 KiB of first-level cache. */
enum {
    UHI_STORE_POINTS_A_THREAD = 32768,  /* worth waking it: about 20 us of work */
    UHI_STORE_REPLICA_BYTES = 24 << 10, /* copies of a table side by side are worth it while they stay in that cache */
    UHI_STORE_CLEAR_POINTS = 1024       /* private tables: for more points than this and 2 a cell */
};

/* All threads' private tables together; beyond it they add to the store itself, atomically. By the machine's memory,
 * not by speed. */
#define UHI_STORE_PRIVATE_BYTES ((size_t)256 << 20)
/* Planes of all exponents that a type has are made without a look at the weights, up to so many bytes: the look is a
 * pass of its own. */
#define UHI_STORE_PLANES_BYTES ((size_t)64 << 20)

/* On a device: points of a piece, whose cells fit into half its last-level cache; USUAL where it does not tell. By the
 * model of DESIGN.md for Iris Xe and Max 1550, not measured. */
enum { UHI_STORE_MIN_PIECE = 1 << 16, UHI_STORE_USUAL_PIECE = 1 << 19, UHI_STORE_MAX_PIECE = 1 << 22 };

#endif
