/* SPDX-License-Identifier: Apache-2.0 */
#include <emmintrin.h>
#include <stdio.h>
#include <string.h>

#include "api/cli/input/csv.h"
#include "api/cli/input/number.h"

static int is_separator(char c, char separator) {
    if (separator == CLI_BLANKS)
        return csv_is_blank(c);
    return separator != CLI_ANY ? c == separator : c == ',' || c == ';' || csv_is_blank(c);
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

static enum csv_state next_state(enum csv_state state, char c, struct csv_syntax syntax) {
    const char separator = syntax.separator;
    if (state == CSV_COMMENT)
        return CSV_COMMENT;
    if (state == CSV_QUOTED)
        return c == '"' ? CSV_QUOTE : CSV_QUOTED;
    if (state == CSV_LINE && c == syntax.comment && c)
        return CSV_COMMENT;
    if (state == CSV_LINE && csv_is_blank(c) && (c == ' ' || separator != '\t'))
        return CSV_LINE;
    if (state != CSV_PLAIN && c == '"')
        return CSV_QUOTED;
    if (state == CSV_FIELD && csv_is_blank(c) && c != separator)
        return CSV_FIELD;
    return is_separator(c, separator) ? CSV_FIELD : CSV_PLAIN;
}

/* Stores the places of the separators in 16 bytes, as many as are wanted. */
static inline size_t store_cuts(struct csv_cuts *cuts, size_t stored, size_t offset, unsigned mask) {
    for (; mask && stored < cuts->wanted; mask &= mask - 1)
        cuts->at[stored++] = (uint32_t)(offset + (size_t)__builtin_ctz(mask));
    return stored;
}

const char *csv_line_scan(const char *text, const char *end, char separator, struct csv_cuts *cuts) {
    const __m128i newline = _mm_set1_epi8('\n'), quote = _mm_set1_epi8('"'), wanted = _mm_set1_epi8(separator);
    const char *begin = text;
    size_t count = 0, stored = 0;
    while (end - text >= 16) {
        __m128i found = _mm_setzero_si128();
        /* A byte counts up to 255 vectors. */
        for (int i = 0; i < 255 && end - text >= 16; i++, text += 16) {
            const __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)text);
            const unsigned lines = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, newline));
            const unsigned quotes = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, quote));
            const unsigned before = lines ? (lines & -lines) - 1 : 0xffff;
            const __m128i equal = _mm_cmpeq_epi8(bytes, wanted);
            if (quotes & before)
                return NULL;
            unsigned last = (unsigned)_mm_movemask_epi8(equal) & before;
            if (stored < cuts->wanted)
                stored = store_cuts(cuts, stored, (size_t)(text - begin), last);
            if (!lines) {
                found = _mm_sub_epi8(found, equal);
                continue;
            }
            for (; last; last &= last - 1)
                count++;
            found = _mm_sad_epu8(found, _mm_setzero_si128());
            cuts->n = count + (size_t)_mm_cvtsi128_si64(found) + (size_t)_mm_extract_epi16(found, 4);
            return text + __builtin_ctz(lines);
        }
        found = _mm_sad_epu8(found, _mm_setzero_si128());
        count += (size_t)_mm_cvtsi128_si64(found) + (size_t)_mm_extract_epi16(found, 4);
    }
    return NULL;
}

const char *csv_line_walk(const char *text, const char *end, char separator, struct csv_cuts *cuts) {
    size_t n = 0;
    for (const char *p = text;; p++) {
        p = csv_skip_blanks(p, end, separator);
        if (p < end && *p == '"') {
            const char *quote = p;
            do {
                for (p = quote + 1; p < end && *p != '"' && *p != '\n';)
                    p++;
                if (p == end || *p == '\n')
                    return NULL;
                quote = p + 1;
            } while (quote < end && *quote == '"');
        }
        while (p < end && *p != separator && *p != '\n')
            p++;
        if (p == end)
            return NULL;
        if (*p == '\n') {
            cuts->n = n;
            return p;
        }
        if (n < cuts->wanted)
            cuts->at[n] = (uint32_t)(p - text);
        n++;
    }
}

const char *csv_line_end(const char *text, const char *end, struct csv_syntax syntax, enum csv_state *state) {
    const char *stop = *state == CSV_LINE && text < end ? memchr(text, '\n', (size_t)(end - text)) : NULL;
    if (stop && !memchr(text, '"', (size_t)(stop - text)))
        return stop;
    for (const char *p = text; p < end; p++) {
        if (*p == '\n' && *state != CSV_QUOTED) {
            *state = CSV_LINE;
            return p;
        }
        *state = next_state(*state, *p, syntax);
    }
    return NULL;
}

enum csv_line csv_line_kind(struct csv_text line, struct csv_syntax syntax) {
    const char *end = line.text + line.length;
    const char *p = csv_skip_blanks(line.text, end, syntax.separator == '\t' ? '\t' : '\0');
    return p == end ? CSV_BLANK : syntax.comment && *p == syntax.comment ? CSV_COMMENTED : CSV_DATA;
}

int csv_line_may_be_row(struct csv_text line, char mark) {
    const char *at = mark ? memchr(line.text, mark, line.length) : NULL;
    return at && ++at < line.text + line.length && !csv_is_blank(*at) && *at != mark;
}

int csv_line_field(const char **at, const char *end, char separator, struct csv_text *field) {
    if (!*at)
        return 0;
    const char *begin = csv_skip_blanks(*at, end, separator == CLI_BLANKS ? '\0' : separator);
    const char *p = field_end(begin, end, separator);
    *field = csv_text_to(begin, p);
    if (separator == CLI_BLANKS)
        p = csv_skip_blanks(p, end, '\0');
    else if (p < end)
        p++;
    else
        p = NULL;
    *at = separator == CLI_BLANKS && p == end ? NULL : p;
    return 1;
}

struct csv_text csv_line_unquote(struct csv_text field) {
    if (field.length < 2 || field.text[0] != '"' || field.text[field.length - 1] != '"')
        return field;
    const char *end = field.text + field.length - 1;
    return csv_text_to(csv_skip_blanks(field.text + 1, end, '\0'), end);
}

size_t csv_line_find(struct csv_text line, char separator, size_t number, struct csv_text *field) {
    const char *at = line.text;
    size_t seen = 0;
    while (seen <= number && csv_line_field(&at, line.text + line.length, separator, field))
        seen++;
    return seen;
}

void csv_line_names(struct csv_text header, char separator, const char *wanted, char *list, size_t size) {
    const char *at = header.text, *end = at + header.length;
    struct csv_text field;
    size_t used = 0;
    while (csv_line_field(&at, end, separator, &field)) {
        if (wanted && !csv_line_is_named(field, wanted))
            continue;
        char text[CLI_TEXT_QUOTE];
        const struct csv_text name = csv_line_unquote(field);
        cli_text_quote(text, name.text, name.length);
        const int full = used + strlen(text) + sizeof ", , ..." > size;
        used += (size_t)snprintf(list + used, size - used, "%s%s", used ? ", " : "", full ? "..." : text);
        if (full)
            return;
    }
}

static int lower(char c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c; }

int csv_line_is_named(struct csv_text field, const char *name) {
    const struct csv_text inner = csv_line_unquote(field);
    const int quoted = inner.text != field.text;
    int how = 2;
    size_t i = 0;
    name += *name == '=';
    for (; i < inner.length && *name && lower(inner.text[i]) == lower(*name); i++, name++) {
        how = inner.text[i] == *name ? how : 1;
        if (quoted && *name == '"' && i + 1 < inner.length && inner.text[i + 1] == '"')
            i++;
    }
    return i == inner.length && !*name ? how : 0;
}
