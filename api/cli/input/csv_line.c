/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "api/cli/input/csv.h"
#include "api/cli/input/number.h"

static int is_blank(char c) { return c == ' ' || c == '\t'; }

/* Returns whether `c` ends a field; any separator does while the table's is unknown. */
static int is_separator(char c, char separator) {
    if (separator == CSV_BLANKS)
        return is_blank(c);
    return separator ? c == separator : c == ',' || c == ';' || is_blank(c);
}

/* Finds the end of the field at `p`: a separator outside quotes, or `end`. */
static inline const char *field_end(const char *p, const char *end, char separator) {
    int quoted = p < end && *p == '"';
    if (quoted)
        p++;
    for (; quoted && p < end; p++)
        if (*p == '"' && (p + 1 == end || p[1] != '"'))
            quoted = 0;
        else
            p += *p == '"'; /* a doubled quote */
    while (p < end && !is_separator(*p, separator))
        p++;
    return p;
}

/* Skips blanks that are not separators. */
static const char *skip_blanks(const char *p, const char *end, char separator) {
    while (p < end && is_blank(*p) && *p != separator)
        p++;
    return p;
}

static enum csv_state next_state(enum csv_state state, char c, char separator) {
    if (state == CSV_COMMENT)
        return CSV_COMMENT;
    if (state == CSV_QUOTED)
        return c == '"' ? CSV_QUOTE : CSV_QUOTED;
    if (state == CSV_LINE && c == '#')
        return CSV_COMMENT;
    if (state == CSV_LINE && is_blank(c) && (c == ' ' || separator != '\t'))
        return CSV_LINE;
    if (state != CSV_PLAIN && c == '"')
        return CSV_QUOTED;
    if (state == CSV_FIELD && is_blank(c) && c != separator)
        return CSV_FIELD;
    return is_separator(c, separator) ? CSV_FIELD : CSV_PLAIN;
}

const char *csv_line_end(const char *text, const char *end, char separator, enum csv_state *state) {
    const char *stop = *state == CSV_LINE && text < end ? memchr(text, '\n', (size_t)(end - text)) : NULL;
    if (stop && !memchr(text, '"', (size_t)(stop - text)))
        return stop;
    for (const char *p = text; p < end; p++) {
        if (*p == '\n' && *state != CSV_QUOTED) {
            *state = CSV_LINE;
            return p;
        }
        *state = next_state(*state, *p, separator);
    }
    return NULL;
}

int csv_line_is_skipped(struct csv_text line, char separator) {
    const char *end = line.text + line.length;
    const char *p = skip_blanks(line.text, end, separator == '\t' ? '\t' : '\0');
    return p == end || *p == '#';
}

char csv_line_separator(struct csv_text line) {
    static const char order[] = {'\t', ';', ',', CSV_BLANKS, CSV_SINGLE};
    const char *p = line.text, *end = p + line.length, *first = strchr(order, CSV_SINGLE);
    p = skip_blanks(p, end, '\0');
    while (end > p && is_blank(end[-1]))
        end--;
    for (; (p = field_end(p, end, '\0')) < end; p++)
        first = strchr(order, *p) < first ? strchr(order, *p) : first;
    return *first;
}

/* Returns the text up to `end`, without trailing blanks. */
static struct csv_text text_to(const char *begin, const char *end) {
    while (end > begin && is_blank(end[-1]))
        end--;
    return (struct csv_text){begin, (size_t)(end - begin)};
}

int csv_line_field(const char **at, const char *end, char separator, struct csv_text *field) {
    if (!*at)
        return 0;
    const char *begin = skip_blanks(*at, end, separator == CSV_BLANKS ? '\0' : separator);
    const char *p = separator == CSV_SINGLE ? end : field_end(begin, end, separator);
    *field = text_to(begin, p);
    if (separator == CSV_BLANKS)
        p = skip_blanks(p, end, '\0');
    else if (p < end)
        p++;
    else
        p = NULL;
    *at = separator == CSV_BLANKS && p == end ? NULL : p;
    return 1;
}

struct csv_text csv_line_unquote(struct csv_text field) {
    if (field.length < 2 || field.text[0] != '"' || field.text[field.length - 1] != '"')
        return field;
    const char *end = field.text + field.length - 1;
    return text_to(skip_blanks(field.text + 1, end, '\0'), end);
}

size_t csv_line_find(struct csv_text line, char separator, size_t number, struct csv_text *field) {
    const char *at = line.text;
    size_t seen = 0;
    while (seen <= number && csv_line_field(&at, line.text + line.length, separator, field))
        seen++;
    return seen;
}

void csv_line_names(struct csv_text header, char separator, char *list, size_t size) {
    const char *at = header.text, *end = at + header.length;
    struct csv_text field;
    size_t used = 0;
    for (size_t i = 0; csv_line_field(&at, end, separator, &field); i++) {
        char text[CLI_TEXT_QUOTE];
        const struct csv_text name = csv_line_unquote(field);
        cli_text_quote(text, name.text, name.length);
        const int full = used + strlen(text) + sizeof ", , ..." > size;
        used += (size_t)snprintf(list + used, size - used, "%s%s", i ? ", " : "", full ? "..." : text);
        if (full)
            return;
    }
}

int csv_line_is_named(struct csv_text field, const char *name) {
    const struct csv_text inner = csv_line_unquote(field);
    const int quoted = inner.text != field.text;
    size_t i = 0;
    for (; i < inner.length && *name && inner.text[i] == *name; i++, name++)
        if (quoted && *name == '"' && i + 1 < inner.length && inner.text[i + 1] == '"')
            i++;
    return i == inner.length && !*name;
}
