/* SPDX-License-Identifier: Apache-2.0 */
/* A weight for each value: a second input that is read along with the others, in pieces of whatever length these have.
 */
#ifndef CLI_WEIGHTS_H
#define CLI_WEIGHTS_H

#include <stddef.h>
#include <stdint.h>

#include <unihist/base.h>

#include "api/cli/error.h"
#include "api/cli/input/input.h"

struct cli_weights;

/* Opens FILE, or of text FILE:COLUMN. `dtype` is NULL or what raw binary holds. 0 and *out for cli_weights_close, or
 * -1.
 */
int cli_weights_open(const char *text, const char *dtype, struct cli_weights **out, struct cli_error *error);

/* The file's name. */
const char *cli_weights_name(const struct cli_weights *weights);

/* Returns 1 and how many weights there are where that is known before they are read, else 0. */
int cli_weights_count(const struct cli_weights *weights, uint64_t *count);

/* Lends the next weights, 1 to `most` of them: float32, float64, int32 or int64, as narrower integers are made. 0, or
 * -1 with a message, also where there are no more. */
int cli_weights_next(struct cli_weights *weights, size_t most, uh_dtype *dtype, const void **data, size_t *n,
                     struct cli_error *error);

/* 0 where all weights have been lent, else -1 with a message. */
int cli_weights_finish(struct cli_weights *weights, struct cli_error *error);

/* NULL is allowed. */
void cli_weights_close(struct cli_weights *weights);

#endif
