/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels for allocations above a device's plain_allocation. Intel's compiler addresses such memory differently, which
 * costs kernels of Xe-LP up to half as many instructions again (perf/isa.py). So a module is built a second
 * time, when one of its kernels first gets such memory. */
#pragma once

#include "runtime/backend.h"

/* Copies the source of a SPIR-V module, if its device has such allocations. */
uh_status uhi_module_keep_source(const char *call, uh_module *module, const struct uhi_module_source *source);

/* Returns the kernel, not owned, of the same name and module that takes any allocation, built on first request; the
 * kernel itself if it takes any, or is of a native binary, whose maker chose. Lives as long as the module. Any thread
 * may call it. Errors as uh_module_create's. */
uh_status uhi_kernel_wide(const char *call, const uh_kernel *kernel, const uh_kernel **wide);
