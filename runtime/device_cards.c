/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/device_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/status.h"

/* Returns whether a device is a tile that its driver lists as a device. */
static int is_listed_tile(const uh_device *device) {
    return device->tile >= 0 && device->root_tile < 0;
}

static int is_of_same_card(const uh_device *a, const uh_device *b) {
    return is_listed_tile(a) && is_listed_tile(b) && a->backend == b->backend && a->index == b->index;
}

/* Returns the number of consecutive tiles, from device `first` on, of its card; 0 if one of them is hidden. */
static size_t count_tiles(const struct uhi_device_list *list, size_t first) {
    const uh_device *tile = list->devices[first];
    size_t tiles = 1;
    while (first + tiles < list->count && is_of_same_card(tile, list->devices[first + tiles]))
        tiles++;
    for (size_t i = list->count; i < list->count + list->hidden; i++)
        if (is_of_same_card(tile, list->devices[i]))
            return 0;
    return tiles;
}

/* Turns entry `at` of the list into a card made of the tiles after it. */
static uh_status make_card(const struct uhi_device_list *list, size_t at) {
    enum { INTEL = 0x8086 };
    uh_device *card = list->devices[at];
    const size_t tiles = card->nparts;
    uh_device **parts = calloc(tiles, sizeof(uh_device *)); /* owned by the card, which lives as long as the process */
    if (!parts)
        return uhi_fail_memory(list->call, "out of memory for the tiles of a card");
    memcpy(parts, &list->devices[at + 1], tiles * sizeof(uh_device *));
    uhi_several_combine(card, parts, tiles);
    uhi_device_list_name(card, parts[0]->backend->name);
    uh_device_properties *p = &card->properties;
    snprintf(p->name, sizeof p->name, "%s", parts[0]->properties.name);
    if (p->vendor_id == INTEL) { /* Intel numbers tiles in the last byte */
        memcpy(p->uuid, parts[0]->properties.uuid, sizeof p->uuid);
        p->uuid[sizeof p->uuid - 1] = 0;
    }
    return UH_SUCCESS;
}

uh_status uhi_cards_add(struct uhi_device_list *list) {
    for (size_t i = 0; i < list->count; i++) {
        const size_t tiles = is_listed_tile(list->devices[i]) ? count_tiles(list, i) : 0;
        if (tiles > 1) {
            uh_device card = *list->devices[i];
            card.nparts = tiles;
            uh_status status = uhi_device_list_insert(list, i, &card);
            if (!status)
                status = make_card(list, i);
            if (status)
                return status;
            i += tiles;
        }
    }
    return UH_SUCCESS;
}
