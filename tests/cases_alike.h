/* SPDX-License-Identifier: Apache-2.0 */
/* Histograms over two axes and three whose coordinates are of one type and found by one look-up, as a device counts
 * them in one launch: a part of the description of histograms over several axes. */
#ifndef TEST_CASES_ALIKE_H
#define TEST_CASES_ALIKE_H

#include "tests/description.h"

/* As the functions of struct description. */
int cases_alike_describe(size_t number, struct tried *tried);
void *cases_alike_make(size_t number, size_t n, uint64_t seed);
void cases_alike_run(struct use *use, const void *made);
void cases_alike_free(void *made);

#endif
