/* SPDX-License-Identifier: Apache-2.0 */
/* Vector operations of the host kernels, per x86-64 level: AVX-512 (v4), AVX2 (v3) and one element at a time (v2). A
 * file that includes this is compiled once per level.
 *
 * Two families: 32-bit elements (suffix f32, i32) with an index vector `uhi_x32`, and 64-bit elements (f64, i64)
 * with an index vector `uhi_x64` of as many 32-bit indices. Masks are `uhi_m32` and `uhi_m64`. Comparisons with NaN
 * are false. uhi_clamp_* limits to [0, high] and turns NaN into 0; uhi_limit_* limits but keeps NaN, which
 * uhi_index_* turns into 2^31. uhi_x*_any_top tests whether the top bit of any index is set, uhi_x*_any_half whether
 * any 16-bit half is equal in both, uhi_x*_any_alike whether any index has the given bits equal in both. Shifts by
 * 32 bits give 0. uhi_x*_increment adds 1 where the mask is set; uhi_x*_gather_if loads there and keeps the rest.
 * uhi_x*_load_scalar is uhi_x*_gather by one load per element: with UHI_TWO_GATHERS a separate implementation, faster
 * on many CPUs with AVX2 (see loads.h). uhi_x32_load_scalar_at does the same for elements t[words[i] >> n] of words in
 * memory, with 0 <= n < 32; it exists only with UHI_TWO_GATHERS. */
#pragma once

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
#define UHI_TWO_GATHERS     0
#define uhi_x32_load_scalar uhi_x32_gather
#define uhi_x64_load_scalar uhi_x64_gather
#endif
