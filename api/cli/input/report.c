/* SPDX-License-Identifier: Apache-2.0 */
/* Reports of how texts were read. */
#include <inttypes.h>
#include <string.h>

#include "api/cli/input/inputs.h"

void cli_text_report_add(struct cli_text_report *report, const struct cli_csv *csv) {
    if (!csv)
        return;
    const struct cli_csv_facts *facts = &csv->facts;
    report->texts++;
    report->dialect = csv->dialect;
    report->facts.header = facts->header;
    cli_csv_facts_add(&report->facts, facts);
}

static void add_count(char text[CLI_REPORT_TEXT], uint64_t count, const char *one, const char *many) {
    if (count)
        cli_append(text, CLI_REPORT_TEXT, ", ", "%" PRIu64 " %s", count, count == 1 ? one : many);
}

const char *cli_text_describe(const struct cli_text_report *report, char text[CLI_REPORT_TEXT]) {
    const struct cli_dialect *dialect = &report->dialect;
    const struct cli_csv_facts *facts = &report->facts;
    char separator[32];
    *text = '\0';
    if (!report->texts)
        return text;
    cli_dialect_separator(dialect, separator);
    if (dialect->separator != CLI_SINGLE)
        cli_append(text, CLI_REPORT_TEXT, "", "separator %s", separator);
    if (facts->header)
        cli_append(text, CLI_REPORT_TEXT, ", ", "header in line %" PRIu64,
                   facts->header - (dialect->names_follow != 0));
    if (dialect->decimal != '.')
        cli_append(text, CLI_REPORT_TEXT, ", ", "decimal %c", dialect->decimal);
    if (strcmp(dialect->encoding, "UTF-8") != 0)
        cli_append(text, CLI_REPORT_TEXT, ", ", "encoding %.40s", dialect->encoding);
    add_count(text, facts->skipped, "line skipped", "lines skipped");
    add_count(text, facts->comments, "comment", "comments");
    add_count(text, facts->blank, "blank line", "blank lines");
    add_count(text, facts->missing, "cell missing", "cells missing");
    return text;
}
