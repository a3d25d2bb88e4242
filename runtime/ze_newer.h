/* SPDX-License-Identifier: Apache-2.0 */
/* What Level Zero's headers of today declare and older ones, which the library is built with too, do not. The functions
 * are optional: a loader may lack them, and a driver. */
#ifndef UHI_ZE_NEWER_H
#define UHI_ZE_NEWER_H

#include <level_zero/ze_api.h>

/* 1.15: how much memory a device has left. */
#ifndef ZE_DEVICE_USABLEMEM_SIZE_PROPERTIES_EXT_NAME
#define ZE_DEVICE_USABLEMEM_SIZE_PROPERTIES_EXT_NAME           "ZE_extension_device_usablemem_size_properties"
#define ZE_STRUCTURE_TYPE_DEVICE_USABLEMEM_SIZE_EXT_PROPERTIES ((ze_structure_type_t)0x00020041)

typedef struct _ze_device_usablemem_size_ext_properties_t {
    ze_structure_type_t stype;
    void *pNext;
    uint64_t currUsableMemSize;
} ze_device_usablemem_size_ext_properties_t;
#endif

#endif
