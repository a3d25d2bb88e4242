/* SPDX-License-Identifier: Apache-2.0 */
/* Cards whose tiles their driver lists as devices: they are combined devices of the list. */
#ifndef UHI_DEVICE_CARDS_H
#define UHI_DEVICE_CARDS_H

#include "runtime/device_list.h"

/* Puts such a card before its tiles where all of them are in the list; the tiles stand side by side. The list's last
 * change: from then on its devices stay where they are. UH_ERROR_OUT_OF_MEMORY. */
uh_status uhi_cards_add(struct uhi_device_list *list);

#endif
