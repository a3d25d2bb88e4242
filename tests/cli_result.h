/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of what is shown share: results that are made by hand, and what is printed of them. */
#ifndef TEST_CLI_RESULT_H
#define TEST_CLI_RESULT_H

#include <stdio.h>
#include <stdlib.h>

#include "api/cli/display/display.h"
#include "tests/support.h"

/* A histogram over one axis: its bins, edges and counts, then other members. */
#define LINE(nbins, at, ...)                                                                                           \
    { .naxes = 1, .axis[0].bins = (nbins), .axis[0].edges = (at), .counts = __VA_ARGS__ }

/* Where text is printed to, as a terminal; what was printed, which ends with the unit test. */
struct printed {
    struct cli_terminal terminal;
    char *text;
    size_t size;
};

static inline void printed_begin(struct printed *printed, unsigned width, int utf8, int colour) {
    FILE *out = open_memstream(&printed->text, &printed->size);
    assert_non_null(out);
    printed->terminal = (struct cli_terminal){.out = out, .width = width, .utf8 = utf8, .colour = colour};
}

static inline char *printed_end(struct printed *printed) {
    assert_int_equal(fclose(printed->terminal.out), 0);
    return test_at_end(printed->text, free);
}

#endif
