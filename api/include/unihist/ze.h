/* SPDX-License-Identifier: Apache-2.0 */
/** @file ze.h
 * Import and export of Level Zero handles, for programs that use Level Zero (or SYCL, whose interoperability functions
 * give its handles) together with this library. It needs Level Zero's headers (Debian: libze-dev); the library itself
 * opens the loader at run time. Not part of unihist.h, and not installed if the library was built without Level Zero.
 *
 * Contexts. The library's objects and memory are in the driver's default context (zeDriverGetDefaultContext) if loader
 * and driver have one, like memory of SYCL and of Python's dpnp; otherwise in a context of its own. Pointers need no
 * wrapping: memory of uh_malloc is an allocation of the context of its device (uh_device_ze), and every array of a call
 * may be memory that the caller has allocated in the context of the call's queue: it is used in place, according to its
 * kind. Memory of another context that the library knows is UH_ERROR_INVALID_ARGUMENT. Memory of a context that it does
 * not know looks like plain host memory: use a queue that is made in that context.
 *
 * The caller keeps ownership of its context and command list. Neither may be destroyed before the queues, events,
 * modules and memory that are in it; other objects that the library has made in it are destroyed with its last
 * queue. */
#ifndef UNIHIST_ZE_H
#define UNIHIST_ZE_H

#include <level_zero/ze_api.h>
#include <unihist/gpu.h>

UH_BEGIN_C

/** Handles of a device or queue, valid as long as it. */
typedef struct uh_ze_handles {
    size_t struct_size;            /**< in: sizeof(uh_ze_handles) */
    ze_driver_handle_t driver;     /**< the device's driver */
    ze_device_handle_t device;     /**< the device, or the tile */
    ze_context_handle_t context;   /**< the context of the device's memory, modules and queues */
    ze_command_list_handle_t list; /**< of a queue, the immediate command list; of a device NULL */
} uh_ze_handles;

/** Stores the handles of a device. Any thread may call it. UH_ERROR_UNSUPPORTED for a device that is not of Level Zero,
 * such as the host; UH_ERROR_INVALID_ARGUMENT. */
UH_API uh_status uh_device_ze(const uh_device *device, uh_ze_handles *handles);

/** Stores the handles of a queue. Commands that the caller appends to the list come after the queue's earlier work only
 * if uh_queue_wait has returned since then; and the caller waits for them before giving the queue work that depends on
 * them. One thread at a time, like every call of the queue. Errors as uh_device_ze. */
UH_API uh_status uh_queue_ze(const uh_queue *queue, uh_ze_handles *handles);

/** Finds the device of a handle in a context: memory, modules and queues made with it are in that context. `context`
 * may be NULL for the library's: the device is then the listed one. The same handles give the same device, which is
 * owned by the library and lives as long as the process; it may be used while the context lives. Any thread may call
 * it. UH_ERROR_NOT_FOUND if the library does not list such a device, or has none. */
UH_API uh_status uh_device_from_ze(ze_context_handle_t context, ze_device_handle_t device, uh_device **found);

/** Makes a queue in a context of the caller's (NULL: the library's), on a device of that context. `list` is an
 * immediate command list of the two, of a compute queue group, in asynchronous mode, to which the queue submits; the
 * caller appends to it as described at uh_queue_ze. NULL: the queue makes one. `options` as for uh_queue_create; with a
 * list, `engine` must be UH_ENGINE_COMPUTE and `priority` UH_PRIORITY_NORMAL: the list has its own. The queue owns
 * neither context nor list. UH_ERROR_INVALID_ARGUMENT, UH_ERROR_NOT_FOUND as uh_device_from_ze, and errors as
 * uh_queue_create. */
UH_API uh_status uh_queue_create_from_ze(ze_context_handle_t context, ze_device_handle_t device,
                                         ze_command_list_handle_t list, const uh_queue_options *options,
                                         uh_queue **queue);

UH_END_C

#endif
