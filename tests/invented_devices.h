/* SPDX-License-Identifier: Apache-2.0 */
/* Two devices as they describe themselves, for tests of what is chosen by that alone. */
#ifndef TEST_INVENTED_DEVICES_H
#define TEST_INVENTED_DEVICES_H

#include <unihist/device.h>

static const uh_device_properties iris_xe = {.struct_size = sizeof iris_xe,
                                             .kind = UH_DEVICE_GPU,
                                             .cores = 96,
                                             .threads = 672,
                                             .memory = UINT64_C(12) << 30,
                                             .local_memory = 65536,
                                             .max_group_size = 512,
                                             .vendor_id = 0x8086,
                                             .unified_memory = 1,
                                             .sub_group_sizes = {8, 16, 32}};

static const uh_device_properties max_1550 = {.struct_size = sizeof max_1550,
                                              .kind = UH_DEVICE_GPU,
                                              .cores = 512,
                                              .threads = 4096,
                                              .memory = UINT64_C(64) << 30,
                                              .local_memory = 131072,
                                              .max_group_size = 1024,
                                              .vendor_id = 0x8086,
                                              .fp64 = 1,
                                              .sub_group_sizes = {16, 32}};

#endif
