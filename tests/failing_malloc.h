/* SPDX-License-Identifier: Apache-2.0 */
/* For test_*out_of_memory.c, whose program is linked with --wrap: the library's calls of malloc and its kin come to
 * failing_malloc.c, and one of them fails. */
#pragma once

#include "tests/fixture.h"

/* Which allocation from now on fails, 1 for the next; 0 for none. */
extern size_t fails_at;
extern size_t seen;

/* One use of the library, and its check after each failure (NULL: none), whose own allocations do not fail. */
struct failing_use {
    uh_status (*run)(void *context);
    void (*check)(void *context);
    void *context;
    const char *says; /* in the message of every failure */
    int may_pass;     /* a use may do without an allocation */
};

/* Runs a use again and again, each time with a later allocation failing, until it needs no more of them and succeeds.
 * Returns how many uses failed; each says that there is no memory. */
size_t fail_each(const struct failing_use *use);
