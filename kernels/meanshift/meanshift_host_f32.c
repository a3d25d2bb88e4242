/* SPDX-License-Identifier: Apache-2.0 */
#define T        float
#define INTEGER  int32_t
#define UNSIGNED uint32_t
#define TYPE     f32
#define ROUND    0x1.8p23F
#define MANTISSA 23
#define LOWEST   UHI_MIN_F32
#define EXP2(X)  UHI_EXP2_F32(X)
#define WEIGHTS  UHI_WEIGHTS_F32
#include "kernels/meanshift/meanshift_sums.inc"
