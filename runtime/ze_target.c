/* SPDX-License-Identifier: Apache-2.0 */
/* Devices of the binaries of Intel's ocloc. A driver does not reliably refuse another device's binary (22.43 loads one
 * for pvc on tgllp), so a binary must match this table. The ids are those that Intel's compute runtime lists per
 * product (shared/source/dll/devices), and that `ocloc compile -device 0xID` accepts for the product. */
#include <string.h>

#include "runtime/ze.h"

static const uint16_t tgllp[] = {0x9a40, 0x9a49, 0x9a59, 0x9a60, 0x9a68, 0x9a70, 0x9a78, 0xff20 /* simulated */, 0};
static const uint16_t dg1[] = {0x4905, 0x4906, 0x4907, 0x4908, 0x4909, 0};
static const uint16_t rkl[] = {0x4c80, 0x4c8a, 0x4c8b, 0x4c8c, 0x4c90, 0x4c9a, 0};
static const uint16_t adl_s[] = {0x4680, 0x4682, 0x4688, 0x468a, 0x468b, 0x4690, 0x4692, 0x4693, 0xa780,
                                 0xa781, 0xa782, 0xa783, 0xa788, 0xa789, 0xa78a, 0xa78b, 0};
static const uint16_t adl_n[] = {0x46d0, 0x46d1, 0x46d2, 0x46d3, 0x46d4, 0};
static const uint16_t adl_p[] = {0x4626, 0x4628, 0x462a, 0x46a0, 0x46a1, 0x46a3, 0x46a6, 0x46a8, 0x46aa,
                                 0x46b0, 0x46b1, 0x46b3, 0x46c0, 0x46c1, 0x46c3, 0xa720, 0xa721, 0xa7a0,
                                 0xa7a1, 0xa7a8, 0xa7a9, 0xa7aa, 0xa7ab, 0xa7ac, 0xa7ad, 0};
static const uint16_t pvc[] = {0x0b69, 0x0b6e, 0x0bd0, 0x0bd5, 0x0bd6, 0x0bd7, 0x0bd8, 0x0bd9, 0x0bda, 0x0bdb, 0};
/* Arc A series and Flex. */
static const uint16_t dg2_g10[] = {0x4f80, 0x4f81, 0x4f82, 0x4f83, 0x4f84, 0x5690, 0x5691, 0x5692, 0x56a0,
                                   0x56a1, 0x56a2, 0x56af, 0x56be, 0x56bf, 0x56c0, 0x56c2, 0};
static const uint16_t dg2_g11[] = {0x4f87, 0x4f88, 0x5693, 0x5694, 0x5695, 0x56a5, 0x56a6, 0x56b0,
                                   0x56b1, 0x56ba, 0x56bb, 0x56bc, 0x56bd, 0x56c1, 0};
static const uint16_t dg2_g12[] = {0x4f85, 0x4f86, 0x5696, 0x5697, 0x56a3, 0x56a4, 0x56b2, 0x56b3, 0};
/* Meteor Lake, and Arrow Lake parts with the same GPU. */
static const uint16_t mtl_u[] = {0x7d40, 0x7d41, 0x7d45, 0x7d67, 0};
static const uint16_t mtl_h[] = {0x7d55, 0x7dd5, 0};
static const uint16_t arl_h[] = {0x7d51, 0x7dd1, 0};
/* Lunar Lake, Battlemage, Panther Lake. */
static const uint16_t lnl_m[] = {0x6420, 0x64a0, 0x64b0, 0};
static const uint16_t bmg_g21[] = {0xe202, 0xe209, 0xe20b, 0xe20c, 0xe20d, 0xe210, 0xe211, 0xe212, 0xe215, 0xe216, 0};
static const uint16_t bmg_g31[] = {0xe220, 0xe221, 0xe222, 0xe223, 0};
static const uint16_t ptl_h[] = {0xb080, 0xb081, 0xb082, 0xb083, 0xb084, 0xb085,
                                 0xb086, 0xb087, 0xb08f, 0xb0a0, 0xb0b0, 0};
static const uint16_t ptl_u[] = {0xb090, 0};

static const struct {
    const char *name;
    const uint16_t *ids; /* terminated by 0 */
} targets[] = {
    {"tgllp", tgllp},     {"tgl", tgllp},       {"dg1", dg1},         {"rkl", rkl},     {"adl-s", adl_s},
    {"adl-n", adl_n},     {"adl-p", adl_p},     {"rpl-p", adl_p},     {"pvc", pvc},     {"dg2-g10", dg2_g10},
    {"dg2-g11", dg2_g11}, {"dg2-g12", dg2_g12}, {"mtl-u", mtl_u},     {"mtl-h", mtl_h}, {"arl-h", arl_h},
    {"lnl-m", lnl_m},     {"bmg-g21", bmg_g21}, {"bmg-g31", bmg_g31}, {"ptl-h", ptl_h}, {"ptl-u", ptl_u},
};

int uhi_ze_target_is(const char *target, uint32_t device_id) {
    for (size_t i = 0; target && i < sizeof targets / sizeof targets[0]; i++)
        if (strcmp(targets[i].name, target) == 0)
            for (const uint16_t *id = targets[i].ids; *id; id++)
                if (*id == device_id)
                    return 1;
    return 0;
}
