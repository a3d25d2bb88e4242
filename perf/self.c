/* SPDX-License-Identifier: Apache-2.0 */
/* This program in another process. */
#define _POSIX_C_SOURCE 200809L /* popen */
#include "perf/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int perf_run_self(const char *environment, const char *arguments, char **output, struct perf_error *error) {
    char command[1024], part[4096];
    size_t size = 0, got;
    int failed = 0;
    *output = NULL;
    snprintf(command, sizeof command, "%s /proc/%ld/exe %s", environment, (long)getpid(), arguments);
    fflush(NULL);
    FILE *child = popen(command, "r"); /* NOLINT(cert-env33-c): nothing in it comes from outside */
    FILE *text = open_memstream(output, &size);
    while (child && text && (got = fread(part, 1, sizeof part, child)) > 0)
        failed |= fwrite(part, 1, got, text) != got;
    const int ended = child ? pclose(child) : -1;
    failed |= !text || fclose(text);
    if (!failed && WIFEXITED(ended) && WEXITSTATUS(ended) == PERF_OK)
        return PERF_OK;
    if (*output)
        (*output)[strcspn(*output, "\n")] = '\0';
    return perf_fail(error, "another process of this program (%s %.60s...) failed: %.600s", environment, arguments,
                     *output ? *output : "");
}
