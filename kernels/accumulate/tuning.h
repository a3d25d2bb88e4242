/* SPDX-License-Identifier: Apache-2.0 */
/* Tuning parameters for adding to stores. */
#pragma once

/* On the host: measured on Sapphire Rapids, 2 virtual cores, 48 KiB of L1 cache. */
enum {
    UHI_STORE_POINTS_A_THREAD = 32768,  /* minimum worth waking a thread: about 20 us of work */
    UHI_STORE_REPLICA_BYTES = 24 << 10, /* several copies of a table pay off while they fit into that cache */
    UHI_STORE_CLEAR_POINTS = 1024       /* private tables pay off from this many points plus 2 per cell */
};

/* Maximum size of all threads' private tables; beyond it threads add to the store atomically. Limited by memory, not by
 * speed. */
#define UHI_STORE_PRIVATE_BYTES ((size_t)256 << 20)
/* Up to this size, planes for all exponents of a type are made without scanning the weights, which would be a separate
 * pass. */
#define UHI_STORE_PLANES_BYTES ((size_t)64 << 20)

/* On a device: points per piece, whose cells fit into half the last-level cache; USUAL if its size is not reported.
 * From the model in DESIGN.md for Iris Xe and Max 1550, not measured. */
enum { UHI_STORE_MIN_PIECE = 1 << 16, UHI_STORE_USUAL_PIECE = 1 << 19, UHI_STORE_MAX_PIECE = 1 << 22 };
