/* SPDX-License-Identifier: Apache-2.0 */
/* Cards whose tiles the driver lists as devices: combined devices in the list. */
#ifndef UHI_DEVICE_CARDS_H
#define UHI_DEVICE_CARDS_H

#include "runtime/device_list.h"

/* Inserts such a card before its tiles if all of them are listed; the tiles are adjacent. This is the last change to
 * the list; its devices do not move afterwards. UH_ERROR_OUT_OF_MEMORY. */
uh_status uhi_cards_add(struct uhi_device_list *list);

#endif
