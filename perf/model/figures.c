/* SPDX-License-Identifier: Apache-2.0 */
#include "perf/model/figures.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_ROOM = 2048, COUNT_ROOM = 1 << 12 };
#define COMPILER "# compiler "

/* Reads a number that is followed by `end` or the end of the text; moves on behind it. Returns 0 for another text.
 */
static int read_number(const char **text, char end, double *number) {
    char *after;
    *number = strtod(*text, &after);
    if (after == *text || *number < 0 || (*after != end && *after != '\0'))
        return 0;
    *text = *after ? after + 1 : after;
    return 1;
}

static int read_ways(struct model_kernel *kernel, const char *text) {
    for (kernel->ways = 0; *text && strcmp(text, "-") != 0; kernel->ways++) {
        const size_t i = kernel->ways;
        if (i == MODEL_WAYS || !read_number(&text, ':', &kernel->lookups[i]) ||
            !read_number(&text, ',', &kernel->way_slots[i]))
            return 0;
    }
    return 1;
}

/* KERNEL SIMD REGISTERS POINTS SLOTS, a number for each kind of message, WORDS WAYS. */
static int read_kernel(struct model_kernel *kernel, char *line) {
    double number[4 + MODEL_KINDS + 1];
    const size_t count = sizeof number / sizeof *number;
    char *at = strchr(line, ' ');
    if (!at || (size_t)(at - line) >= sizeof kernel->name)
        return 0;
    *at = '\0';
    memcpy(kernel->name, line, (size_t)(at - line) + 1);
    const char *text = at + 1;
    for (size_t i = 0; i < count; i++)
        if (!read_number(&text, ' ', &number[i]))
            return 0;
    kernel->lanes = (uint32_t)number[0];
    kernel->registers = (uint32_t)number[1];
    kernel->points = number[2];
    kernel->slots = number[3];
    memcpy(kernel->messages, number + 4, sizeof kernel->messages);
    kernel->words = number[count - 1];
    return kernel->lanes > 0 && kernel->lanes <= 32 && kernel->points > 0 && read_ways(kernel, text);
}

int model_figures_read(struct model_figures *figures, const char *path, struct perf_error *error) {
    char line[LINE_ROOM];
    size_t number = 0;
    int status = PERF_OK;
    *figures = (struct model_figures){.kernels = calloc(COUNT_ROOM, sizeof *figures->kernels)};
    FILE *file = fopen(path, "r");
    if (!file || !figures->kernels)
        status = perf_fail(error, "%s: %s", path, file ? "out of memory" : "cannot be opened");
    while (status == PERF_OK && fgets(line, sizeof line, file)) {
        number++;
        const size_t length = strcspn(line, "\n");
        const int whole = line[length] == '\n';
        line[length] = '\0';
        if (strncmp(line, COMPILER, strlen(COMPILER)) == 0)
            snprintf(figures->compiler, sizeof figures->compiler, "%.63s", line + strlen(COMPILER));
        else if (*line != '#' &&
                 (!whole || figures->count == COUNT_ROOM || !read_kernel(&figures->kernels[figures->count++], line)))
            status = perf_fail(error, "%s:%zu: is no line of figures, expected those of perf/isa.py --figures", path,
                               number);
    }
    if (status == PERF_OK && (ferror(file) || figures->count == 0))
        status = perf_fail(error, "%s: %s", path, ferror(file) ? "cannot be read" : "has no kernel");
    if (file)
        fclose(file);
    return status;
}

int model_figures_of(struct model_figures *figures, const char *folder, const char *device, struct perf_error *error) {
    char path[4096];
    snprintf(path, sizeof path, "%s/isa-%s.txt", folder, device);
    return model_figures_read(figures, path, error);
}

void model_figures_free(struct model_figures *figures) {
    free(figures->kernels);
}

const struct model_kernel *model_kernel_find(const struct model_figures *figures, const char *name) {
    for (size_t i = 0; i < figures->count; i++)
        if (strcmp(figures->kernels[i].name, name) == 0)
            return &figures->kernels[i];
    return NULL;
}

double model_kernel_slots(const struct model_kernel *kernel, double lookups) {
    const size_t last = kernel->ways - 1;
    const double *x = kernel->lookups, *y = kernel->way_slots;
    if (kernel->ways == 0)
        return kernel->slots;
    if (lookups <= x[0])
        return y[0];
    if (lookups >= x[last])
        return y[last] + (lookups - x[last]) * (x[last] > 0 ? y[last] / x[last] : 0);
    size_t i = 1;
    while (x[i] < lookups)
        i++;
    return y[i - 1] + (y[i] - y[i - 1]) * (lookups - x[i - 1]) / (x[i] - x[i - 1]);
}
