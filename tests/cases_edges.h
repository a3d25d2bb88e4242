/* SPDX-License-Identifier: Apache-2.0 */
/* Axes that are tried: the paper's families, and every kind of edges that might lead a map astray. Made from their
 * number alone, without any of the library's code. */
#ifndef TEST_CASES_EDGES_H
#define TEST_CASES_EDGES_H

#include <stddef.h>

#include <unihist/base.h>

struct case_axis {
    char name[64];
    uh_dtype dtype;
    void *edges; /* owned, freed by case_axis_free */
    size_t nedges;
};

/* How many axes there are. */
size_t case_axis_count(void);

/* Makes axis `number`; returns 0, or -1 without memory. Those of many bins, which take long, come last. */
int case_axis_make(size_t number, struct case_axis *axis);

/* Makes the axis of a name; -1 also if no axis has it. */
int case_axis_find(const char *name, struct case_axis *axis);

void case_axis_free(struct case_axis *axis);

#endif
