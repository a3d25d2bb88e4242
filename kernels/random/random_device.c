/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/random/random.h"
