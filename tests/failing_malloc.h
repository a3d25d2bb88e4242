/* SPDX-License-Identifier: Apache-2.0 */
/* For test_*_out_of_memory.c, whose program is linked with --wrap: its calls of malloc and its kin come to
 * failing_malloc.c, and one of them fails. */
#ifndef TEST_FAILING_MALLOC_H
#define TEST_FAILING_MALLOC_H

#include <stddef.h>

/* Which allocation from now on fails, 1 for the next; 0 for none. */
extern size_t fails_at;
extern size_t seen;

#endif
