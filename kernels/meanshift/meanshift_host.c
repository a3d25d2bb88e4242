/* SPDX-License-Identifier: Apache-2.0 */
/* Mean shift on the CPU, compiled once per x86-64 level. */
#include "kernels/meanshift/meanshift.h"

#include <immintrin.h>
#include <string.h>

#include "kernels/registry.h"

#define INLINE static inline __attribute__((always_inline))

/* With the address sanitizer's checks, compiling all variants takes 20 seconds: only the one for any axes is
 * compiled. */
#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define SANITIZED
#endif
#endif

/* Number of interleaved vectors. */
#if defined(__AVX512F__)
enum { WIDTH = 64, ABREAST = 3 };
#define MAX_f32 _mm512_max_ps
#define MAX_f64 _mm512_max_pd
#elif defined(__AVX2__)
enum { WIDTH = 32, ABREAST = 4 };
#define MAX_f32 _mm256_max_ps
#define MAX_f64 _mm256_max_pd
#else
enum { WIDTH = 16, ABREAST = 4 };
#define MAX_f32 _mm_max_ps
#define MAX_f64 _mm_max_pd
#endif

typedef int64_t longs __attribute__((vector_size(WIDTH)));
typedef int32_t halves __attribute__((vector_size(WIDTH / 2)));

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

UHI_HOST_TABLE(meanshift) = {sum_f32, sum_f64};
