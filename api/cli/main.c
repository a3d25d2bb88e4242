/* SPDX-License-Identifier: Apache-2.0 */
/* The unihist command. */
#include <stddef.h>

#include "api/cli/options.h"

static const struct cli_command *const commands[] = {
    &cli_histogram_command, &cli_bincount_command,  &cli_digitize_command, &cli_histo_command,   &cli_sample_command,
    &cli_integrate_command, &cli_meanshift_command, &cli_merge_command,    &cli_devices_command, NULL};

int main(int argc, char **argv) {
    cli_commands = commands;
    return cli_main(argc, argv);
}
