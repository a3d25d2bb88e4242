/* SPDX-License-Identifier: Apache-2.0 */
/* Modules that several users share. */
#ifndef UHI_MODULE_H
#define UHI_MODULE_H

#include <unihist/kernel.h>

struct uhi_module_source;

/* Builds a module from a source that has been checked, but for its code: as uh_module_create. */
uh_status uhi_module_build(const char *call, uh_device *device, const struct uhi_module_source *source,
                           uh_module **module);

/* Lends the module of a program on a device, with the default options: all users of the same two share one, which is
 * built for the first and stays for those to come. The library's own programs are told apart by their addresses, and
 * their modules stay until the process ends. Where a caller has given the program (`given`) it is told apart by what it
 * holds, of which a copy is kept, so that it may change or go when the call ends; of such modules those stay that were
 * asked for last. Errors as uh_module_create_program's. Any thread may call it; one that asks for a module that another
 * thread is building waits for it. */
uh_status uhi_module_acquire(uh_device *device, const uh_program *program, int given, uh_module **module);

/* Gives a module back that uhi_module_acquire lent; NULL is allowed. Work that uses it must have ended. */
void uhi_module_release(const uh_module *module);

/* Destroys the modules of a device that nobody has at the moment. NULL: of all devices but those in a context of the
 * caller's, which may be gone, as the process does last. */
void uhi_module_destroy_idle(const uh_device *device);

#endif
