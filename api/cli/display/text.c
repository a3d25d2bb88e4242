/* SPDX-License-Identifier: Apache-2.0 */
#define _XOPEN_SOURCE 700 /* newlocale, wcwidth */
#include "api/cli/display/text.h"

#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

#include "api/cli/group.h"
#include "api/cli/input/number.h"
#include "api/cli/output/atomic.h"

#define LINE_SIZE (4096 * 4 + 1)

void cli_text_group(char *number) {
    number += *number == '-';
    const size_t whole = strspn(number, "0123456789");
    for (size_t comma = whole; comma > 3;) {
        comma -= 3;
        memmove(number + comma + 1, number + comma, strlen(number + comma) + 1);
        number[comma] = ',';
    }
}

void cli_text_count(char text[CLI_TEXT_COUNT_SIZE], uint64_t count) {
    snprintf(text, CLI_TEXT_COUNT_SIZE, "%" PRIu64, count);
    cli_text_group(text);
}

void cli_text_number(char text[CLI_TEXT_COUNT_SIZE], double value, int digits, int from) {
    snprintf(text, CLI_TEXT_COUNT_SIZE, "%.*g", digits, value);
    if (fabs(value) >= from)
        cli_text_group(text);
}

int cli_text_digits(double largest, double step, int min) {
    const double ratio = fabs(largest) / step;
    return ratio > 1 && isfinite(ratio) ? (int)fmin(min + ceil(log10(ratio)), 17) : min;
}

/* Reads one UTF-8 character in any locale and returns its bytes. `columns`: its width on a terminal, -1 if it is
 * invalid or cannot be shown. */
static size_t read_character(const char *text, int *columns) {
    static locale_t utf8;
    mbstate_t state = {0};
    wchar_t character;
    if (!utf8)
        utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
    const locale_t before = utf8 ? uselocale(utf8) : (locale_t)0;
    const size_t bytes = mbrtowc(&character, text, strlen(text), &state);
    const int valid = bytes != (size_t)-1 && bytes != (size_t)-2;
    *columns = valid ? wcwidth(character) : -1;
    if (utf8)
        uselocale(before);
    return valid ? bytes : 1;
}

void cli_text_clean(char *text, size_t size, const char *source, size_t columns, int utf8) {
    const char *ellipsis = utf8 ? "…" : "...";
    const size_t dots = cli_text_columns(ellipsis);
    size_t used = 0, width = 0, cut = 0; /* position of the ellipsis if the rest does not fit */
    for (const char *next = source ? source : ""; *next;) {
        int own;
        const size_t step = read_character(next, &own);
        const int shown = own >= 0 && (step == 1 || utf8);
        const size_t bytes = shown ? step : 1;
        if (width + dots <= columns && used + strlen(ellipsis) < size)
            cut = used;
        width += shown ? (size_t)own : 1;
        if (width > columns || used + bytes >= size) {
            used = cut + (size_t)snprintf(text + cut, size - cut, "%s", dots <= columns ? ellipsis : "");
            break;
        }
        memcpy(text + used, shown ? next : "?", bytes);
        used += bytes;
        next += step;
    }
    text[used] = 0;
}

size_t cli_text_columns(const char *text) {
    size_t width = 0;
    int own;
    for (; *text; width += own < 0 ? 1 : (size_t)own)
        text += read_character(text, &own);
    return width;
}

double cli_text_measure(__attribute__((unused)) void *on, const char *text) { return (double)cli_text_columns(text); }

void cli_lines_add(struct cli_lines *lines, const char *format, ...) {
    char item[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(item, sizeof item, format, arguments);
    va_end(arguments);
    char *end = lines->line + lines->used;
    const size_t room = sizeof lines->line - lines->used;
    int length = snprintf(end, room, "%s%s", lines->used ? lines->between : "", item);
    if (lines->used && ((size_t)length >= room || lines->measure(lines->on, lines->line) > lines->room)) {
        *end = 0;
        cli_lines_end(lines);
        length = snprintf(lines->line, sizeof lines->line, "%s", item);
    }
    lines->used += (size_t)length;
}

void cli_lines_count(struct cli_lines *lines, const char *name, uint64_t count) {
    char digits[CLI_TEXT_COUNT_SIZE];
    cli_text_count(digits, count);
    cli_lines_add(lines, "%s %s", name, digits);
}

void cli_lines_number(struct cli_lines *lines, const char *name, double value, int digits, int from) {
    char number[CLI_TEXT_COUNT_SIZE];
    cli_text_number(number, value, digits, from);
    cli_lines_add(lines, "%s %s", name, number);
}

void cli_lines_end(struct cli_lines *lines) {
    if (lines->used)
        lines->print(lines->on, lines->line);
    lines->used = 0;
}

/* The variables are tried in POSIX order; setlocale is not called, so that numbers keep their decimal point. */
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

struct cli_terminal cli_terminal_detect(void) {
    const char *term = getenv("TERM"), *no_color = getenv("NO_COLOR");
    /* Open MPI gives every rank a terminal, wherever its output goes in the end. */
    const int is_terminal = isatty(STDOUT_FILENO) && !cli_group && !cli_atomic_standard_output_is_taken();
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

static void print_line(void *on, const char *line) { fprintf((FILE *)on, "%s\n", line); }

struct cli_lines cli_terminal_lines(const struct cli_terminal *terminal) {
    return (struct cli_lines){.room = (double)terminal->width,
                              .measure = cli_text_measure,
                              .print = print_line,
                              .on = terminal->out,
                              .between = terminal->utf8 ? " · " : " | "};
}

unsigned cli_terminal_code(unsigned rgb) {
    unsigned code = 0;
    for (int shift = 16; shift >= 0; shift -= 8) {
        const unsigned level = rgb >> shift & 255;
        /* The levels are 0, 95, 135, 175, 215, 255. */
        code = code * 6 + (level < 48 ? 0 : level < 115 ? 1 : (level - 35) / 40);
    }
    return 16 + code;
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
