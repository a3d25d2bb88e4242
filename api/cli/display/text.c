/* SPDX-License-Identifier: Apache-2.0 */
#define _XOPEN_SOURCE 700 /* newlocale, wcwidth */
#include "api/cli/display/text.h"

#include <inttypes.h>
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>

int cli_text_count(char text[CLI_TEXT_COUNT_SIZE], uint64_t count) {
    int length = snprintf(text, CLI_TEXT_COUNT_SIZE, "%" PRIu64, count);
    for (int comma = length - 3; comma > 0; comma -= 3, length++) {
        memmove(text + comma + 1, text + comma, (size_t)(length - comma) + 1);
        text[comma] = ',';
    }
    return length;
}

/* Reads one character of UTF-8, whatever the locale; returns its bytes. `columns`: what it takes on a terminal, -1
 * where it cannot be shown or is none. */
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
    size_t used = 0, width = 0, cut = 0; /* where the ellipsis goes if the rest does not fit */
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

double cli_text_measure(void *on, const char *text) {
    (void)on;
    return (double)cli_text_columns(text);
}

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

void cli_lines_end(struct cli_lines *lines) {
    if (lines->used)
        lines->print(lines->on, lines->line);
    lines->used = 0;
}
