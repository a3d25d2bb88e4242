/* SPDX-License-Identifier: Apache-2.0 */
/* Reports of how texts were read. */
#include <inttypes.h>
#include <stdio.h>
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

static int add_count(char *text, int used, uint64_t count, const char *one, const char *many) {
    return count ? used + snprintf(text + used, (size_t)(CLI_REPORT_TEXT - used), "%s%" PRIu64 " %s", used ? ", " : "",
                                   count, count == 1 ? one : many)
                 : used;
}

const char *cli_text_describe(const struct cli_text_report *report, char text[CLI_REPORT_TEXT]) {
    const struct cli_dialect *dialect = &report->dialect;
    const struct cli_csv_facts *facts = &report->facts;
    char separator[32];
    int used = 0;
    *text = '\0';
    if (!report->texts)
        return text;
    cli_dialect_separator(dialect, separator);
    if (dialect->separator != CLI_SINGLE)
        used = snprintf(text, CLI_REPORT_TEXT, "separator %s", separator);
    if (facts->header)
        used += snprintf(text + used, (size_t)(CLI_REPORT_TEXT - used), "%sheader in line %" PRIu64, used ? ", " : "",
                         facts->header - (uint64_t)(dialect->names_follow != 0));
    if (dialect->decimal != '.')
        used +=
            snprintf(text + used, (size_t)(CLI_REPORT_TEXT - used), "%sdecimal %c", used ? ", " : "", dialect->decimal);
    if (strcmp(dialect->encoding, "UTF-8") != 0)
        used += snprintf(text + used, (size_t)(CLI_REPORT_TEXT - used), "%sencoding %.40s", used ? ", " : "",
                         dialect->encoding);
    used = add_count(text, used, facts->skipped, "line skipped", "lines skipped");
    used = add_count(text, used, facts->comments, "comment", "comments");
    used = add_count(text, used, facts->blank, "blank line", "blank lines");
    (void)add_count(text, used, facts->missing, "cell missing", "cells missing");
    return text;
}
