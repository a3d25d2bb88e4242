/* SPDX-License-Identifier: Apache-2.0 */
#include <iconv.h>
#include <string.h>

#include "api/cli/options.h"

static int read_character(const char *option, const char *text, const char *expected, int *to) {
    static const struct {
        const char *word;
        int character;
    } words[] = {{"comma", ','}, {"semicolon", ';'},    {"tab", '\t'},
                 {"\\t", '\t'},  {"blank", CLI_BLANKS}, {"none", CLI_SINGLE}};
    if (!text)
        return 0;
    *to = text[1] ? CLI_FOUND : (unsigned char)*text;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(text, words[i].word) == 0)
            *to = words[i].character;
    /* Digits, signs and quotes are parts of cells. */
    const int wrong = *to < 0 || *to > 126 || strchr("0123456789+-\"\r", *to);
    return wrong || (expected && !strchr(expected, *to))
               ? cli_usage("--%s '%.40s': expected %s", option, text,
                           expected ? "one of the characters in the help" : "a character, or a word of the help")
               : 0;
}

int cli_text_options_read(struct cli_arguments *arguments) {
    struct cli_dialect *dialect = &arguments->dialect;
    *dialect = CLI_DIALECT_FOUND;
    if (arguments->header && arguments->no_header)
        return cli_usage("--header and --no-header exclude each other");
    if (arguments->comment && arguments->no_comment)
        return cli_usage("--comment and --no-comment exclude each other");
    if (arguments->header || arguments->no_header)
        dialect->header = arguments->header;
    if (arguments->no_comment)
        dialect->comment = 0;
    if (arguments->command->which != CLI_INTEGRATE)
        dialect->skip = arguments->skip.value;
    dialect->na = arguments->na;
    dialect->encoding = arguments->encoding;
    if (arguments->encoding) {
        iconv_t made = iconv_open("UTF-8", arguments->encoding);
        if (made == (iconv_t)-1)
            return cli_usage("--encoding '%.40s': expected a name that 'iconv -l' lists", arguments->encoding);
        iconv_close(made);
    }
    if (read_character("delimiter", arguments->delimiter, NULL, &dialect->separator) ||
        read_character("comment", arguments->comment, NULL, &dialect->comment) ||
        read_character("decimal", arguments->decimal, ".,", &dialect->decimal) ||
        read_character("thousands", arguments->thousands, ",.'_ ", &dialect->thousands))
        return -1;
    if (dialect->thousands && dialect->thousands == dialect->decimal)
        return cli_usage("--decimal and --thousands are both '%c'", dialect->decimal);
    if (dialect->thousands == ',' && dialect->decimal == CLI_FOUND)
        dialect->decimal = '.';
    if (dialect->thousands == '.' && dialect->decimal == CLI_FOUND)
        dialect->decimal = ',';
    return 0;
}
