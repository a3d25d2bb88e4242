/* SPDX-License-Identifier: Apache-2.0 */
/* The backend for Level Zero devices. */
#include "runtime/ze.h"

const struct uhi_backend uhi_backend_ze = {
    .name = "level_zero",
    .list_devices = uhi_ze_list_devices,
    .is_forked = uhi_ze_is_forked,
    .free_memory = uhi_ze_free_memory,
    .find_memory = uhi_ze_find_memory,
    .queue_create = uhi_ze_queue_create,
    .queue_destroy = uhi_ze_queue_destroy,
    .queue_wait = uhi_ze_queue_wait,
    .is_lost = uhi_ze_is_lost,
    .alloc = uhi_ze_alloc,
    .free = uhi_ze_free,
    .copy = uhi_ze_copy,
    .fill = uhi_ze_fill,
    .fill_plain = uhi_ze_fill_plain,
    .import = uhi_ze_import,
    .release = uhi_ze_release,
    .imported = uhi_ze_imported,
    .launch = uhi_ze_launch,
    .wide_option = "-ze-opt-greater-than-4GB-buffer-required",
    .module_create = uhi_ze_module_create,
    .module_destroy = uhi_ze_module_destroy,
    .module_native = uhi_ze_module_native,
    .kernel_create = uhi_ze_kernel_create,
    .kernel_destroy = uhi_ze_kernel_destroy,
    .event_wait = uhi_ze_event_wait,
    .event_destroy = uhi_ze_event_destroy,
    .event_profile = uhi_ze_event_profile,
};
