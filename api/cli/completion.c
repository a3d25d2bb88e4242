/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/completion.h"

#include "api/cli/options_table.h"

/* A help text of several lines, in one. */
static void print_text(FILE *out, const char *text) {
    for (; *text; text++)
        fputc(*text == '\n' ? ' ' : *text, out);
    fputc('\n', out);
}

void cli_completion_print(FILE *out, const struct cli_command *command) {
    fprintf(out, "%s\t-\t-\t%s\t", command->name, command->files ? command->files : "-");
    print_text(out, command->summary);
    for (const enum cli_option_id *id = command->options; *id; id++) {
        const struct cli_option_text *text = &cli_option_texts[*id];
        const char letter[3] = {'-', text->letter, 0};
        fprintf(out, "%s\t%s\t--%s\t%s%s\t", command->name, letter, text->name, text->argument ? "=" : "-",
                text->values ? text->values : "");
        print_text(out, text->help);
    }
}
