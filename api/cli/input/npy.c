/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/input/kind.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "api/cli/input/number.h"

struct span {
    const char *begin;
    size_t length;
};

/* Python literal of a header, read token by token. */
struct literal {
    const char *name;
    struct span token; /* next token: a string with its quotes, a word, another character; empty at the end */
    int open;          /* the token is an unclosed string */
    const char *end;
};

int cli_npy_is_magic(const unsigned char *bytes, size_t n) {
    return n >= CLI_NPY_MAGIC_BYTES && memcmp(bytes, CLI_NPY_MAGIC, CLI_NPY_MAGIC_BYTES) == 0;
}

/* Reads the magic string and the version, and finds the header's length including these. */
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

/* Like `sees`, but skips the token if seen. */
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
    return cli_fail("%s: the elements are %s, %s; expected bool, int8 to int64, uint8 to uint64, float16, float32 "
                    "or float64",
                    literal->name, text, what);
}

/* Reads the brackets that the token opens, with their contents. */
static struct span read_brackets(struct literal *literal) {
    const char *begin = literal->token.begin;
    int depth = 0;
    do {
        depth += sees(literal, "[") || sees(literal, "(");
        depth -= sees(literal, "]") || sees(literal, ")");
        advance_token(literal);
    } while (depth > 0 && literal->token.length > 0);
    return (struct span){begin, (size_t)(literal->token.begin - begin)};
}

static const char *kind_text(char kind) {
    static const char *const texts[][2] = {{"c", "which is complex"},        {"f", "which is a long double"},
                                           {"M", "which is a date"},         {"V", "which is structured or void"},
                                           {"SaUT", "which is a string"},    {"m", "which is a time difference"},
                                           {"O", "which are Python objects"}};
    for (size_t i = 0; kind && i < sizeof texts / sizeof *texts; i++)
        if (strchr(texts[i][0], kind))
            return texts[i][1];
    return "which is unknown";
}

struct code {
    char text[3];
    unsigned char bytes;
    uh_dtype dtype;
};

/* NumPy's codes of the accepted types. */
static const struct code codes[] = {
    {"b1", 1, UH_U8},  {"i1", 1, UH_I8},  {"i2", 2, UH_I16}, {"i4", 4, UH_I32}, {"i8", 8, UH_I64}, {"u1", 1, UH_U8},
    {"u2", 2, UH_U16}, {"u4", 4, UH_U32}, {"u8", 8, UH_U64}, {"f2", 2, UH_F32}, {"f4", 4, UH_F32}, {"f8", 8, UH_F64},
};

static int read_descr(struct literal *literal, struct cli_npy *npy) {
    struct span descr = {NULL, 0};
    if (sees(literal, "[") || sees(literal, "("))
        return refuse_descr(literal, read_brackets(literal), "which is structured");
    if (read_string(literal, &descr) != 0)
        return -1;
    struct span code = descr;
    char order = code.length > 0 ? code.begin[0] : '\0';
    if (order == '<' || order == '>' || order == '=' || order == '|') {
        code.begin++;
        code.length--;
    }
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        if (!is_text(code, codes[i].text))
            continue;
        npy->dtype = codes[i].dtype;
        npy->element_bytes = codes[i].bytes;
        npy->half = codes[i].text[0] == 'f' && codes[i].bytes == 2;
        npy->swapped = codes[i].bytes > 1 && order == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? '>' : '<');
        return 0;
    }
    return refuse_descr(literal, descr, kind_text(code.length > 0 ? code.begin[0] : '\0'));
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

int cli_npy_parse(const char *name, const unsigned char *bytes, size_t n, struct cli_npy *npy) {
    size_t header_bytes = 0;
    if (read_preamble(name, bytes, n, &header_bytes) != 0)
        return -1;
    const char *text = (const char *)bytes;
    struct literal literal = {
        .name = name, .token.begin = text + (bytes[6] == 1 ? 10 : 12), .end = text + header_bytes};
    struct cli_npy found = {.data_offset = header_bytes};
    advance_token(&literal);
    if (!take_token(&literal, "{"))
        return fail_literal(&literal, "a dict");
    if (read_pairs(&literal, &found) != 0)
        return -1;
    if (literal.token.length)
        return fail_literal(&literal, "nothing after the dict");
    uint64_t data_bytes;
    if (__builtin_mul_overflow(found.count, (uint64_t)found.element_bytes, &data_bytes) ||
        data_bytes > INT64_MAX - found.data_offset)
        return cli_fail("%s: malformed .npy header: the shape is of more elements than a file can have", name);
    *npy = found;
    return 0;
}

/* ---- elements ---------------------------------------------------------------------------------------------------- */

/* Callers pass a constant `bytes`, so that no inner loop is left. */
static inline void swap(unsigned char *data, size_t n, size_t bytes) {
    for (size_t i = 0; i < n; i++) {
        uint64_t element = 0;
        memcpy(&element, data + i * bytes, bytes);
        element = __builtin_bswap64(element) >> (64 - 8 * bytes);
        memcpy(data + i * bytes, &element, bytes);
    }
}

void cli_convert_swap(void *data, size_t n, size_t element_bytes) {
    switch (element_bytes) {
    case 2: swap(data, n, 2); break;
    case 4: swap(data, n, 4); break;
    case 8: swap(data, n, 8); break;
    default: break;
    }
}

/* A binary16's exponent and fraction, moved to their places in binary32, are its value times 2^-112, including
 * subnormal numbers; the product with 2^112 is exact. Infinity and NaN have the largest exponent in both. */
void cli_convert_half(const uint16_t *half, float *single, size_t n) {
    for (size_t i = 0; i < n; i++) {
        uint32_t magnitude = (uint32_t)(half[i] & 0x7fff) << 13;
        uint32_t sign = (uint32_t)(half[i] & 0x8000) << 16;
        float scaled;
        uint32_t bits;
        memcpy(&scaled, &magnitude, sizeof scaled);
        scaled *= 0x1p112f;
        memcpy(&bits, &scaled, sizeof bits);
        bits = magnitude >= UINT32_C(0x7c00) << 13 ? magnitude | UINT32_C(0x7f800000) : bits;
        bits |= sign;
        memcpy(&single[i], &bits, sizeof bits);
    }
}
