/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/input/csv_line.h"

#include <string.h>

static int is_blank(char c) {
    return c == ' ' || c == '\t';
}

/* Whether `c` ends a field; any separator does while it is not known which one the table has. */
static int is_separator(char c, char separator) {
    if (separator == CSV_BLANKS)
        return is_blank(c);
    return separator ? c == separator : c == ',' || c == ';' || is_blank(c);
}

/* The scan's state after one character that does not end the line. */
static enum csv_scan step(enum csv_scan state, char c, char separator) {
    switch (state) {
    case CSV_COMMENT: return CSV_COMMENT;
    case CSV_QUOTED: return c == '"' ? CSV_QUOTE_IN_QUOTED : CSV_QUOTED;
    case CSV_LINE_START:
        if (c == ' ' || (c == '\t' && separator != '\t'))
            return CSV_LINE_START;
        if (c == '#')
            return CSV_COMMENT;
        break;
    default: break;
    }
    if (c == '"' && state != CSV_PLAIN)
        return CSV_QUOTED;
    if (is_separator(c, separator) || (state == CSV_FIELD_START && is_blank(c)))
        return CSV_FIELD_START;
    return CSV_PLAIN;
}

const char *csv_line_end(const char *text, const char *end, char separator, enum csv_scan *scan) {
    enum csv_scan state = *scan;
    const char *p = text;
    for (; p < end && (*p != '\n' || state == CSV_QUOTED); p++)
        state = step(state, *p, separator);
    *scan = state;
    return p;
}

int csv_line_is_skipped(const char *text, size_t length, char separator) {
    size_t i = 0;
    while (i < length && (text[i] == ' ' || (text[i] == '\t' && separator != '\t')))
        i++;
    return i == length || text[i] == '#';
}

char csv_line_separator(const char *text, size_t length) {
    const char *end = text + length;
    int comma = 0, semicolon = 0, tab = 0, blank = 0;
    while (text < end && is_blank(*text))
        text++;
    while (end > text && is_blank(end[-1]))
        end--;
    enum csv_scan scan = CSV_FIELD_START;
    for (; text < end; text++) {
        scan = step(scan, *text, '\0');
        if (scan == CSV_QUOTED)
            continue;
        comma |= *text == ',';
        semicolon |= *text == ';';
        tab |= *text == '\t';
        blank |= *text == ' ';
    }
    return tab ? '\t' : semicolon ? ';' : comma ? ',' : blank ? CSV_BLANKS : CSV_SINGLE;
}

/* Returns what follows the closing quote of the quoted field that begins at `p`, or `end` when there is none. */
static const char *skip_quoted(const char *p, const char *end) {
    for (p++; p < end; p++) {
        if (*p != '"')
            continue;
        if (p + 1 == end || p[1] != '"')
            return p + 1;
        p++;
    }
    return end;
}

int csv_line_field(const char **at, const char *end, char separator, struct csv_field *field) {
    const char *begin = *at;
    if (!begin)
        return 0;
    while (begin < end && is_blank(*begin) && *begin != separator)
        begin++;
    if (separator == CSV_BLANKS)
        while (begin < end && is_blank(*begin))
            begin++;
    const char *p = begin;
    if (p < end && *p == '"')
        p = skip_quoted(p, end);
    if (separator == CSV_SINGLE)
        p = end;
    while (p < end && !is_separator(*p, separator))
        p++;
    const char *stop = p;
    while (stop > begin && is_blank(stop[-1]))
        stop--;
    *field = (struct csv_field){begin, (size_t)(stop - begin)};
    if (separator == CSV_BLANKS)
        while (p < end && is_blank(*p))
            p++;
    else if (p < end)
        p++;
    else
        p = NULL;
    *at = separator == CSV_BLANKS && p == end ? NULL : p;
    return 1;
}

struct csv_field csv_line_unquote(struct csv_field field, char *buffer) {
    if (field.length < 2 || field.text[0] != '"' || field.text[field.length - 1] != '"')
        return field;
    struct csv_field inner = {field.text + 1, field.length - 2};
    if (memchr(inner.text, '"', inner.length)) {
        size_t n = 0;
        for (size_t i = 0; i < inner.length; i++) {
            buffer[n++] = inner.text[i];
            if (inner.text[i] == '"' && i + 1 < inner.length && inner.text[i + 1] == '"')
                i++;
        }
        inner = (struct csv_field){buffer, n};
    }
    while (inner.length > 0 && is_blank(*inner.text)) {
        inner.text++;
        inner.length--;
    }
    while (inner.length > 0 && is_blank(inner.text[inner.length - 1]))
        inner.length--;
    return inner;
}
