/* SPDX-License-Identifier: Apache-2.0 */
/* How the examples treat failures: they say what it is, and end. */
#include <stdio.h>
#include <stdlib.h>

#include <unihist/unihist.h>

static void check(uh_status status) {
    if (status != UH_SUCCESS) {
        fprintf(stderr, "%s: %s\n", uh_status_name(status), uh_last_error());
        exit(1);
    }
}
