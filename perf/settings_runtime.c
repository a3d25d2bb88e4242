/* SPDX-License-Identifier: Apache-2.0 */
#include "perf/settings_runtime.h"

#include <stdio.h>
#include <string.h>

static const char help[] =
    "Usage: unihist-perf runtime [OPTION...]\n"
    "Measure the host's time for small jobs on a device through the runtime, and by bare Level Zero calls that\n"
    "do the same in order: what the runtime adds. On the host device there is nothing to compare with.\n\n"
    "  --device NAME       a device as unihist devices lists it; default: the first GPU, or the host\n"
    "  --jobs LIST         launch, copy, copy-usm, fill, event, build, disk, memory, or all (the default)\n"
    "  --batch N           jobs that are submitted and timed at once, before they are waited for; default: 100.\n"
    "                      With more than 127 in flight a queue waits for the device\n"
    "  --check             fail where a launch takes more than a fifth and more than a microsecond longer than\n"
    "                      by bare calls\n" PERF_OPTION_HELP;

void perf_runtime_help(void) {
    fputs(help, stdout);
}

enum { OPTION_DEVICE = PERF_OPTION_OWN, OPTION_JOBS, OPTION_BATCH, OPTION_CHECK };

static const struct option option_rows[] = {{"device", required_argument, NULL, OPTION_DEVICE},
                                            {"jobs", required_argument, NULL, OPTION_JOBS},
                                            {"batch", required_argument, NULL, OPTION_BATCH},
                                            {"check", no_argument, NULL, OPTION_CHECK},
                                            PERF_OPTION_ROWS};

static const struct {
    const char *name, *text;
} jobs[PERF_JOB_COUNT] = {
    [PERF_JOB_LAUNCH] = {"launch", "launch of a kernel that does nothing, group size and arguments set"},
    [PERF_JOB_RELAUNCH] = {"relaunch", "the same with group size and arguments left as they are"},
    [PERF_JOB_COPY] = {"copy", "copy of 4 KiB from plain host memory to the device"},
    [PERF_JOB_COPY_USM] = {"copy-usm", "copy of 4 KiB from the device's host memory to the device"},
    [PERF_JOB_FILL] = {"fill", "fill of 4 KiB on the device"},
    [PERF_JOB_EVENT] = {"event", "launch with an event, wait for it, end of the event"},
    [PERF_JOB_BUILD] = {"build", "module from SPIR-V that nobody has built yet"},
    [PERF_JOB_DISK] = {"disk", "module that another process has built; bare: from the native binary"},
    [PERF_JOB_MEMORY] = {"memory", "module that this process has built; bare: from the native binary"},
};

const char *perf_job_name(enum perf_job job) {
    return jobs[job].name;
}

const char *perf_job_text(enum perf_job job) {
    return jobs[job].text;
}

static int take_job(const char *option, const char *text, void *user, struct perf_error *error) {
    int *wanted = user, found = 0;
    for (int job = 0; job < PERF_JOB_RELAUNCH; job++)
        if (strcmp(text, "all") == 0 || strcmp(text, jobs[job].name) == 0)
            wanted[job] = found = 1;
    if (found)
        return PERF_OK;
    return perf_usage(error, "%s has '%s', expected launch, copy, copy-usm, fill, event, build, disk, memory or all",
                      option, text);
}

static int take_option(struct runtime_settings *settings, int code, char **argv, struct perf_error *error) {
    double number = 0;
    int status;
    switch (code) {
    case OPTION_DEVICE: settings->device = optarg; return PERF_OK;
    case OPTION_JOBS:
        memset(settings->job, 0, sizeof settings->job);
        return perf_parse_list("--jobs", optarg, take_job, settings->job, error);
    case OPTION_BATCH:
        status = perf_parse_number("--batch", optarg, 1, PERF_JOB_BATCH_MAX, 1, &number, error);
        settings->batch = (size_t)number;
        return status;
    case OPTION_CHECK: settings->check = 1; return PERF_OK;
    default: return perf_take_option(&settings->common, code, argv, error);
    }
}

int perf_runtime_settings(struct runtime_settings *settings, int argc, char **argv, struct perf_error *error) {
    *settings = (struct runtime_settings){.common = PERF_OPTIONS_DEFAULT, .batch = 100};
    int status = take_job("--jobs", "all", settings->job, error), code;
    opterr = 0;
    while (status == PERF_OK && (code = getopt_long(argc, argv, ":h", option_rows, NULL)) != -1)
        status = take_option(settings, code, argv, error);
    if (status == PERF_OK && !settings->common.help && optind < argc)
        status = perf_usage(error, "'%s' is not expected, all is told by options; see --help", argv[optind]);
    return status;
}
