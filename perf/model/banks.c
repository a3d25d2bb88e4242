/* SPDX-License-Identifier: Apache-2.0 */
#include "perf/model/banks.h"

static int is_among(uint32_t word, const uint32_t *words, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (words[i] == word)
            return 1;
    return 0;
}

uint32_t model_bank_cycles(const uint32_t *address, size_t lanes, uint32_t words, int atomic, uint32_t banks) {
    uint32_t served[MODEL_LANES * MODEL_WORDS], of_bank[MODEL_BANKS] = {0}, most = 0;
    size_t count = 0;
    for (size_t lane = 0; lane < lanes; lane++)
        for (uint32_t i = 0; i < words; i++) {
            const uint32_t word = address[lane] / 4 + i;
            if (!atomic && is_among(word, served, count))
                continue;
            served[count++] = word;
            const uint32_t cycles = ++of_bank[word % banks];
            most = cycles > most ? cycles : most;
        }
    return most;
}

uint32_t model_lines(const uint32_t *address, size_t lanes, uint32_t words, uint32_t line_bytes) {
    uint32_t lines[MODEL_LANES * MODEL_WORDS], count = 0;
    for (size_t lane = 0; lane < lanes; lane++)
        for (uint32_t i = 0; i < words; i++) {
            const uint32_t line = (address[lane] + 4 * i) / line_bytes;
            if (!is_among(line, lines, count))
                lines[count++] = line;
        }
    return count;
}

uint32_t model_most_equal(const uint32_t *address, size_t lanes) {
    uint32_t most = 0;
    for (size_t i = 0; i < lanes; i++) {
        uint32_t equal = 0;
        for (size_t j = 0; j < lanes; j++)
            equal += address[j] == address[i];
        most = equal > most ? equal : most;
    }
    return most;
}
