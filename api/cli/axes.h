/* SPDX-License-Identifier: Apache-2.0 */
/* What --edges, --bins, --range, --method, --distribution and --leaf ask for: each once for all axes, or once an axis.
 */
#ifndef CLI_AXES_H
#define CLI_AXES_H

#include <stddef.h>
#include <stdint.h>

#include <unihist/histogram.h>

#include "api/cli/bins.h"
#include "api/cli/error.h"
#include "api/cli/options.h"

/* Words of an option that is given once an axis, or once for all. */
struct cli_words {
    size_t n;
    char *word[UH_MAX_AXES]; /* owned */
};

/* Adds the words that commas divide; `option` is the option's name, for messages. 0, -1 or CLI_USAGE with a message. */
int cli_words_add(struct cli_words *words, const char *option, const char *text, struct cli_error *error);

void cli_words_free(struct cli_words *words);

enum cli_axes_option {
    CLI_AXES_EDGES,
    CLI_AXES_BINS,
    CLI_AXES_RANGE,
    CLI_AXES_METHOD,
    CLI_AXES_DISTRIBUTION,
    CLI_AXES_OPTIONS
};

/* Zero it, set options, settle, free. */
struct cli_axes {
    struct cli_words words[CLI_AXES_OPTIONS];
    uint32_t leaf_bins; /* 0 where --leaf is not given */

    size_t n; /* of what is settled: */
    struct cli_bins bins[UH_MAX_AXES];
    uh_method methods[UH_MAX_AXES];
    uh_axis *axis[UH_MAX_AXES]; /* owned; NULL until it is made */
};

/* Takes one of these options; what cannot be right is refused before any input is opened. 0, -1 or CLI_USAGE with a
 * message. */
int cli_axes_set(struct cli_axes *axes, enum cli_option_id id, const char *value, struct cli_error *error);

/* Checks what is given together, and finds out, for `naxes` axes, the bins and method of each; edges are at least
 * `min_edges`. 0, -1 or CLI_USAGE with a
 * message. */
int cli_axes_settle(struct cli_axes *axes, size_t naxes, size_t min_edges, int right, struct cli_error *error);

/* Frees everything; may be called at any stage. */
void cli_axes_free(struct cli_axes *axes);

#endif
