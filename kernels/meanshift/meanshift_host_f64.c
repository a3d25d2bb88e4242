/* SPDX-License-Identifier: Apache-2.0 */
#define T        double
#define INTEGER  int64_t
#define UNSIGNED uint64_t
#define TYPE     f64
#define ROUND    0x1.8p52
#define MANTISSA 52
#define LOWEST   UHI_MIN_F64
#define EXP2(X)  UHI_EXP2_F64(X)
#define WEIGHTS  SIZE_MAX
#include "kernels/meanshift/meanshift_sums.inc"
