/* SPDX-License-Identifier: Apache-2.0 */
/* For each operation of registry.def: picks the host table compiled for this CPU's x86-64 level, and finds
 * kernels by their names. */
#include "kernels/registry.h"

#include <string.h>

#include "runtime/cpu.h"

#ifdef UNIHIST_ONE_LEVEL /* a build for this CPU's level alone */
#define UH_OPERATION(op)                                                                                               \
    extern const struct uhi_##op##_host UHI_JOIN(uhi_##op##_host, UNIHIST_ONE_LEVEL);                                  \
    const struct uhi_##op##_host *uhi_##op##_host(void) { return &UHI_JOIN(uhi_##op##_host, UNIHIST_ONE_LEVEL); }
#else
#define UH_OPERATION(op)                                                                                               \
    extern const struct uhi_##op##_host uhi_##op##_host_v2, uhi_##op##_host_v3, uhi_##op##_host_v4;                    \
    const struct uhi_##op##_host *uhi_##op##_host(void) {                                                              \
        switch (uhi_cpu_isa()) {                                                                                       \
        case UHI_ISA_V4: return &uhi_##op##_host_v4;                                                                   \
        case UHI_ISA_V3: return &uhi_##op##_host_v3;                                                                   \
        default: return &uhi_##op##_host_v2;                                                                           \
        }                                                                                                              \
    }
#endif
#include "kernels/registry.def"
#undef UH_OPERATION

const struct uhi_variant *uhi_find_variant(const struct uhi_variants *variants, const char *name) {
    for (size_t i = 0; i < variants->count; i++)
        if (strcmp(variants->variant[i].name, name) == 0)
            return &variants->variant[i];
    return NULL;
}
