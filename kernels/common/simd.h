/* SPDX-License-Identifier: Apache-2.0 */
/* The few vector operations that the host kernels are written in, for each x86-64 level: AVX-512 (v4), AVX2 (v3) and
 * one element at a time (v2). A file that includes this is compiled once for each level.
 *
 * Two families: elements of 32 bits (suffix f32, i32) with an index vector `uhi_x32`, and elements of 64 bits (f64,
 * i64) with an index vector `uhi_x64` of as many 32-bit indices. Masks are `uhi_m32` and `uhi_m64`. Comparisons with
 * NaN are false. uhi_clamp_* limits to [0, high] and makes NaN 0; uhi_limit_* does, too, but leaves NaN, which
 * uhi_index_* makes 2^31. uhi_x*_any_top tells whether the top bit of any index is set, uhi_x*_any_half whether any
 * 16-bit half of one is the same in both, uhi_x*_any_alike whether one has the same of some bits in both. Shifts by 32
 * bits give 0. uhi_x*_increment adds 1 where the mask is set; uhi_x*_gather_if loads there, and keeps the rest.
 * uhi_x*_load_each is uhi_x*_gather by a load for each element: with UHI_TWO_GATHERS a way of its own, faster on many
 * CPUs with AVX2 (loads.h tells where). uhi_x32_load_each_at does the same for elements t[words[i] >> n] of words in
 * memory, with 0 <= n < 32; it is there with UHI_TWO_GATHERS alone. */
#ifndef UHI_SIMD_H
#define UHI_SIMD_H

#include <stdint.h>
#include <string.h>

#if defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
#include "kernels/common/simd_v4.h"
#elif defined(__AVX2__)
#include "kernels/common/simd_v3.h"
#else
#include "kernels/common/simd_v2.h"
#endif

#ifndef UHI_TWO_GATHERS
#define UHI_TWO_GATHERS   0
#define uhi_x32_load_each uhi_x32_gather
#define uhi_x64_load_each uhi_x64_gather
#endif

#endif
