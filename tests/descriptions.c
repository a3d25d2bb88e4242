/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/descriptions.h"

const struct description *const descriptions[] = {&describe_histogram, &describe_histo, NULL};
