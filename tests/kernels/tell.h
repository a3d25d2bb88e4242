/* SPDX-License-Identifier: Apache-2.0 */
void tell_all(int bytes);
