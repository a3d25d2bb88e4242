/* SPDX-License-Identifier: Apache-2.0 */
/* How long memory takes over one message, by the addresses of its lanes. */
#ifndef PERF_MODEL_BANKS_H
#define PERF_MODEL_BANKS_H

#include <stddef.h>
#include <stdint.h>

/* Lanes and words of a message, at most: 32 lanes of 5 words. */
enum { MODEL_LANES = 32, MODEL_WORDS = 5, MODEL_BANKS = 64 };

/* Cycles in which `banks` banks (at most MODEL_BANKS) of 4-byte words, a word each a cycle, serve that many lanes (at
 * most MODEL_LANES), each of which has `words` words (at most MODEL_WORDS) from its address on; addresses in bytes,
 * multiples of 4. Lanes that read the same word have it together; with `atomic` one has it after the other. 0 for no
 * lanes. */
uint32_t model_bank_cycles(const uint32_t *address, size_t lanes, uint32_t words, int atomic, uint32_t banks);

/* How many different cache lines the words of that many lanes are in. */
uint32_t model_lines(const uint32_t *address, size_t lanes, uint32_t words, uint32_t line_bytes);

/* How often the word that most lanes have comes up among them. */
uint32_t model_most_equal(const uint32_t *address, size_t lanes);

#endif
