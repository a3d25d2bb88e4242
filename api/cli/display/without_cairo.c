/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures in builds without cairo: each is refused. */
#include "api/cli/display/display.h"
#include "api/cli/output/output.h"

int cli_display_check(const char *path) {
    return cli_output_check(path, NULL, CLI_PICTURE_NAMES)
               ? -1
               : cli_fail("cannot draw to '%s': this command was built without cairo", path);
}

int cli_display_write(const char *path, const struct cli_result *result, enum cli_heat_scale scale) {
    (void)result;
    (void)scale;
    return cli_display_check(path);
}

int cli_display_integral(const char *path, const struct cli_integral *found) {
    (void)found;
    return cli_display_check(path);
}

int cli_display_clusters(FILE *file, const char *path, const struct cli_cloud *cloud) {
    (void)file;
    (void)cloud;
    return cli_display_check(path);
}
