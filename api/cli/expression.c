/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/compile.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/cli/input/number.h"

/* Maximum nesting of parentheses, signs and powers. */
#define MAX_DEPTH 200

/* Text before and after the expression. */
#define BEGIN                                                                                                          \
    "#include <unihist/integrand.h>\n\n"                                                                               \
    "static void expression(const UH_REAL *x, UH_REAL *value, UH_GLOBAL const void *state) {\n"                        \
    "    value[0] = "
#define END ";\n}\n\nUH_INTEGRAND(expression, %zu, 1, void)\n"

static const char *const functions[] = {
    " sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh exp exp2 expm1 log log2 log10 log1p sqrt cbrt fabs "
    "floor ceil round trunc erf erfc tgamma lgamma ",
    " pow atan2 fmin fmax fmod fdim hypot copysign "};

/* Binary operators, from the loosest to the tightest; a longer one precedes its own prefix. */
static const char *const operators[][7] = {{"||"}, {"&&"}, {"<=", ">=", "==", "!=", "<", ">"}, {"+", "-"}, {"*", "/"}};
enum { LEVELS = sizeof operators / sizeof *operators, COMPARING = 2 };

struct reader {
    const char *begin, *at;
    char *text;
    size_t used, room;
    size_t dims, coordinates; /* `dims` 0: any number */
    int depth;
};

static int choice(struct reader *r);
static int sign(struct reader *r);

/* Inserts text before the output written from `to` on. */
static int insert_text(struct reader *r, size_t to, const char *what, size_t length) {
    if (r->used + length + 1 > r->room) {
        r->room = 2 * (r->used + length + 1);
        r->text = cli_have(realloc(r->text, r->room));
    }
    memmove(r->text + to + length, r->text + to, r->used - to);
    memcpy(r->text + to, what, length);
    r->used += length;
    r->text[r->used] = '\0';
    return 0;
}

static int append(struct reader *r, const char *what) { return insert_text(r, r->used, what, strlen(what)); }

static int wrap(struct reader *r, size_t from, const char *before, const char *after) {
    return insert_text(r, from, before, strlen(before)) || append(r, after) ? -1 : 0;
}

static const char *skip_blanks(struct reader *r) {
    r->at += strspn(r->at, " \t\r\n");
    return r->at;
}

static int take_token(struct reader *r, const char *token) {
    const size_t length = strlen(token);
    if (strncmp(skip_blanks(r), token, length) != 0)
        return 0;
    r->at += length;
    return 1;
}

static int fail_at(struct reader *r, const char *at, size_t length, const char *why) {
    char quoted[CLI_TEXT_QUOTE];
    cli_text_quote(quoted, at, length);
    return cli_usage("expression, character %zu: %s %s", (size_t)(at - r->begin) + 1, length ? quoted : "the end", why);
}

static int fail_here(struct reader *r, const char *why) {
    const char *at = skip_blanks(r);
    const size_t name = strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    return fail_at(r, at, name ? name : *at != '\0', why);
}

static int enter_level(struct reader *r) {
    return ++r->depth > MAX_DEPTH ? fail_here(r, "is too deep, expected fewer parentheses and signs in each other") : 0;
}

static int number(struct reader *r) {
    const char *from = r->at, *at = from;
    double value;
    at += strspn(at, "0123456789");
    at += *at == '.';
    at += strspn(at, "0123456789");
    if (*at == 'e' || *at == 'E') {
        const char *digits = at + 1 + (at[1] == '-' || at[1] == '+');
        at = isdigit((unsigned char)*digits) ? digits + strspn(digits, "0123456789") : at;
    }
    const size_t length = (size_t)(at - from);
    if (cli_parse_double(from, length, &value))
        return fail_at(r, from, length, "is outside the range of float64");
    r->at = at;
    /* C would read a whole number as an integer. */
    const int whole = strspn(from, "0123456789") == length;
    return insert_text(r, r->used, from, length) || (whole && append(r, ".0")) ? -1 : 0;
}

static size_t arguments_of(const char *name, size_t length) {
    char word[16];
    if (length + 3 > sizeof word)
        return 0;
    snprintf(word, sizeof word, " %.*s ", (int)length, name);
    return strstr(functions[0], word) ? 1 : strstr(functions[1], word) ? 2 : 0;
}

static int call(struct reader *r, const char *name, size_t length) {
    const size_t wanted = arguments_of(name, length);
    if (!wanted)
        return fail_at(r, name, length, "is not a function; --help lists them");
    if (insert_text(r, r->used, name, length) || append(r, "("))
        return -1;
    for (size_t i = 0; i < wanted; i++)
        if ((i > 0 &&
             (!take_token(r, ",") ? fail_here(r, "found, expected ',' and another argument") : append(r, ", "))) ||
            choice(r))
            return -1;
    return take_token(r, ")") ? append(r, ")") : fail_here(r, "found, expected ')' after the function's arguments");
}

/* Returns the number of the coordinate, at least UH_INTEGRATE_MAX_DIMS if it is invalid. */
static size_t coordinate_of(const char *name, size_t length) {
    if (length == 1)
        return *name >= 'x' && *name <= 'z' ? (size_t)(*name - 'x') : UH_INTEGRATE_MAX_DIMS;
    if (*name != 'x' || length > 3 || strspn(name + 1, "0123456789") < length - 1 || (length == 3 && name[1] == '0'))
        return UH_INTEGRATE_MAX_DIMS;
    return strtoul(name + 1, NULL, 10);
}

static int named(struct reader *r) {
    const char *name = r->at;
    size_t length = 0;
    char text[16];
    while (isalnum((unsigned char)name[length]) || name[length] == '_')
        length++;
    r->at += length;
    if (take_token(r, "("))
        return call(r, name, length);
    if (length == 2 && memcmp(name, "pi", 2) == 0)
        return append(r, "3.14159265358979323846");
    const size_t coordinate = coordinate_of(name, length);
    if (coordinate >= UH_INTEGRATE_MAX_DIMS)
        return fail_at(r, name, length,
                       arguments_of(name, length) ? "is a function, expected '(' after it"
                                                  : "is unknown, expected x0 to x19, x, y, z, pi or a function");
    if (r->dims && coordinate >= r->dims)
        return cli_usage("expression, character %zu: coordinate %.*s exceeds the box, which has %zu %s",
                         (size_t)(name - r->begin) + 1, (int)length, name, r->dims, r->dims == 1 ? "axis" : "axes");
    r->coordinates = coordinate + 1 > r->coordinates ? coordinate + 1 : r->coordinates;
    snprintf(text, sizeof text, "x[%zu]", coordinate);
    return append(r, text);
}

static int operand(struct reader *r) {
    const unsigned char c = (unsigned char)*skip_blanks(r);
    if (isdigit(c) || (c == '.' && isdigit((unsigned char)r->at[1])))
        return number(r);
    if (isalpha(c) || c == '_')
        return named(r);
    if (!take_token(r, "("))
        return fail_here(r, "found, expected a number, a name or '('");
    if (append(r, "(") || choice(r))
        return -1;
    return take_token(r, ")") ? append(r, ")") : fail_here(r, "found, expected an operator or ')'");
}

static int power(struct reader *r) {
    const size_t from = r->used;
    if (operand(r))
        return -1;
    if (!take_token(r, "^"))
        return 0;
    return append(r, ", ") || sign(r) ? -1 : wrap(r, from, "pow(", ")");
}

static int sign(struct reader *r) {
    const size_t from = r->used;
    if (enter_level(r))
        return -1;
    const int result = take_token(r, "-")   ? sign(r) || wrap(r, from, "(-", ")") ? -1 : 0
                       : take_token(r, "+") ? sign(r)
                                            : power(r);
    r->depth--;
    return result;
}

static const char *take_operator(struct reader *r, size_t level) {
    const char *const *op = operators[level];
    while (*op && !take_token(r, *op))
        op++;
    return *op;
}

/* Comparisons yield numbers, not C's integers. */
static int between(struct reader *r, size_t level) {
    const size_t from = r->used;
    const char *op;
    int several = 0;
    if (level == LEVELS)
        return sign(r);
    if (between(r, level + 1))
        return -1;
    while ((op = take_operator(r, level))) {
        const char *logical = level < COMPARING ? " != 0" : "";
        if (level == COMPARING && several)
            return fail_at(r, r->at - strlen(op), strlen(op), "compares a comparison; join two by &&");
        if (append(r, logical) || append(r, " ") || append(r, op) || append(r, " ") || between(r, level + 1) ||
            append(r, logical) || (level <= COMPARING && wrap(r, from, "((UH_REAL)(", "))")))
            return -1;
        several = 1;
    }
    return 0;
}

static int choice(struct reader *r) {
    const size_t from = r->used;
    int result = enter_level(r) ? -1 : between(r, 0);
    if (result == 0 && take_token(r, "?")) {
        result = append(r, " != 0 ? ") || choice(r) ? -1 : 0;
        if (result == 0 && !take_token(r, ":"))
            result = fail_here(r, "found, expected ':' and an alternative");
        if (result == 0)
            result = append(r, " : ") || choice(r) || wrap(r, from, "(", ")") ? -1 : 0;
    }
    r->depth--;
    return result;
}

char *cli_expression_text(const char *expression, size_t *dims) {
    struct reader r = {.begin = expression, .at = expression, .dims = *dims};
    char end[sizeof END + 20];
    int result = append(&r, BEGIN) || choice(&r) ? -1 : 0;
    if (result == 0 && *skip_blanks(&r))
        result = fail_here(&r, "found, expected an operator or the end");
    *dims = *dims ? *dims : r.coordinates ? r.coordinates : 1;
    snprintf(end, sizeof end, END, *dims);
    if (result == 0 && append(&r, end) == 0)
        return r.text;
    free(r.text);
    return NULL;
}
