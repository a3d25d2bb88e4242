/* SPDX-License-Identifier: Apache-2.0 */
/* What random numbers must be, from the definitions in <unihist/random.h> and Random123's own functions. */
#pragma once

#include <stdint.h>

#include <unihist/random.h>

#include "kernels/random/random.h"

uint32_t random_oracle_32(uh_generator generator, uint64_t seed, uint64_t stream, uint64_t i);

/* A number below `bound` (0: of all), from words of 32 or of 64 bits. */
uint64_t random_oracle_bounded(uh_generator generator, uint64_t seed, uint64_t stream, uint64_t i, uint64_t bound,
                               int bits);

/* Stores a job's element i, counted from its offset, at `to`. */
void random_oracle_store(const struct uhi_random_job *job, uint64_t i, void *to);

/* Has the library make a job's first n elements, by the public call if there is one (cases_random.c). */
uh_status random_make(uh_queue *queue, const struct uhi_random_job *job, void *out, size_t n);

/* The name of the call that random_make makes. */
const char *random_call(const struct uhi_random_job *job);
