/* SPDX-License-Identifier: Apache-2.0 */
#ifndef UHI_RANDOM_H
#define UHI_RANDOM_H
#ifndef __OPENCL_C_VERSION__
struct uhi_random_host {
    int none;
};
#endif
#endif
