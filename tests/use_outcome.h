/* SPDX-License-Identifier: Apache-2.0 */
/* What a whole use came to, for drivers that make it fail. */
#ifndef TEST_USE_OUTCOME_H
#define TEST_USE_OUTCOME_H

#include <unihist/base.h>

struct outcome {
    uh_status status;  /* the first failure */
    char call[64];     /* of which call of the library */
    char message[512]; /* what it said */
    char wrong[300];   /* "", or the first result that is not as expected */
};

#endif
