/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures in builds without cairo: each is refused. */
#include "api/cli/display/display.h"
#include "api/cli/output/output.h"

int cli_display_check(const char *path, struct cli_error *error) {
    return cli_output_check(path, CLI_PICTURE_NAMES, error)
               ? -1
               : cli_fail(error, "cannot draw to '%s': this command was built without cairo", path);
}

int cli_display_write(const char *path, const struct cli_result *result, enum cli_heat_scale scale,
                      struct cli_error *error) {
    (void)result;
    (void)scale;
    return cli_display_check(path, error);
}

int cli_display_integral(const char *path, const struct cli_integral *found, struct cli_error *error) {
    (void)found;
    return cli_display_check(path, error);
}

int cli_display_clusters(FILE *file, const char *path, const struct cli_cloud *cloud, struct cli_error *error) {
    (void)file;
    (void)cloud;
    return cli_display_check(path, error);
}
