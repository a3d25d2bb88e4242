/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/display/bars_parts.h"

#include "api/cli/display/plot_text.h"

#define USUAL_WIDTH 80
#define LINE_SIZE   (4096 * 4 + 1)

struct cli_bars cli_bars_begin(FILE *out, size_t width, size_t min, size_t max, int utf8, int colour) {
    width = width > 0 ? width : USUAL_WIDTH;
    return (struct cli_bars){out, width < min ? min : width > max ? max : width, utf8, colour};
}

void cli_bars_line(const struct cli_bars *bars, const char *text) {
    char clean[LINE_SIZE];
    cli_text_clean(clean, sizeof clean, text, bars->width, bars->utf8);
    fprintf(bars->out, "%s\n", clean);
}

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
