/* SPDX-License-Identifier: Apache-2.0 */
/* Values of any element type as float64, a block at a time: what the bin rules compute with. */
#ifndef CLI_VALUES_H
#define CLI_VALUES_H

#include <stddef.h>
#include <stdint.h>

#include <unihist/base.h>

/* Maximum number of values of one block. */
#define CLI_BLOCK 1024

/* Converts at most CLI_BLOCK values (which need not be aligned) to float64 and drops NaN and, where `range` is not
 * NULL, what is outside [range[0], range[1]]. Returns how many it kept in `out`, and adds the NaNs to `*nan`. Integers
 * beyond 2^53 are rounded to the nearest. */
size_t cli_values_block(uh_dtype dtype, const void *data, size_t n, const double *range, double *out, uint64_t *nan);

/* Lowers `*min` and raises `*max` to take in n values of a 64-bit integer type, rounded outwards where float64 cannot
 * hold them, so that no value lies outside. Does nothing for other types, which float64 holds exactly. */
void cli_values_widen(uh_dtype dtype, const void *data, size_t n, double *min, double *max);

#endif
