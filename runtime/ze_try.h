/* SPDX-License-Identifier: Apache-2.0 */
/* Whether Level Zero may be opened, by UNIHIST_LEVEL_ZERO and by a trial in a separate process. */
#pragma once

#include <time.h>

#include "runtime/backend.h"

/* Returns whether the loader and its drivers may be opened, by UNIHIST_LEVEL_ZERO (unihist/device.h). If not, sets the
 * list's `why`, and `is_broken` if the trial failed. A trial runs `open_drivers` for a list that is lost with its
 * process. */
int uhi_ze_may_open(struct uhi_device_list *list, uh_status (*open_drivers)(struct uhi_device_list *list));

/* ---- stored verdicts (ze_verdict.c) ---- */

enum { UHI_ZE_VERDICT = 1024 };

struct uhi_ze_verdict {
    char failure[UHI_ZE_VERDICT]; /* "" if the drivers can be opened; otherwise how they failed, and which */
    char *files;                  /* files they mapped, one path per line; malloc, or NULL if none */
};

/* Finds the verdict for this environment, if its files are unchanged and a failure is at most a day old. Stores the
 * failure. Returns 0 if none is found. */
int uhi_ze_verdict_find(char failure[UHI_ZE_VERDICT]);

/* Parses the text of such a verdict at time `now`. Returns as above. */
int uhi_ze_verdict_read(const char *text, time_t now, char failure[UHI_ZE_VERDICT]);

/* Keeps a verdict, if the cache is on. */
void uhi_ze_verdict_keep(const struct uhi_ze_verdict *verdict);
