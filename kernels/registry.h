/* SPDX-License-Identifier: Apache-2.0 */
/* For each operation NAME of registry.def:
 * uhi_NAME_host()         its table of host functions for this CPU
 * uhi_NAME_program()      NAME.cl for devices; NULL in a build for the host alone
 * uhi_NAME_f64_program()  NAME_f64.cl for devices that have fp64; NULL also where the operation has no such file */
#ifndef UHI_KERNELS_REGISTRY_H
#define UHI_KERNELS_REGISTRY_H

#include <unihist/kernel.h>

#define UH_OPERATION(op)                                                                                               \
    struct uhi_##op##_host;                                                                                            \
    const struct uhi_##op##_host *uhi_##op##_host(void);                                                               \
    const uh_program *uhi_##op##_program(void);                                                                        \
    const uh_program *uhi_##op##_f64_program(void);
#include "kernels/registry.def"
#undef UH_OPERATION

#endif
