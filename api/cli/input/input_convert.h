/* SPDX-License-Identifier: Apache-2.0 */
/* Loops that turn stored elements into the machine's own; simple, so that the compiler makes SIMD code of them. */
#ifndef CLI_INPUT_CONVERT_H
#define CLI_INPUT_CONVERT_H

#include <stddef.h>
#include <stdint.h>

/* Reverses the bytes of each of `n` elements of 1, 2, 4 or 8 bytes, in place. `data` is aligned to the element. */
void cli_convert_swap(void *data, size_t n, size_t element_bytes);

/* Converts IEEE 754 binary16 to binary32, exactly; the payload and the sign of a NaN are kept. */
void cli_convert_half(const uint16_t *half, float *single, size_t n);

#endif
