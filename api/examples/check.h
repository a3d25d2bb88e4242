/* SPDX-License-Identifier: Apache-2.0 */
/* Error handling of the examples: print the error and exit. */
#include <stdio.h>
#include <stdlib.h>

#include <unihist/unihist.h>

static void check(uh_status status) {
    if (status != UH_SUCCESS) {
        fprintf(stderr, "%s: %s\n", uh_status_name(status), uh_last_error());
        exit(1);
    }
}
