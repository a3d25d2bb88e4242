/* SPDX-License-Identifier: Apache-2.0 */
#ifndef UHI_SAMPLE_H
#define UHI_SAMPLE_H
#ifndef __OPENCL_C_VERSION__
struct uhi_sample_host {
    int none;
};
#endif
#endif
