/* SPDX-License-Identifier: Apache-2.0 */
/* Found next to the file that includes it; plain "inline" as in C89 and C++. SHIFT is the build's. */
inline uint shifted(uint x) { return x << SHIFT; }
