/* SPDX-License-Identifier: Apache-2.0 */
/* Axes of exponential histograms, from streamed inputs. */
#include <unihist/base2.h>

#include "api/cli/bins.h"
#include "api/cli/group.h"
#include "api/cli/interrupt.h"

struct filling {
    uh_queue *queue;
    uh_base2 *base2;
};

static int fill(void *context, const uh_array *x) {
    const struct filling *filling = context;
    return CLI_INTERRUPTIBLE(filling->queue, uh_base2_fill(filling->base2, x)) ? cli_fail_library() : 0;
}

static int copy_axis(const uh_base2 *base2, uh_axis **axis) {
    uh_axis_properties known = {.struct_size = sizeof known};
    uh_histogram *histogram = NULL;
    const int failed = uh_base2_histogram(base2, &histogram) ||
                       uh_axis_get_properties(uh_histogram_axis(histogram, 0), &known) ||
                       uh_axis_create_edges(UH_F64, known.edges, known.bins + 1, known.closed, axis);
    uh_histogram_destroy(histogram);
    return failed ? cli_fail_library() : 0;
}

int cli_bins_base2(const struct cli_bins *bins, struct cli_inputs *inputs, uh_queue *queue, uh_axis **axis) {
    const uh_base2_options options = {.struct_size = sizeof options, .max_bins = bins->count};
    struct filling filling = {.queue = queue};
    if (uh_base2_create(queue, &options, &filling.base2))
        return cli_fail("--bins base2:%zu: %s", bins->count, uh_last_error_info()->text);
    int result = cli_inputs_pass(inputs, "choosing bins", fill, &filling);
    if (result == 0 && cli_group && uh_base2_exchange(filling.base2, cli_group->exchange))
        result = cli_fail_library();
    if (result == 0)
        result = copy_axis(filling.base2, axis);
    uh_base2_destroy(filling.base2);
    return result;
}
