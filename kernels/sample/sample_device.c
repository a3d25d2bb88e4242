/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/sample/sample.h"
