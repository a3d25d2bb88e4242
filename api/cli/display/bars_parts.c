/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/display/bars_parts.h"

void cli_bars_repeat(const struct cli_bars *bars, const char *text, size_t count) {
    for (size_t i = 0; i < count; i++)
        fputs(text, bars->out);
}

void cli_bars_paint(const struct cli_bars *bars) {
    if (bars->colour)
        fputs("\033[36m", bars->out);
}

void cli_bars_dim(const struct cli_bars *bars) {
    if (bars->colour)
        fputs("\033[2m", bars->out);
}

void cli_bars_normal(const struct cli_bars *bars) {
    if (bars->colour)
        fputs("\033[0m", bars->out);
}
