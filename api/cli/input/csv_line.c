/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/input/csv_line.h"

/* Where in a line a scan stands. */
enum scan { LINE_START, FIELD_START, PLAIN, COMMENT, QUOTED, QUOTE_IN_QUOTED };

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
static enum scan step(enum scan state, char c, char separator) {
    switch (state) {
    case COMMENT: return COMMENT;
    case QUOTED: return c == '"' ? QUOTE_IN_QUOTED : QUOTED;
    case LINE_START:
        if (c == ' ' || (c == '\t' && separator != '\t'))
            return LINE_START;
        if (c == '#')
            return COMMENT;
        break;
    default: break;
    }
    if (c == '"' && state != PLAIN)
        return QUOTED;
    if (is_separator(c, separator) || (state == FIELD_START && is_blank(c)))
        return FIELD_START;
    return PLAIN;
}

const char *csv_line_end(const char *text, const char *end, char separator, int *quoted) {
    enum scan state = LINE_START;
    for (; text < end && (*text != '\n' || state == QUOTED); text++)
        state = step(state, *text, separator);
    *quoted = state == QUOTED;
    return text < end ? text : NULL;
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
    enum scan scan = FIELD_START;
    for (; text < end; text++) {
        scan = step(scan, *text, '\0');
        if (scan == QUOTED)
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

struct csv_field csv_line_unquote(struct csv_field field) {
    if (field.length < 2 || field.text[0] != '"' || field.text[field.length - 1] != '"')
        return field;
    struct csv_field inner = {field.text + 1, field.length - 2};
    while (inner.length > 0 && is_blank(*inner.text)) {
        inner.text++;
        inner.length--;
    }
    while (inner.length > 0 && is_blank(inner.text[inner.length - 1]))
        inner.length--;
    return inner;
}
