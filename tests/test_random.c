/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support.h"

int main(void) {
    return 77;
}
