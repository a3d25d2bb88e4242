/* SPDX-License-Identifier: Apache-2.0 */
/* For each operation NAME of registry.def: uhi_NAME_host(), its table of host functions for this CPU. */
#ifndef UHI_KERNELS_REGISTRY_H
#define UHI_KERNELS_REGISTRY_H

#define UH_OPERATION(op)                                                                                               \
    struct uhi_##op##_host;                                                                                            \
    const struct uhi_##op##_host *uhi_##op##_host(void);
#include "kernels/registry.def"
#undef UH_OPERATION

#endif
