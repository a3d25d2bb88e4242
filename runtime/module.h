/* SPDX-License-Identifier: Apache-2.0 */
/* Modules shared by several users. */
#pragma once

#include <unihist/gpu.h>

/* Returns the module, not owned, of a program on a device, with the default options. All users of the same two share
 * one module, built for the first and kept for later ones. The library's own programs are identified by address, and
 * their modules stay until the process ends. A caller's program (`given`) is identified by its contents, of which a
 * copy is kept, so it may change or be freed after the call; only the most recently requested of such modules are kept.
 * Errors as uh_module_create's. Any thread may call it; a thread waits if another is building the module. */
uh_status uhi_module_acquire(uh_device *device, const uh_program *program, int given, uh_module **module);

/* Releases a module from uhi_module_acquire; NULL is allowed. Work that uses it must have ended. */
void uhi_module_release(const uh_module *module);

/* Destroys a device's modules that have no users. NULL: those of all devices except in a caller's context, which may no
 * longer exist; called at process exit. */
void uhi_module_destroy_idle(const uh_device *device);

/* Returns the kernel, not owned, of the same name and module that takes allocations above the device's
 * plain_allocation; the kernel itself if it takes any, or is of a native binary, whose maker chose. Intel's compiler
 * addresses such memory differently, which costs kernels of Xe-LP up to half as many instructions again (perf/isa.py):
 * a module is built a second time, when one of its kernels first gets such memory. Lives as long as the module. Any
 * thread may call it. Errors as uh_module_create's. */
uh_status uhi_kernel_wide(const char *call, const uh_kernel *kernel, const uh_kernel **wide);
