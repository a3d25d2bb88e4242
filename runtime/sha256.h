/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256 as specified in FIPS 180-4. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { UHI_SHA256_SIZE = 32, UHI_SHA256_HEX = 65 };

void uhi_sha256_of(const void *data, size_t size, unsigned char digest[UHI_SHA256_SIZE]);

/* Writes a digest as 64 lower-case hexadecimal digits and a NUL. */
void uhi_sha256_hex(const unsigned char digest[UHI_SHA256_SIZE], char hex[UHI_SHA256_HEX]);
