/* SPDX-License-Identifier: Apache-2.0 */
/* The subcommands, one file each. */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include "api/cli/options.h"

extern const struct cli_command cli_histogram_command;
extern const struct cli_command cli_bincount_command;
extern const struct cli_command cli_histogramdd_command;
extern const struct cli_command cli_digitize_command;
extern const struct cli_command cli_histo_command;
extern const struct cli_command cli_sample_command;
extern const struct cli_command cli_merge_command;
extern const struct cli_command cli_devices_command;

#endif
