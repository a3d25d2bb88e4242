/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256 against the answers that NIST publishes with the standard (FIPS 180-4 examples, SHAVS). */
#include "tests/support.h"

#include "runtime/sha256.h"

static const struct {
    const char *message;
    size_t times; /* how often it stands one behind the other */
    const char *digest;
} known[] = {
    {"", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
    {"abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
    {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
     "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
    {"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
     1, "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"},
    {"a", 1000000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"},
};

UNIT_TEST(known_messages_have_their_published_digests_in_pieces_of_any_size) {
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        size_t length = strlen(known[i].message), size = length * known[i].times;
        char *text = malloc(size + 1);
        assert_non_null(text);
        for (size_t j = 0; j < known[i].times; j++)
            memcpy(text + j * length, known[i].message, length);
        for (size_t piece = 1; piece <= 200; piece += piece < 70 ? 1 : 43) {
            unsigned char digest[UHI_SHA256_SIZE];
            char hex[UHI_SHA256_HEX];
            struct uhi_sha256 hash;
            if (size > 1000 && piece > 3)
                break;
            uhi_sha256_init(&hash);
            for (size_t done = 0; done < size; done += piece)
                uhi_sha256_update(&hash, text + done, size - done < piece ? size - done : piece);
            uhi_sha256_final(&hash, digest);
            uhi_sha256_hex(digest, hex);
            assert_string_equal(hex, known[i].digest);
        }
        free(text);
    }
}
