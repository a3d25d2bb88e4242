/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SOFT_LIST_H
#define SOFT_LIST_H

#include "stream.h"

/* Appends a command to a list, or submits it where the list is immediate; the reference is given away. */
ze_result_t soft_list_append(const char *call, struct soft_list *list, struct soft_work *work);

#endif
