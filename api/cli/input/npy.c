/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/input/npy.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "api/cli/input/number.h"

/* How deep a literal may nest: a structured dtype in a header does, a few levels. */
#define DEPTH_LIMIT 32

/* A Python literal being read. */
struct literal {
    const char *name;
    const char *at, *end;
    struct cli_error *error;
};

struct span {
    const char *begin;
    size_t length;
};

int cli_npy_is_magic(const unsigned char *bytes, size_t n) {
    return n >= CLI_NPY_MAGIC_BYTES && memcmp(bytes, CLI_NPY_MAGIC, CLI_NPY_MAGIC_BYTES) == 0;
}

int cli_npy_header_bytes(const char *name, const unsigned char *bytes, size_t n, size_t *header_bytes,
                         struct cli_error *error) {
    if (!cli_npy_is_magic(bytes, n))
        return cli_fail(error, "%s: is not a .npy file: it does not begin with \\x93NUMPY", name);
    if (n < 8)
        return cli_fail(error, "%s: .npy header cut short: the file ends after %zu bytes", name, n);
    unsigned major = bytes[6], minor = bytes[7];
    if (major < 1 || major > 3 || minor != 0)
        return cli_fail(error, "%s: .npy format version is %u.%u, expected 1.0, 2.0 or 3.0", name, major, minor);
    size_t preamble = major == 1 ? 10 : 12;
    if (n < preamble)
        return cli_fail(error, "%s: .npy header cut short: the file ends after %zu bytes", name, n);
    size_t length = (size_t)bytes[8] | (size_t)bytes[9] << 8;
    if (major > 1)
        length |= (size_t)bytes[10] << 16 | (size_t)bytes[11] << 24;
    if (length > CLI_NPY_HEADER_LIMIT)
        return cli_fail(error, "%s: .npy header is %zu bytes long, expected at most %d", name, length,
                        CLI_NPY_HEADER_LIMIT);
    *header_bytes = preamble + length;
    return 0;
}

/* Skips blanks and tells whether `c` comes next. */
static int sees(struct literal *literal, char c) {
    while (literal->at < literal->end && (*literal->at == ' ' || (*literal->at >= '\t' && *literal->at <= '\r')))
        literal->at++;
    return literal->at < literal->end && *literal->at == c;
}

/* As `sees`, and steps over it if so. */
static int take(struct literal *literal, char c) {
    int seen = sees(literal, c);
    literal->at += seen;
    return seen;
}

static int fail(struct literal *literal, const char *what) {
    char text[CLI_TEXT_QUOTE];
    sees(literal, '\0');
    cli_text_quote(text, literal->at, (size_t)(literal->end - literal->at));
    return cli_fail(literal->error, "%s: malformed .npy header: expected %s, found %s", literal->name, what,
                    literal->at == literal->end ? "its end" : text);
}

/* Reads '...' or "...", and gives what stands between the quotes, escapes as they are. */
static int read_string(struct literal *literal, struct span *text) {
    char quote = take(literal, '\'') ? '\'' : take(literal, '"') ? '"' : '\0';
    if (!quote)
        return fail(literal, "a string");
    text->begin = literal->at;
    for (; literal->at < literal->end && *literal->at != quote; literal->at++)
        if (*literal->at == '\n' || (*literal->at == '\\' && ++literal->at == literal->end))
            break;
    if (literal->at == literal->end || *literal->at != quote)
        return fail(literal, "the closing quote of a string");
    text->length = (size_t)(literal->at - text->begin);
    literal->at++;
    return 0;
}

static int is_word(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* Reads letters and digits: a number, True, False or None. */
static int read_word(struct literal *literal, const char *what, struct span *text) {
    sees(literal, '\0');
    const char *begin = literal->at, *p = begin;
    if (p < literal->end && (*p == '-' || *p == '+'))
        p++;
    const char *digits = p;
    while (p < literal->end && is_word(*p))
        p++;
    if (p == digits)
        return fail(literal, what);
    literal->at = p;
    *text = (struct span){begin, (size_t)(p - begin)};
    return 0;
}

/* Steps over any literal. */
static int skip(struct literal *literal, int depth) {
    static const char *const brackets[] = {"()", "[]", "{}"};
    struct span ignored;
    for (size_t i = 0; i < sizeof brackets / sizeof *brackets; i++) {
        if (!take(literal, brackets[i][0]))
            continue;
        if (depth == DEPTH_LIMIT)
            return fail(literal, "fewer nested brackets");
        while (!take(literal, brackets[i][1])) {
            if (skip(literal, depth + 1) != 0)
                return -1;
            if (!take(literal, ',') && !take(literal, ':') && !sees(literal, brackets[i][1]))
                return fail(literal, "a comma or a closing bracket");
        }
        return 0;
    }
    if (sees(literal, '\'') || sees(literal, '"'))
        return read_string(literal, &ignored);
    return read_word(literal, "a value", &ignored);
}

static int refuse_descr(const struct literal *literal, struct span descr, const char *what) {
    char text[CLI_TEXT_QUOTE];
    cli_text_quote(text, descr.begin, descr.length);
    return cli_fail(literal->error,
                    "%s: the elements are %s, %s; expected bool, int8 to int64, uint8 to uint64, float16, float32 "
                    "or float64",
                    literal->name, text, what);
}

static const char *kind_text(char kind) {
    switch (kind) {
    case 'c': return "which is complex";
    case 'f': return "which is a long double";
    case 'V': return "which is structured or void";
    case 'M': return "which is a date";
    case 'm': return "which is a time difference";
    case 'O': return "which are Python objects";
    case 'S':
    case 'a':
    case 'U':
    case 'T': return "which is a string";
    default: return "which is not known";
    }
}

struct code {
    char text[3];
    unsigned char bytes;
    uh_dtype dtype;
};

/* NumPy's codes of what is accepted. */
static const struct code codes[] = {
    {"b1", 1, UH_U8},  {"i1", 1, UH_I8},  {"i2", 2, UH_I16}, {"i4", 4, UH_I32}, {"i8", 8, UH_I64}, {"u1", 1, UH_U8},
    {"u2", 2, UH_U16}, {"u4", 4, UH_U32}, {"u8", 8, UH_U64}, {"f2", 2, UH_F32}, {"f4", 4, UH_F32}, {"f8", 8, UH_F64},
};

static int read_descr(struct literal *literal, struct cli_npy *npy) {
    int structured = sees(literal, '[') || sees(literal, '(');
    struct span descr = {literal->at, 0};
    if (structured) {
        if (skip(literal, 0) != 0)
            return -1;
        descr.length = (size_t)(literal->at - descr.begin);
        return refuse_descr(literal, descr, "which is structured");
    }
    if (read_string(literal, &descr) != 0)
        return -1;
    struct span code = descr;
    char order = code.length > 0 ? code.begin[0] : '\0';
    if (order == '<' || order == '>' || order == '=' || order == '|') {
        code.begin++;
        code.length--;
    }
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        if (code.length != 2 || memcmp(code.begin, codes[i].text, 2) != 0)
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
    struct literal before = *literal;
    struct span word = {NULL, 0};
    if (read_word(literal, "True or False", &word) != 0)
        return -1;
    npy->fortran = word.length == 4 && memcmp(word.begin, "True", 4) == 0;
    if (!npy->fortran && !(word.length == 5 && memcmp(word.begin, "False", 5) == 0))
        return fail(&before, "True or False for 'fortran_order'");
    return 0;
}

/* Reads one size of the shape. Python 2 wrote some with an L after them. */
static int read_size(struct literal *literal, uint64_t *size) {
    struct literal before = *literal;
    struct span word = {NULL, 0};
    if (read_word(literal, "a size", &word) != 0)
        return -1;
    if (word.length > 1 && word.begin[word.length - 1] == 'L')
        word.length--;
    *size = 0;
    for (size_t i = 0; i < word.length; i++) {
        if (word.begin[i] < '0' || word.begin[i] > '9')
            return fail(&before, "sizes of 0 or more in 'shape'");
        if (__builtin_mul_overflow(*size, 10u, size) ||
            __builtin_add_overflow(*size, (unsigned)(word.begin[i] - '0'), size) || *size > INT64_MAX)
            return fail(&before, "sizes below 2^63 in 'shape'");
    }
    return 0;
}

static int read_shape(struct literal *literal, struct cli_npy *npy) {
    if (!take(literal, '('))
        return fail(literal, "a tuple for 'shape'");
    struct literal before = *literal;
    uint64_t count = 1;
    int overflow = 0, empty = 0, commas = 0, sizes = 0;
    npy->last = 1;
    while (!take(literal, ')')) {
        uint64_t size;
        if (read_size(literal, &size) != 0)
            return -1;
        sizes++;
        npy->last = size;
        empty |= size == 0;
        overflow |= size != 0 && __builtin_mul_overflow(count, size, &count);
        if (take(literal, ','))
            commas++;
        else if (!sees(literal, ')'))
            return fail(literal, "a comma or ')' in 'shape'");
    }
    if (sizes == 1 && commas == 0)
        return fail(&before, "a tuple for 'shape', as (3,)");
    if (overflow && !empty)
        return fail(&before, "fewer than 2^63 bytes in all for 'shape'");
    npy->count = empty ? 0 : count;
    npy->sizes = sizes;
    return 0;
}

enum key { DESCR, FORTRAN_ORDER, SHAPE, KEYS };
static const char *const key_names[KEYS] = {"descr", "fortran_order", "shape"};

/* Reads the dict's pairs, up to its closing bracket. The keys stand in any order, each once. */
static int read_pairs(struct literal *literal, struct cli_npy *npy) {
    int seen[KEYS] = {0};
    while (!take(literal, '}')) {
        struct literal before = *literal;
        struct span name = {NULL, 0};
        if (read_string(literal, &name) != 0)
            return -1;
        int key = 0;
        while (key < KEYS &&
               (strlen(key_names[key]) != name.length || memcmp(key_names[key], name.begin, name.length) != 0))
            key++;
        if (key == KEYS || seen[key])
            return fail(&before, "the keys 'descr', 'fortran_order' and 'shape', each once");
        seen[key] = 1;
        if (!take(literal, ':'))
            return fail(literal, "a colon");
        int rc = key == DESCR   ? read_descr(literal, npy)
                 : key == SHAPE ? read_shape(literal, npy)
                                : read_order(literal, npy);
        if (rc != 0)
            return -1;
        if (!take(literal, ',') && !sees(literal, '}'))
            return fail(literal, "a comma or '}'");
    }
    for (int key = 0; key < KEYS; key++)
        if (!seen[key])
            return cli_fail(literal->error, "%s: malformed .npy header: it has no '%s'", literal->name, key_names[key]);
    return 0;
}

int cli_npy_parse(const char *name, const unsigned char *bytes, size_t n, struct cli_npy *npy,
                  struct cli_error *error) {
    size_t header_bytes = 0;
    if (cli_npy_header_bytes(name, bytes, n, &header_bytes, error) != 0)
        return -1;
    if (n < header_bytes)
        return cli_fail(error, "%s: .npy header cut short: expected %zu bytes, found %zu", name, header_bytes, n);
    const char *text = (const char *)bytes;
    struct literal literal = {name, text + (bytes[6] == 1 ? 10 : 12), text + header_bytes, error};
    struct cli_npy found = {.data_offset = header_bytes};
    if (!take(&literal, '{'))
        return fail(&literal, "a dict");
    if (read_pairs(&literal, &found) != 0)
        return -1;
    sees(&literal, '\0');
    if (literal.at != literal.end)
        return fail(&literal, "nothing after the dict");
    uint64_t data_bytes;
    if (__builtin_mul_overflow(found.count, (uint64_t)found.element_bytes, &data_bytes) ||
        data_bytes > INT64_MAX - found.data_offset)
        return cli_fail(error, "%s: malformed .npy header: the shape is of %" PRIu64 " elements, too many for a file",
                        name, found.count);
    *npy = found;
    return 0;
}

/* ---- elements ---------------------------------------------------------------------------------------------------- */

static void swap16(uint16_t *data, size_t n) {
    for (size_t i = 0; i < n; i++)
        data[i] = (uint16_t)(data[i] << 8 | data[i] >> 8);
}

static void swap32(uint32_t *data, size_t n) {
    for (size_t i = 0; i < n; i++)
        data[i] = __builtin_bswap32(data[i]);
}

static void swap64(uint64_t *data, size_t n) {
    for (size_t i = 0; i < n; i++)
        data[i] = __builtin_bswap64(data[i]);
}

void cli_convert_swap(void *data, size_t n, size_t element_bytes) {
    switch (element_bytes) {
    case 2: swap16(data, n); break;
    case 4: swap32(data, n); break;
    case 8: swap64(data, n); break;
    default: break;
    }
}

/* A binary16's exponent and fraction, moved to where binary32 has them, are its value times 2^-112, subnormal numbers
 * included; the product with 2^112 is exact. Infinity and NaN have the greatest exponent of both. */
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
