/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/random/random.h"
#define JOIN_(a, b) a##_##b
#define JOIN(a, b)  JOIN_(a, b)
extern const struct uhi_random_host JOIN(uhi_random_host, UH_ISA);
const struct uhi_random_host JOIN(uhi_random_host, UH_ISA) = {0};
