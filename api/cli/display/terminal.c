/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/display/terminal.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "api/cli/input/number.h"

#define LINE_SIZE (4096 * 4 + 1)

/* The variables decide in POSIX's order; setlocale is not called, so that numbers keep their point. */
static int locale_is_utf8(void) {
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (int i = 0; i < 3; i++) {
        const char *value = getenv(names[i]);
        if (!value || !*value)
            continue;
        const char *dot = strchr(value, '.');
        return dot && (strncasecmp(dot, ".utf-8", 6) == 0 || strncasecmp(dot, ".utf8", 5) == 0);
    }
    return 0;
}

size_t cli_terminal_columns(FILE *stream) {
    struct winsize size;
    return ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

static size_t find_width(void) {
    const char *columns = getenv("COLUMNS");
    const size_t width = cli_terminal_columns(stdout);
    uint64_t wanted;
    if (width)
        return width;
    return columns && cli_parse_u64(columns, 20, 1000, &wanted) == 0 ? (size_t)wanted : 80;
}

struct cli_terminal cli_terminal_look(void) {
    const char *term = getenv("TERM"), *no_color = getenv("NO_COLOR");
    const int is_terminal = isatty(STDOUT_FILENO);
    return (struct cli_terminal){
        .out = stdout,
        .width = find_width(),
        .utf8 = locale_is_utf8(),
        .colour = is_terminal && !(no_color && *no_color) && !(term && strcmp(term, "dumb") == 0),
        .is_terminal = is_terminal,
    };
}

void cli_terminal_text(const struct cli_terminal *terminal, const char *text, size_t columns, const char *end) {
    char clean[LINE_SIZE];
    cli_text_clean(clean, sizeof clean, text, columns, terminal->utf8);
    fprintf(terminal->out, "%s%s", clean, end);
}

void cli_terminal_title(const struct cli_terminal *terminal, const char *title, const char *label) {
    const size_t width = cli_text_columns(label) + 3, all = terminal->width;
    const int together = width + 4 <= all;
    if (title && *title)
        cli_terminal_text(terminal, title, together ? all - width : all,
                          !together        ? "\n"
                          : terminal->utf8 ? " · "
                                           : " - ");
    cli_terminal_style(terminal, CLI_DIM);
    cli_terminal_text(terminal, label, all, "");
    cli_terminal_end(terminal);
}

static void print_line(void *on, const char *line) {
    fprintf((FILE *)on, "%s\n", line);
}

struct cli_lines cli_terminal_lines(const struct cli_terminal *terminal) {
    return (struct cli_lines){.room = (double)terminal->width,
                              .measure = cli_text_measure,
                              .print = print_line,
                              .on = terminal->out,
                              .between = terminal->utf8 ? " · " : " | "};
}

void cli_terminal_repeat(const struct cli_terminal *terminal, const char *text, size_t count) {
    for (size_t i = 0; i < count; i++)
        fputs(text, terminal->out);
}

void cli_terminal_style(const struct cli_terminal *terminal, enum cli_style style) {
    static const char *const codes[] = {[CLI_NORMAL] = "0", [CLI_DIM] = "2", [CLI_BAR] = "36"};
    if (terminal->colour)
        fprintf(terminal->out, "\033[%sm", codes[style]);
}

void cli_terminal_end(const struct cli_terminal *terminal) {
    cli_terminal_style(terminal, CLI_NORMAL);
    fputc('\n', terminal->out);
}
