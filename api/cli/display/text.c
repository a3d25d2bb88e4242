/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/display/text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int cli_text_count(char text[CLI_TEXT_COUNT_SIZE], uint64_t count) {
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%" PRIu64, count), used = 0;
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            text[used++] = ',';
        text[used++] = digits[i];
    }
    text[used] = 0;
    return used;
}

/*
 * Reads one code point; returns its bytes, 0 where there is no valid one (Unicode 15, table 3-7: no overlong forms, no
 * surrogates, nothing above U+10FFFF).
 */
static size_t read_code_point(const char *source, uint32_t *code) {
    const unsigned char *s = (const unsigned char *)source;
    size_t length = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : s[0] < 0xf5 ? 4 : 0;
    *code = length == 1 ? s[0] : length == 2 ? s[0] & 0x1fu : length == 3 ? s[0] & 0xfu : s[0] & 7u;
    for (size_t i = 1; i < length; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return 0;
        *code = *code << 6 | (s[i] & 0x3fu);
    }
    int overlong = (length == 3 && *code < 0x800) || (length == 4 && *code < 0x10000);
    return overlong || (*code >= 0xd800 && *code < 0xe000) || *code > 0x10ffff ? 0 : length;
}

/* Returns the columns of a character on a terminal: the wide blocks of Unicode's EastAsianWidth.txt take two. */
static size_t columns_of(uint32_t code) {
    static const uint32_t wide[][2] = {{0x1100, 0x115f}, {0x2e80, 0xa4cf},   {0xac00, 0xd7a3},
                                       {0xf900, 0xfaff}, {0xfe30, 0xfe6f},   {0xff00, 0xff60},
                                       {0xffe0, 0xffe6}, {0x1f300, 0x1faff}, {0x20000, 0x3fffd}};
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++)
        if (code >= wide[i][0] && code <= wide[i][1])
            return 2;
    return 1;
}

size_t cli_text_clean(char *text, size_t size, const char *source, size_t columns, int utf8) {
    const char *ellipsis = utf8 ? "\u2026" : "...";
    size_t ellipsis_columns = utf8 ? 1 : 3, ellipsis_bytes = strlen(ellipsis);
    size_t used = 0, width = 0, cut_bytes = 0, cut_width = 0; /* where the ellipsis goes if the rest does not fit */
    for (const char *next = source ? source : ""; *next;) {
        uint32_t code;
        size_t bytes = read_code_point(next, &code);
        size_t step = bytes > 0 ? bytes : 1;
        if (bytes == 0 || code < 0x20 || (code >= 0x7f && code < 0xa0) || (bytes > 1 && !utf8)) {
            code = '?';
            bytes = 1;
        }
        if (width + ellipsis_columns <= columns && used + ellipsis_bytes < size) {
            cut_bytes = used;
            cut_width = width;
        }
        if (width + columns_of(code) > columns || used + bytes >= size) {
            int fits = cut_width + ellipsis_columns <= columns && cut_bytes + ellipsis_bytes < size;
            used = cut_bytes;
            width = cut_width;
            if (fits) {
                memcpy(text + used, ellipsis, ellipsis_bytes);
                used += ellipsis_bytes;
                width += ellipsis_columns;
            }
            break;
        }
        if (code == '?')
            text[used] = '?';
        else
            memcpy(text + used, next, bytes);
        used += bytes;
        width += columns_of(code);
        next += step;
    }
    if (size > 0)
        text[used] = 0;
    return width;
}

size_t cli_text_columns(const char *text) {
    size_t width = 0;
    while (*text) {
        uint32_t code;
        size_t bytes = read_code_point(text, &code);
        width += bytes > 0 ? columns_of(code) : 1;
        text += bytes > 0 ? bytes : 1;
    }
    return width;
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
