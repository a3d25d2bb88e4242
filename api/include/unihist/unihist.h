/* SPDX-License-Identifier: Apache-2.0 */
/** @file unihist.h
 * All of Unihist: include this header, or those of the parts you use. */
#ifndef UNIHIST_UNIHIST_H
#define UNIHIST_UNIHIST_H

#include <unihist/axis.h>
#include <unihist/base.h>
#include <unihist/base2.h>
#include <unihist/bins.h>
#include <unihist/device.h>
#include <unihist/exchange.h>
#include <unihist/gpu.h>
#include <unihist/histogram.h>
#include <unihist/integrand.h>
#include <unihist/integrate.h>
#include <unihist/interpolate.h>
#include <unihist/meanshift.h>
#include <unihist/random.h>
#include <unihist/sample.h>
#include <unihist/save.h>

#endif
