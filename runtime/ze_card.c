/* SPDX-License-Identifier: Apache-2.0 */
/* Cards: with ZE_FLAT_DEVICE_HIERARCHY=FLAT (drivers' default since 2024) or COMBINED, a driver lists the tiles of a
 * card as devices. Their addresses and ids show which belong to one card. */
#include <string.h>

#include "runtime/device_list.h"
#include "runtime/ze.h"

/* Returns whether a listed device may be a tile: a GPU that has no tiles of its own. */
static int may_be_tile(const uh_device *device) {
    return device->properties.kind == UH_DEVICE_GPU && device->root_tile < 0 && device->properties.sockets == 1;
}

/* Intel's UUIDs of a card's tiles differ only in the last byte, which counts them from 1; the card's own ends in 0. */
static int are_tiles_by_uuid(const uh_device_properties *a, const uh_device_properties *b) {
    enum { INTEL = 0x8086, LAST = sizeof a->uuid - 1 };
    return a->vendor_id == INTEL && memcmp(a->uuid, b->uuid, LAST) == 0 && a->uuid[LAST] && b->uuid[LAST] &&
           a->uuid[LAST] != b->uuid[LAST];
}

static int is_same_card(const uh_device *a, const uh_device *b) {
    const uh_device_properties *p = &a->properties, *q = &b->properties;
    if (!may_be_tile(a) || !may_be_tile(b) || p->vendor_id != q->vendor_id || p->device_id != q->device_id)
        return 0;
    if (p->pci_address[0] && q->pci_address[0])
        return strcmp(p->pci_address, q->pci_address) == 0;
    return are_tiles_by_uuid(p, q);
}

/* Moves device `from` of the list forward to position `to`. */
static void move_forward(uh_device **devices, size_t from, size_t to) {
    uh_device *const moved = devices[from];
    memmove(&devices[to + 1], &devices[to], (from - to) * sizeof(uh_device *));
    devices[to] = moved;
}

/* Moves the other tiles of device `first`'s card after it, and numbers them. Returns the index of the next card. */
static size_t gather_tiles(struct uhi_device_list *list, size_t first) {
    uh_device **devices = list->devices;
    size_t next = first + 1;
    for (size_t i = next; i < list->count; i++)
        if (is_same_card(devices[first], devices[i])) {
            move_forward(devices, i, next);
            devices[next]->tile = (int32_t)(next - first);
            next++;
        }
    if (next > first + 1)
        devices[first]->tile = 0;
    return next;
}

void uhi_ze_number_cards(struct uhi_device_list *list, size_t from, uint32_t *card) {
    for (size_t first = from, next; first < list->count; first = next) {
        const uint32_t root = list->devices[first]->root;
        for (next = first + 1; next < list->count && list->devices[next]->root == root;)
            next++; /* tiles that the driver lists as such */
        if (next == first + 1)
            next = gather_tiles(list, first);
        for (size_t i = first; i < next; i++) {
            list->devices[i]->index = *card;
            uhi_device_list_name(list->devices[i], list->backend->name);
        }
        ++*card;
    }
}
