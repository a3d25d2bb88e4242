/* SPDX-License-Identifier: Apache-2.0 */
/* Host functions of one x86-64 level; each type is compiled separately. */
#include "kernels/meanshift/meanshift.h"

#define JOIN_(a, b) a##_##b
#define JOIN(a, b)  JOIN_(a, b)
#define SUM(type)   JOIN(uhi_meanshift_sum_##type, UH_ISA)
#define HOST_TABLE  JOIN(uhi_meanshift_host, UH_ISA)

extern void SUM(f32)(const struct uhi_summing *s, size_t from, size_t to);
extern void SUM(f64)(const struct uhi_summing *s, size_t from, size_t to);
extern const struct uhi_meanshift_host HOST_TABLE;
const struct uhi_meanshift_host HOST_TABLE = {SUM(f32), SUM(f64)};
