/* SPDX-License-Identifier: Apache-2.0 */
/* The arrays of one call, as operations name them to the frame. */
#ifndef UHI_OPERANDS_H
#define UHI_OPERANDS_H

#include "kernels/common/values.h"

enum { UHI_MAX_INPUTS = 9 }; /* the coordinates of as many axes as there may be, and weights */

struct uhi_operand {
    const char *argument; /* as messages name it */
    struct uhi_values x;
    size_t size; /* of a value, in bytes */
};

struct uhi_operands {
    size_t n; /* elements of each array; more than 0 */
    size_t inputs;
    struct uhi_operand in[UHI_MAX_INPUTS];
    struct uhi_operand out; /* results, side by side; size 0: none */
};

#endif
