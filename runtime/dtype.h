/* SPDX-License-Identifier: Apache-2.0 */
/* Names of the element types. */
#pragma once

#include <unihist/base.h>

/* Returns NumPy's name of a dtype, static; NULL if invalid. */
const char *uhi_dtype_name(unsigned dtype);

/* Returns the dtype that has this name, short name or NumPy code; UH_DTYPE_COUNT if none has. */
unsigned uhi_dtype_find(const char *name);
