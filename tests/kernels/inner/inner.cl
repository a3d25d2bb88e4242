/* SPDX-License-Identifier: Apache-2.0 */
#include "shift.h"

__kernel void inner(__global uint *y) { y[get_global_id(0)] = shifted((uint)get_global_id(0)); }
