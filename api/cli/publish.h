/* SPDX-License-Identifier: Apache-2.0 */
/* What becomes of a finished histogram: its contents as a result, and the result in files and on standard output. Files
 * come first: where one cannot be written, nothing has been shown yet. */
#ifndef CLI_PUBLISH_H
#define CLI_PUBLISH_H

#include "api/cli/error.h"
#include "api/cli/job.h"
#include "api/cli/output/output.h"

/* What a result borrows; zero it before. */
struct cli_contents {
    void *cells; /* all columns */
    char *title;
    struct cli_estimates estimates;
    char plan[UH_MAX_AXES][512]; /* a line an axis, for those who fill it; what is longer is cut */
};

/* Returns the inputs' names as a title: "a.npy", "a.npy, b.npy", "a.npy and 7 more", and the name of the weights or
 * samples behind them in brackets. NULL when out of memory; the caller frees it. */
char *cli_publish_title(const struct cli_arguments *arguments);

/* Checks that files of the names behind -o, which ends in one of `names` (CLI_OUTPUT_...), and -p can be written,
 * before any work. 0, or -1 with a message. */
int cli_publish_check_files(const struct cli_arguments *arguments, const char *names, struct cli_error *error);

/* Checks that a histogram over so many axes can be shown as it is asked for; `subject` begins what is said of the axes
 * ("'a.uh' has"). 0, or -1 with a message. */
int cli_publish_check(const struct cli_arguments *arguments, size_t naxes, uh_storage storage, const char *subject,
                      struct cli_error *error);

/* Fills the parts of `result` that the job's histogram and the options know: the title, axes, cells, what they keep,
 * flows and totals, of one axis estimates; densities and running sums where they are asked for. Names, plans and the
 * like are left as they are. The histogram must outlive the result, and the contents, which are freed by
 * cli_contents_free, also after a failure. 0, or -1 with a message. */
int cli_publish_collect(const struct cli_job *job, struct cli_contents *contents, struct cli_result *result,
                        struct cli_error *error);

/* Draws and prints the result: unless it goes to a file and standard output is no terminal. 0, or -1 with a message. */
int cli_publish_show(const struct cli_arguments *arguments, const struct cli_result *result, struct cli_error *error);

/* Writes it, and then the same. */
int cli_publish(const struct cli_arguments *arguments, const struct cli_result *result, struct cli_error *error);

void cli_contents_free(struct cli_contents *contents);

#endif
