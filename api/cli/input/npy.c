/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/input/kind.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct span {
    const char *begin;
    size_t length;
};

/* Python literal of a header, read token by token. */
struct literal {
    const char *name, *column;
    struct span token; /* next token: a string with its quotes, a word, another character; empty at the end */
    int open;          /* the token is an unclosed string */
    int depth;         /* of structures */
    const char *end;
};

int cli_npy_is_magic(const unsigned char *bytes, size_t n) {
    return n >= CLI_NPY_MAGIC_BYTES && memcmp(bytes, CLI_NPY_MAGIC, CLI_NPY_MAGIC_BYTES) == 0;
}

static int read_preamble(const char *name, const unsigned char *bytes, size_t n, size_t *header_bytes) {
    if (!cli_npy_is_magic(bytes, n))
        return cli_fail("%s: is not a .npy file: it does not begin with \\x93NUMPY", name);
    if (n < 8)
        return cli_fail("%s: .npy header truncated: the file ends after %zu bytes", name, n);
    unsigned major = bytes[6], minor = bytes[7];
    if (major < 1 || major > 3 || minor != 0)
        return cli_fail("%s: .npy format version is %u.%u, expected 1.0, 2.0 or 3.0", name, major, minor);
    size_t preamble = major == 1 ? 10 : 12;
    if (n < preamble)
        return cli_fail("%s: .npy header truncated: the file ends after %zu bytes", name, n);
    size_t length = (size_t)bytes[8] | (size_t)bytes[9] << 8;
    if (major > 1)
        length |= (size_t)bytes[10] << 16 | (size_t)bytes[11] << 24;
    if (length > CLI_NPY_HEADER_LIMIT)
        return cli_fail("%s: .npy header is %zu bytes long, expected at most %d", name, length, CLI_NPY_HEADER_LIMIT);
    *header_bytes = preamble + length;
    if (n < *header_bytes)
        return cli_fail("%s: .npy header truncated: expected %zu bytes, found %zu", name, *header_bytes, n);
    return 0;
}

static int is_word(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static void advance_token(struct literal *literal) {
    const char *p = literal->token.begin + literal->token.length, *end = literal->end;
    while (p < end && (*p == ' ' || (*p >= '\t' && *p <= '\r')))
        p++;
    const char *begin = p;
    const char first = p < end ? *p++ : '\0';
    literal->open = first == '\'' || first == '"';
    while (p < end && literal->open && *p != '\n') {
        literal->open = *p != first;
        p += *p == '\\' && p + 1 < end ? 2 : 1;
    }
    while (p < end && is_word(first) && is_word(*p))
        p++;
    literal->token = (struct span){begin, (size_t)(p - begin)};
}

static int fail_literal(struct literal *literal, const char *what) {
    char text[CLI_TEXT_QUOTE];
    const char *at = literal->token.begin;
    cli_text_quote(text, at, (size_t)(literal->end - at));
    return cli_fail("%s: malformed .npy header: expected %s, found %s", literal->name, what,
                    at == literal->end ? "its end" : text);
}

static int is_text(struct span span, const char *text) {
    return span.length == strlen(text) && memcmp(span.begin, text, span.length) == 0;
}

static int sees(const struct literal *literal, const char *token) { return is_text(literal->token, token); }

static int take_token(struct literal *literal, const char *token) {
    const int seen = sees(literal, token);
    if (seen)
        advance_token(literal);
    return seen;
}

/* Reads '...' or "..." and stores the text between the quotes, with escapes unchanged. */
static int read_string(struct literal *literal, struct span *text) {
    const struct span token = literal->token;
    if (token.length == 0 || (*token.begin != '\'' && *token.begin != '"'))
        return fail_literal(literal, "a string");
    if (literal->open) {
        literal->token.begin += token.length;
        return fail_literal(literal, "the closing quote of a string");
    }
    *text = (struct span){token.begin + 1, token.length - 2};
    advance_token(literal);
    return 0;
}

static int refuse_descr(const struct literal *literal, struct span descr, const char *what) {
    char text[CLI_TEXT_QUOTE];
    cli_text_quote(text, descr.begin, descr.length);
    return cli_fail("%s: the elements are %s, %s; expected bool, int8 to int64, uint8 to uint64, float16, float32, "
                    "float64 or datetime64",
                    literal->name, text, what);
}

static const char *kind_text(struct span code) {
    const char kind = code.length == 0                                 ? '\0'
                      : code.length > 1 && strchr("<>=|", *code.begin) ? code.begin[1]
                                                                       : *code.begin;
    static const char *const texts[][2] = {{"c", "which is complex"},
                                           {"f", "which is a long double"},
                                           {"M", "which is a date without a unit"},
                                           {"V", "which is structured or void"},
                                           {"SaUT", "which is a string"},
                                           {"m", "which is a time difference"},
                                           {"O", "which are Python objects"}};
    for (size_t i = 0; kind && i < sizeof texts / sizeof *texts; i++)
        if (strchr(texts[i][0], kind))
            return texts[i][1];
    return "which is unknown";
}

/* ---- fields of structures ---------------------------------------------------------------------------------------- */

/* The fields of a structure, and how they match the one requested. */
struct fields {
    const char *column; /* a number from 0 or a path, without '=' */
    uint64_t number;    /* UINT64_MAX: it is a path */
    uint64_t count;     /* fields with elements, so far */
    size_t matches[3];  /* by 0: other names, 1: differing in case, 2: equal */
    struct {
        struct span descr;
        uint64_t at;
    } match[3];
    char names[400]; /* of all, cut */
};

enum { MAX_PATH = 256, MAX_DEPTH = 16 /* of structures in each other */ };

static void add_field(struct fields *fields, const char *path, struct span descr, uint64_t at) {
    const int alike = strcasecmp(path, fields->column) == 0, same = strcmp(path, fields->column) == 0;
    const int how = same || (fields->number == fields->count && !strchr(path, '[')) ? 2 : alike;
    fields->count++;
    fields->matches[how]++;
    fields->match[how].descr = descr;
    fields->match[how].at = at;
    cli_append(fields->names, sizeof fields->names, ", ", "'%s'", path);
}

static int read_structure(struct literal *literal, struct fields *fields, const char *path, uint64_t at,
                          uint64_t *bytes);
static int read_shape(struct literal *literal, struct cli_npy *npy);

/* Reads a type: NumPy's code, or the list of a structure's fields. `*bytes`: its size. `fields`: NULL to skip it. */
static int read_type(struct literal *literal, struct fields *fields, const char *path, uint64_t at, uint64_t *bytes) {
    struct span descr = {NULL, 0};
    if (sees(literal, "["))
        return read_structure(literal, fields, path, at, bytes);
    if (read_string(literal, &descr))
        return -1;
    const size_t letter = descr.length && cli_is_byte_order(*descr.begin);
    *bytes = 0;
    if (descr.length > letter + 1) /* the number ends at the quote */
        *bytes = strtoul(descr.begin + letter + 1, NULL, 10) * (descr.begin[letter] == 'U' ? 4 : 1);
    if (*bytes == 0 || *bytes > INT32_MAX)
        return refuse_descr(literal, descr, kind_text(descr));
    if (fields && *path) /* others fill up the structure */
        add_field(fields, path, descr, at);
    return 0;
}

/* Returns the number of the element of an array that is requested, 0 if it is another field. */
static uint64_t element_of(const struct fields *fields, const char *path, uint64_t count) {
    const size_t length = strlen(path),
                 digits = strncasecmp(fields->column, path, length) == 0 && fields->column[length] == '['
                              ? strspn(fields->column + length + 1, "0123456789")
                              : 0;
    uint64_t number = 0;
    const int read = cli_number_parse(fields->column + length + 1, digits, UH_U64, &number) == CLI_NUMBER_OK;
    return read && number < count ? number : 0;
}

/* Reads the rest of a field after its name: the type and, of an array, its shape. */
static int read_field(struct literal *literal, struct fields *fields, const char *path, uint64_t at, uint64_t *bytes) {
    struct literal again = *literal;
    struct cli_npy array = {.count = 1, .sizes = -1};
    char element[MAX_PATH];
    uint64_t size;
    if (read_type(literal, NULL, "", at, bytes) ||
        (take_token(literal, ",") && sees(literal, "(") && read_shape(literal, &array)))
        return -1;
    const uint64_t number = array.sizes < 0 || !fields ? 0 : element_of(fields, path, array.count);
    snprintf(element, sizeof element, array.sizes < 0 ? "%.220s" : "%.220s[%" PRIu64 "]", path, number);
    if (fields && *path && array.count && read_type(&again, fields, element, at + number * *bytes, &size))
        return -1;
    return __builtin_mul_overflow(*bytes, array.count, bytes) || *bytes > INT32_MAX
               ? cli_fail("%s: the elements are structures of more than 2 GiB", literal->name)
               : 0;
}

static int read_structure(struct literal *literal, struct fields *fields, const char *path, uint64_t at,
                          uint64_t *bytes) {
    *bytes = 0;
    if (++literal->depth > MAX_DEPTH)
        return fail_literal(literal, "at most 16 structures in each other");
    advance_token(literal);
    while (!take_token(literal, "]")) {
        struct span name;
        char field[MAX_PATH] = "";
        uint64_t size;
        if (!take_token(literal, "("))
            return fail_literal(literal, "the fields of a structure, in brackets");
        const int titled = take_token(literal, "(");
        if (read_string(literal, &name) ||
            (titled && (!take_token(literal, ",") || read_string(literal, &name) || !take_token(literal, ")"))) ||
            !take_token(literal, ","))
            return fail_literal(literal, "the name of a field and its type");
        if (name.length)
            snprintf(field, sizeof field, "%.100s%s%.*s", path, *path ? "." : "",
                     (int)(name.length < 150 ? name.length : 150), name.begin);
        if (read_field(literal, fields, field, at + *bytes, &size))
            return -1;
        *bytes += size;
        if (!take_token(literal, ")") || (!take_token(literal, ",") && !sees(literal, "]")))
            return fail_literal(literal, "the end of a field");
    }
    literal->depth--;
    return 0;
}

static int read_fields(struct literal *literal, struct cli_npy *npy) {
    struct fields fields = {.column = literal->column ? literal->column : ""};
    const struct literal before = *literal;
    if (cli_parse_u64(fields.column, 0, UINT32_MAX, &fields.number))
        fields.number = UINT64_MAX;
    fields.column += *fields.column == '=';
    if (read_structure(literal, &fields, "", 0, &npy->item_bytes))
        return -1;
    const int how = fields.matches[2] ? 2 : 1;
    npy->structured = 1;
    npy->field = fields.match[how].at;
    if (!literal->column)
        return cli_fail("%s: the elements are structures; name a field: %s", literal->name, fields.names);
    if (fields.matches[how] > 1)
        return cli_fail("%s: several fields are named '%.100s' but for case, of %s", literal->name, fields.column,
                        fields.names);
    if (fields.matches[how] == 0)
        return cli_fail("%s: no field is named '%.100s', expected one of %s", literal->name, fields.column,
                        fields.names);
    if (cli_stored_from_code(fields.match[how].descr.begin, fields.match[how].descr.length, &npy->stored) == 0)
        return 0;
    return refuse_descr(&before, fields.match[how].descr, kind_text(fields.match[how].descr));
}

static int read_descr(struct literal *literal, struct cli_npy *npy) {
    struct span descr = {NULL, 0};
    if (sees(literal, "["))
        return read_fields(literal, npy);
    if (read_string(literal, &descr) != 0)
        return -1;
    if (cli_stored_from_code(descr.begin, descr.length, &npy->stored))
        return refuse_descr(literal, descr, kind_text(descr));
    npy->item_bytes = npy->stored.bytes;
    return 0;
}

static int read_order(struct literal *literal, struct cli_npy *npy) {
    npy->fortran = sees(literal, "True");
    if (!take_token(literal, "True") && !take_token(literal, "False"))
        return fail_literal(literal, "True or False for 'fortran_order'");
    return 0;
}

/* Reads one size of the shape, UINT64_MAX if larger. Python 2 wrote some with an L after them. */
static int read_size(struct literal *literal, uint64_t *size) {
    const struct span token = literal->token;
    const int is_long = token.length > 1 && token.begin[token.length - 1] == 'L';
    switch (cli_number_parse(token.begin, token.length - (is_long ? 1 : 0), UH_U64, size)) {
    case CLI_NUMBER_OK: break;
    case CLI_NUMBER_OUT_OF_RANGE: *size = UINT64_MAX; break;
    default: return fail_literal(literal, "sizes of 0 or more in 'shape'");
    }
    advance_token(literal);
    return 0;
}

static int read_shape(struct literal *literal, struct cli_npy *npy) {
    int empty = 0, tuple = 0;
    const struct span open = literal->token;
    if (!take_token(literal, "("))
        return fail_literal(literal, "a tuple for 'shape'");
    const struct span first = literal->token;
    npy->count = npy->last = 1;
    for (npy->sizes = 0; !take_token(literal, ")"); npy->sizes++) {
        if (read_size(literal, &npy->last) != 0)
            return -1;
        empty |= npy->last == 0;
        if (npy->last != 0 && __builtin_mul_overflow(npy->count, npy->last, &npy->count))
            npy->count = UINT64_MAX;
        if (take_token(literal, ","))
            tuple = 1;
        else if (!sees(literal, ")"))
            return fail_literal(literal, "a comma or ')' in 'shape'");
    }
    if (npy->sizes == 1 && !tuple) {
        literal->token = first;
        return fail_literal(literal, "a tuple for 'shape', as (3,)");
    }
    npy->count = empty ? 0 : npy->count;
    const size_t length = (size_t)(literal->token.begin - open.begin);
    if (length < sizeof npy->shape)
        snprintf(npy->shape, sizeof npy->shape, "%.*s", (int)length, open.begin);
    return 0;
}

enum key { DESCR, FORTRAN_ORDER, SHAPE, KEYS };
static const char *const key_names[KEYS] = {"descr", "fortran_order", "shape"};

/* Reads the dict's pairs up to its closing bracket. The keys are in any order, each once. */
static int read_pairs(struct literal *literal, struct cli_npy *npy) {
    static int (*const read_value[KEYS])(struct literal *, struct cli_npy *) = {read_descr, read_order, read_shape};
    int seen[KEYS] = {0};
    while (!take_token(literal, "}")) {
        const struct span before = literal->token;
        struct span name = {NULL, 0};
        if (read_string(literal, &name) != 0)
            return -1;
        int key = 0;
        while (key < KEYS && !is_text(name, key_names[key]))
            key++;
        if (key == KEYS || seen[key]) {
            literal->token = before;
            return fail_literal(literal, "the keys 'descr', 'fortran_order' and 'shape', each once");
        }
        seen[key] = 1;
        if (!take_token(literal, ":"))
            return fail_literal(literal, "a colon");
        if (read_value[key](literal, npy) != 0)
            return -1;
        if (!take_token(literal, ",") && !sees(literal, "}"))
            return fail_literal(literal, "a comma or '}'");
    }
    for (int key = 0; key < KEYS; key++)
        if (!seen[key])
            return cli_fail("%s: malformed .npy header: it has no '%s'", literal->name, key_names[key]);
    return 0;
}

int cli_npy_parse(const char *name, const unsigned char *bytes, size_t n, const char *column, struct cli_npy *npy) {
    size_t header_bytes = 0;
    if (read_preamble(name, bytes, n, &header_bytes) != 0)
        return -1;
    const char *text = (const char *)bytes;
    struct literal literal = {
        .name = name, .column = column, .token.begin = text + (bytes[6] == 1 ? 10 : 12), .end = text + header_bytes};
    struct cli_npy found = {.data_offset = header_bytes};
    advance_token(&literal);
    if (!take_token(&literal, "{"))
        return fail_literal(&literal, "a dict");
    if (read_pairs(&literal, &found) != 0)
        return -1;
    if (literal.token.length)
        return fail_literal(&literal, "nothing after the dict");
    uint64_t data_bytes;
    if (__builtin_mul_overflow(found.count, found.item_bytes, &data_bytes) ||
        data_bytes > INT64_MAX - found.data_offset)
        return cli_fail("%s: malformed .npy header: the shape is of more elements than a file can have", name);
    *npy = found;
    return 0;
}
