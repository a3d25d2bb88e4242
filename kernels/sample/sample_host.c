/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/sample/sample.h"
#define JOIN_(a, b) a##_##b
#define JOIN(a, b)  JOIN_(a, b)
extern const struct uhi_sample_host JOIN(uhi_sample_host, UH_ISA);
const struct uhi_sample_host JOIN(uhi_sample_host, UH_ISA) = {0};
