/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures in builds without cairo: each is refused. */
#include "api/cli/display/display.h"
#include "api/cli/output/output.h"

int cli_display_check(const char *path) {
    return cli_output_check(path, NULL, CLI_PICTURE_NAMES)
               ? -1
               : cli_fail("cannot draw to '%s': this command was built without cairo", path);
}

int cli_display_write(const char *path, __attribute__((unused)) const struct cli_result *result,
                      __attribute__((unused)) enum cli_heat_scale scale) {
    return cli_display_check(path);
}

int cli_display_integral(const char *path, __attribute__((unused)) const struct cli_integral *found) {
    return cli_display_check(path);
}

int cli_display_clusters(__attribute__((unused)) FILE *file, const char *path,
                         __attribute__((unused)) const struct cli_cloud *cloud) {
    return cli_display_check(path);
}
