/* SPDX-License-Identifier: Apache-2.0 */
/* unihist merge: adds saved histograms, shows them and writes them in other forms. */
#include "api/cli/merge.h"

#include <string.h>

#include <unihist/save.h>

#include "api/cli/options.h"
#include "api/cli/publish.h"
#include "api/cli/stats.h"

static const enum cli_option_id options[] = {CLI_OPTION_DENSITY, CLI_OPTION_CUMULATIVE, CLI_OPTION_OUTPUT,
                                             CLI_OPTION_PLOT,    CLI_OPTION_HELP,       CLI_OPTION_END};

static int set_option(void *context, enum cli_option_id id, const char *value, struct cli_error *error) {
    struct cli_merge *merge = context;
    switch (id) {
    case CLI_OPTION_DENSITY: merge->density = 1; return 0;
    case CLI_OPTION_CUMULATIVE: merge->cumulative = 1; return 0;
    case CLI_OPTION_OUTPUT: merge->output = value; return 0;
    case CLI_OPTION_PLOT: merge->plot = value; return 0;
    default: return cli_fail(error, "option %d is not handled", (int)id);
    }
}

static int merge_files(struct cli_merge *merge, struct cli_error *error) {
    uh_device *host;
    if (cli_publish_check(merge->output, 1, merge->plot, error))
        return -1;
    if (uh_device_select("host", &host) || uh_queue_create(host, NULL, &merge->queue))
        return cli_fail_library(error);
    int result = cli_merge_histograms(merge, error);
    uh_queue_destroy(merge->queue);
    return result;
}

static int run(int argc, char **argv, struct cli_error *error) {
    struct cli_merge merge = {.start = cli_stats_clock()};
    int first;
    int result = cli_options_parse(&cli_merge_command, argc, argv, set_option, &merge, &first, error);
    if (result)
        return result;
    merge.paths = argv + first;
    merge.npaths = (size_t)(argc - first);
    if (merge.npaths == 0)
        return cli_usage(error, "no input; give files that 'unihist histogram -o FILE.uh' wrote (see 'unihist merge "
                                "--help')");
    for (size_t i = 0; i < merge.npaths; i++)
        if (strcmp(merge.paths[i], "-") == 0)
            return cli_usage(error, "'-': saved histograms are files, and not read from standard input");
    return merge_files(&merge, error);
}

const struct cli_command cli_merge_command = {
    "merge",
    "FILE.uh...",
    "*.uh",
    "Add saved histograms, show them and write them in other forms",
    "The files were written by 'unihist histogram -o FILE.uh' or by this command, and have\n"
    "the same bins. Their sum is what one run over all the inputs gives, to the bit. A\n"
    "single file is shown or converted. A bar chart is printed, unless -o is given and\n"
    "standard output is no terminal.\n",
    options,
    run,
};
