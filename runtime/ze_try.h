/* SPDX-License-Identifier: Apache-2.0 */
/* Whether Level Zero may be opened: what UNIHIST_LEVEL_ZERO says, and what became of a process of its own that tried.
 */
#ifndef UHI_ZE_TRY_H
#define UHI_ZE_TRY_H

#include <time.h>

#include "runtime/backend.h"

/* Returns whether the loader and its drivers may be opened, by UNIHIST_LEVEL_ZERO (unihist/runtime.h). Where they may
 * not, the list's `why` says so, and `is_broken` is set where the trial has failed. A trial is `open_drivers` for
 * a list that goes with its process. */
int uhi_ze_may_open(struct uhi_device_list *list, uh_status (*open_drivers)(struct uhi_device_list *list));

/* ---- verdicts that are kept (ze_verdict.c) ---- */

enum { UHI_ZE_VERDICT = 1024 };

struct uhi_ze_verdict {
    char failure[UHI_ZE_VERDICT]; /* "": the drivers can be opened; else how they failed, and which they were */
    char *files;                  /* what they have mapped, a path a line; malloc, or NULL for nothing */
};

/* Finds what is kept for this environment, if its files are as they were and a failure is not older than a day. Stores
 * the failure. Returns 0 where there is nothing. */
int uhi_ze_verdict_find(char failure[UHI_ZE_VERDICT]);

/* Reads what such an entry says at this time. The same. */
int uhi_ze_verdict_read(const char *text, time_t now, char failure[UHI_ZE_VERDICT]);

/* Keeps one, if the cache is on. */
void uhi_ze_verdict_keep(const struct uhi_ze_verdict *verdict);

#endif
