/* SPDX-License-Identifier: Apache-2.0 */
/* Puts the values of given ranks where sorting would put them, without sorting the rest (Hoare's Find, for many ranks
 * at once). */
#ifndef CLI_PARTITION_H
#define CLI_PARTITION_H

#include <stddef.h>
#include <stdint.h>

/* Rearranges the n values so that x[ranks[i] - base] is what a sort would put there, for every i. The ranks do not
 * decrease, and base <= rank < base + n. Expected time n log m. No NaN. */
void cli_partition(double *x, size_t n, const uint64_t *ranks, size_t m, uint64_t base);

#endif
