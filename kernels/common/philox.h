/* SPDX-License-Identifier: Apache-2.0 */
/* One block of each generator of <unihist/random.h>, for C and OpenCL C, through Random123: the only definition of
 * counter and key. Kernels index blocks by constants; otherwise arrays are in memory. */
#pragma once

#ifdef __OPENCL_C_VERSION__
#ifndef __OPENCL_VERSION__ /* tested by Random123, not defined by clang */
#define __OPENCL_VERSION__ __OPENCL_C_VERSION__
#endif
/* Its functions pass structures, whose size llvm-spirv 14 loses when it reads SPIR-V for a CPU device: all calls
 * must be inlined. */
#define R123_STATIC_INLINE static inline __attribute__((always_inline))
#define UHI_PHILOX_INLINE  R123_STATIC_INLINE
/* Its multiplications store through a pointer, which is generic unless an address space is given. Versions with one
 * exist: for 64-bit products, and for 32-bit products in a language without 64 bits. */
#define R123_METAL_THREAD_ADDRESS_SPACE private
#include <Random123/array.h>
#undef R123_USE_64BIT
#define R123_USE_64BIT 0
#undef R123_USE_PHILOX_64BIT
#define R123_USE_PHILOX_64BIT 1
#undef R123_USE_MULHILO32_MULHI_INTRIN
#define R123_USE_MULHILO32_MULHI_INTRIN 1
#undef R123_MULHILO32_MULHI_INTRIN
#define R123_MULHILO32_MULHI_INTRIN mul_hi
#else
#define UHI_PHILOX_INLINE static inline
#endif

#include <Random123/philox.h>

/* The four words of a block: `.v[0]` to `.v[3]`. */
typedef philox4x32_ctr_t uhi_philox_block_32;
typedef philox4x64_ctr_t uhi_philox_block_64;

/* Block number `block` of UH_PHILOX4X32_10. */
UHI_PHILOX_INLINE uhi_philox_block_32 uhi_philox4x32(uint64_t seed, uint64_t stream, uint64_t block) {
    const philox4x32_ctr_t counter = {
        {(uint32_t)block, (uint32_t)(block >> 32), (uint32_t)stream, (uint32_t)(stream >> 32)}};
    const philox4x32_key_t key = {{(uint32_t)seed, (uint32_t)(seed >> 32)}};
    return philox4x32_R(10, counter, key);
}

/* Block number `block` of UH_PHILOX4X64_10. */
UHI_PHILOX_INLINE uhi_philox_block_64 uhi_philox4x64(uint64_t seed, uint64_t stream, uint64_t block) {
    const philox4x64_ctr_t counter = {{block, 0, 0, 0}};
    const philox4x64_key_t key = {{seed, stream}};
    return philox4x64_R(10, counter, key);
}

/* uint32 element i of UH_PHILOX4X32_10. */
UHI_PHILOX_INLINE uint32_t uhi_philox4x32_u32(uint64_t seed, uint64_t stream, uint64_t i) {
    const uhi_philox_block_32 block = uhi_philox4x32(seed, stream, i >> 2);
    const uint32_t even = i & 2 ? block.v[2] : block.v[0], odd = i & 2 ? block.v[3] : block.v[1];
    return i & 1 ? odd : even;
}

/* uint64 element i of UH_PHILOX4X32_10, i < 2^63. */
UHI_PHILOX_INLINE uint64_t uhi_philox4x32_u64(uint64_t seed, uint64_t stream, uint64_t i) {
    const uhi_philox_block_32 block = uhi_philox4x32(seed, stream, i >> 1);
    const uint32_t low = i & 1 ? block.v[2] : block.v[0], high = i & 1 ? block.v[3] : block.v[1];
    return (uint64_t)high << 32 | low;
}

/* uint64 element i of UH_PHILOX4X64_10. */
UHI_PHILOX_INLINE uint64_t uhi_philox4x64_u64(uint64_t seed, uint64_t stream, uint64_t i) {
    const uhi_philox_block_64 block = uhi_philox4x64(seed, stream, i >> 2);
    const uint64_t even = i & 2 ? block.v[2] : block.v[0], odd = i & 2 ? block.v[3] : block.v[1];
    return i & 1 ? odd : even;
}

/* uint32 element i of UH_PHILOX4X64_10. */
UHI_PHILOX_INLINE uint32_t uhi_philox4x64_u32(uint64_t seed, uint64_t stream, uint64_t i) {
    return (uint32_t)(uhi_philox4x64_u64(seed, stream, i >> 1) >> (i & 1) * 32);
}
