/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/accumulate/windows.h"

const struct uhi_window_range uhi_sum_windows[4] = {{UHI_SUM_FIRST_F32, UHI_SUM_COUNT_F32, 1},
                                                    {UHI_SUM_FIRST_F64, UHI_SUM_COUNT_F64, 2},
                                                    {UHI_SUM_FIRST_INT, UHI_SUM_COUNT_I32, 1},
                                                    {UHI_SUM_FIRST_INT, UHI_SUM_COUNT_I64, 2}};
const struct uhi_window_range uhi_square_windows[4] = {{UHI_SQUARE_FIRST_F32, UHI_SQUARE_COUNT_F32, 2},
                                                       {UHI_SQUARE_FIRST_F64, UHI_SQUARE_COUNT_F64, 4},
                                                       {UHI_SQUARE_FIRST_INT, UHI_SQUARE_COUNT_I32, 2},
                                                       {UHI_SQUARE_FIRST_INT, UHI_SQUARE_COUNT_I64, 4}};

int uhi_find_kind(uh_dtype dtype, enum uhi_value_kind *kind) {
    switch (dtype) {
    case UH_F32: *kind = UHI_VALUE_F32; return 0;
    case UH_F64: *kind = UHI_VALUE_F64; return 0;
    case UH_I32: *kind = UHI_VALUE_I32; return 0;
    case UH_I64: *kind = UHI_VALUE_I64; return 0;
    default: return -1;
    }
}
