/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of arguments, shared by the calls of integrate.h. */
#pragma once

#include <unihist/integrate.h>

/* The default of max_calls. */
enum { UHI_INTEGRATE_USUAL_CALLS = 1000000 };

/* Copies the caller's integrand, with dims, values and function set. */
uh_status uhi_integrand_check(const char *call, const uh_integrand *given, uh_integrand *taken);

/* Makes a result with room for what the caller's has room for; freed even on failure. */
uh_status uhi_integral_make(const char *call, const uh_integral *integral, size_t values, uh_integral *made);
void uhi_integral_free(uh_integral *made);

/* Copies a result to the caller's, with as many values and their covariance if it has room for them. */
void uhi_integral_store(uh_integral *integral, const uh_integral *made, size_t values);
