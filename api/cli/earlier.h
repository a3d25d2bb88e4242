/* SPDX-License-Identifier: Apache-2.0 */
/* The axes of an earlier result, from a file that the command wrote: .uh, .npz, .json or .csv. */
#pragma once

#include <unihist/unihist.h>

#include "api/cli/input/number.h"

/* Free with cli_earlier_free. */
struct cli_earlier {
    size_t naxes;
    uh_axis *axis[UH_MAX_AXES]; /* owned */
};

/* What a .csv does not say, from the options; for others used only if they do not say it. */
struct cli_earlier_rule {
    uh_closed closed;
    uh_flow_bins flow_bins; /* where the outermost edges are infinite */
    int categories;         /* values are categories, even if they are successive integers */
};

/* Makes the axes from the bytes of a file. Returns 1; 0 if it is no result; -1 with a message that does not name it. */
int cli_earlier_read(const char *path, const struct cli_numbers *bytes, const struct cli_earlier_rule *rule,
                     struct cli_earlier *earlier);
uh_status cli_earlier_copy(const uh_axis *axis, uh_axis **made);

void cli_earlier_free(struct cli_earlier *earlier);
