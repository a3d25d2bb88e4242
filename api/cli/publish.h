/* SPDX-License-Identifier: Apache-2.0 */
/* Output of a finished histogram: its contents as a result, and the result in files and on standard output. Files come
 * first: if one cannot be written, nothing has been shown yet. */
#pragma once

#include "api/cli/job.h"
#include "api/cli/output/output.h"

/* Memory that a result borrows; zero-initialize. */
struct cli_contents {
    void *cells; /* all columns */
    char *title;
    struct cli_estimates estimates;
    char plan[UH_MAX_AXES][512]; /* one line per axis, for callers that fill it; longer ones are cut */
};

/* Returns the inputs' names as a title: "a.npy", "a.npy, b.npy", "a.npy and 7 more", followed by the name of the
 * weights or samples in parentheses; the caller frees it. */
char *cli_publish_title(const struct cli_arguments *arguments);

/* Checks before any work that the files of -o, which ends in one of `names` (CLI_OUTPUT_...), and -p can be written. */
int cli_publish_check_files(const struct cli_arguments *arguments, const char *names);

/* Checks that a histogram over `naxes` axes can be shown as requested; `subject` begins the messages about the axes
 * ("'a.uh' has"). */
int cli_publish_check(const struct cli_arguments *arguments, size_t naxes, uh_storage storage, const char *subject);

/* Fills the parts of `result` known from the job's histogram and the options: title, axes, cells, storage, flows and
 * totals; of one axis estimates; densities and running sums if requested. Leaves names, plans and the like unchanged.
 * The histogram and the contents must outlive the result; free the contents with cli_contents_free, also after a
 * failure. */
int cli_publish_collect(const struct cli_job *job, struct cli_contents *contents, struct cli_result *result);

/* Draws the result, and prints it unless it goes to a file and standard output is no terminal. */
int cli_publish_show(const struct cli_arguments *arguments, const struct cli_result *result);
int cli_publish(const struct cli_arguments *arguments, const struct cli_result *result);

void cli_contents_free(struct cli_contents *contents);

/* If the queue's device is a combined one, prints one line per part with its work. */
void cli_stats_print_shares(const uh_queue *queue);
