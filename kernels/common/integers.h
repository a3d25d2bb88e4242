/* SPDX-License-Identifier: Apache-2.0 */
/* Integers of fixed widths, in C and in OpenCL C. */
#pragma once

#ifdef __OPENCL_C_VERSION__
typedef int uhi_i32;
typedef uint uhi_u32;
typedef long uhi_i64;
typedef ulong uhi_u64;
#else
#include <stdint.h>
typedef int32_t uhi_i32;
typedef uint32_t uhi_u32;
typedef int64_t uhi_i64;
typedef uint64_t uhi_u64;
#endif
