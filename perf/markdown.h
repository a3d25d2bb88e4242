/* SPDX-License-Identifier: Apache-2.0 */
/* The head of a table in Markdown. */
#ifndef PERF_MARKDOWN_H
#define PERF_MARKDOWN_H

#include <stddef.h>
#include <stdio.h>

/* The first `words` columns are words, which begin at the left. */
static inline void perf_markdown_head(FILE *file, const char *const *columns, size_t count, size_t words) {
    fputc('\n', file);
    for (size_t i = 0; i < count; i++)
        fprintf(file, "| %s ", columns[i]);
    fputs("|\n", file);
    for (size_t i = 0; i < count; i++)
        fputs(i < words ? "|:---" : "|---:", file);
    fputs("|\n", file);
}
#define PERF_MARKDOWN_HEAD(file, words, ...)                                                                           \
    perf_markdown_head(file, (const char *const[]){__VA_ARGS__},                                                       \
                       sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *), words)

#endif
