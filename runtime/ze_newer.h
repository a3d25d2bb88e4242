/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations of current Level Zero headers that are missing in older ones, which the library also builds with. The
 * functions are optional: a loader or a driver may lack them. */
#pragma once

#include <level_zero/ze_api.h>

/* 1.15: free memory of a device. */
#ifndef ZE_DEVICE_USABLEMEM_SIZE_PROPERTIES_EXT_NAME
#define ZE_DEVICE_USABLEMEM_SIZE_PROPERTIES_EXT_NAME           "ZE_extension_device_usablemem_size_properties"
#define ZE_STRUCTURE_TYPE_DEVICE_USABLEMEM_SIZE_EXT_PROPERTIES ((ze_structure_type_t)0x00020041)

typedef struct _ze_device_usablemem_size_ext_properties_t {
    ze_structure_type_t stype;
    void *pNext;
    uint64_t currUsableMemSize;
} ze_device_usablemem_size_ext_properties_t;
#endif

/* 1.6, 1.7 and 1.8: waiting for a list, in-order lists, counter-based events. The last added the macro, which
 * identifies the headers; enumerators of headers in between are hidden by macros of the same value. */
#ifndef ZE_EVENT_POOL_COUNTER_BASED_EXP_NAME
#define ZE_EVENT_POOL_COUNTER_BASED_EXP_NAME                "ZE_experimental_event_pool_counter_based"
#define ZE_EVENT_POOL_COUNTER_BASED_EXP_VERSION_1_0         ZE_MAKE_VERSION(1, 0)
#define ZE_EVENT_POOL_COUNTER_BASED_EXP_FLAG_IMMEDIATE      ZE_BIT(0)
#define ZE_COMMAND_QUEUE_FLAG_IN_ORDER                      ZE_BIT(1)
#define ZE_STRUCTURE_TYPE_COUNTER_BASED_EVENT_POOL_EXP_DESC ((ze_structure_type_t)0x00020014)

typedef struct _ze_event_pool_counter_based_exp_desc_t {
    ze_structure_type_t stype;
    const void *pNext;
    uint32_t flags;
} ze_event_pool_counter_based_exp_desc_t;

ZE_APIEXPORT ze_result_t ZE_APICALL zeCommandListHostSynchronize(ze_command_list_handle_t hCommandList,
                                                                 uint64_t timeout);
#endif

/* 1.10: drivers by device type. Under our own name, because no macro shows which headers have it. */
#define UHI_ZE_STRUCTURE_TYPE_INIT_DRIVER_TYPE_DESC ((ze_structure_type_t)0x00020021)
enum { UHI_ZE_DRIVER_TYPE_GPU = 1 }; /* a flag */

struct uhi_ze_driver_types {
    ze_structure_type_t stype;
    const void *pNext;
    uint32_t flags;
};
