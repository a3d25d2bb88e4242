# SPDX-License-Identifier: Apache-2.0
"""Samplers and exact arithmetic, through the shared library: the realised probabilities are compared with fractions
(test_sample_table: by all methods alike), and uniform integers of up to 64 bits are predicted by the Philox of
sample_oracle.py. Samples of weights are predicted by cases_sample.c."""
import unittest

from library import DTYPES, Sampler, np
from sample_oracle import BOUNDED, bounded, philox4x32, words

# ---- exact arithmetic ---------------------------------------------------------------------------------------------

def whole_numbers(weights):
    """Integers in the proportions of the weights, exactly."""
    ratios = [x.as_integer_ratio() for x in weights.tolist()]
    common = max(low for _, low in ratios) # powers of two
    return [high * (common // low) for high, low in ratios]


def masses_of(sampler, weights):
    """How many of 2^64 parts each outcome has: after the last one that has a mass, 2^64 is stored as 0."""
    bounds = sampler.cumulative().tolist()
    inside = np.flatnonzero(bounds)
    last = int(inside[-1]) if len(inside) else int(np.argmax(weights))
    bounds = bounds[:last + 1] + [2**64] * (len(weights) - last)
    return [high - low for low, high in zip(bounds, bounds[1:])]


def hostile_weights():
    random = np.random.default_rng(1)
    yield "one", np.array([3.5], "f4")
    yield "two", np.array([1, 3], "f4")
    yield "thirds", np.array([1, 1, 1], "u1")
    for dtype in DTYPES:
        kind = np.iinfo(dtype) if dtype.kind in "iu" else None
        weights = (random.integers(0, kind.max, 1000, dtype, endpoint=True) if kind
                   else random.random(1000).astype(dtype))
        yield f"random {dtype}", weights
        holes = weights.copy()
        holes[:200] = holes[-200:] = holes[300:900:3] = 0
        yield f"zeros {dtype}", holes
        alone = np.zeros(50, dtype)
        alone[20] = 7
        yield f"one that is not 0, {dtype}", alone
    yield "a million", random.random(1000000).astype("f4")
    yield "a million of 60 decades", 10.0 ** random.uniform(-30, 30, 1000000)
    yield "60 decades", 10.0 ** random.uniform(-30, 30, 1000)
    yield "600 decades", 10.0 ** random.uniform(-300, 300, 1000)
    yield "all decades of float32", (10.0 ** random.uniform(-44, 38, 1000)).astype("f4")
    yield "equal", np.full(1025, 0.1)
    yield "steep", np.arange(1.0, 1025) ** -3
    yield "nearly all last", np.append(random.random(1023) * 2.0 ** -40, 1)
    yield "one denormal alone", np.append(np.zeros(999), 2.0 ** -1074)
    yield "halves", 2.0 ** -np.arange(1074)
    yield "halves backwards", 2.0 ** -np.arange(1073, -1, -1)
    for dtype in ("f4", "f8"):
        tiny, huge = np.finfo(dtype).smallest_subnormal, np.finfo(dtype).max
        yield f"one huge among small ones, {dtype}", np.array([1] * 500 + [huge] + [1] * 500, dtype)
        yield f"one huge first, {dtype}", np.array([huge] + [tiny] * 500, dtype)
        yield f"denormals, {dtype}", (np.arange(1000) * tiny).astype(dtype)
        yield f"denormals and one normal, {dtype}", np.array([tiny] * 999 + [np.finfo(dtype).tiny * 1e5], dtype)
        yield f"a sum that overflows, {dtype}", np.full(1000, huge, dtype)
        yield f"smallest, largest, {dtype}", np.array([tiny, huge], dtype)
    yield "near 2^64", np.uint64(2**64 - 1) - random.integers(0, 5, 1000).astype("u8")
    yield "near 2^64 and few", np.array([j % 5 if j % 3 else 2**64 - 1 - j for j in range(1000)], "u8")
    yield "2^64 - 1 and 1", np.array([1, 2**64 - 1, 0, 1], "u8")
    yield "a sum of 2^64", np.array([1, 2**63, 2**63 - 2, 1], "u8")


class Probabilities(unittest.TestCase):
    def test_each_is_within_2_to_the_minus_62_of_the_exact_fraction(self):
        for name, weights in hostile_weights():
            with self.subTest(name):
                exact = whole_numbers(weights)
                total = sum(exact)
                masses = masses_of(Sampler(weights), weights)
                self.assertEqual(sum(masses), 2**64)
                for j, (mass, weight) in enumerate(zip(masses, exact)):
                    # |mass / 2^64 - weight / total| <= 2^-62
                    if abs(mass * total - (weight << 64)) > 4 * total or mass < 0 or (weight == 0 and mass):
                        self.fail(f"outcome {j} has {mass} / 2^64, expected {weight} / {total}")

    def test_a_sum_that_is_a_power_of_two_gives_the_very_weights(self):
        random = np.random.default_rng(2)
        parts = np.sort(random.integers(0, 2**64, 999, "u8"))
        weights = np.diff(np.concatenate([[np.uint64(0)], parts, [np.uint64(2**64 - 1)]])).astype("u8")
        weights[-1] += np.uint64(1)
        self.assertEqual(masses_of(Sampler(weights), weights), weights.tolist())


class Samples(unittest.TestCase):
    def test_this_philox_gives_the_published_answers(self):
        ones = 2**64 - 1
        for stream, block, seed, answer in [
                (0, 0, 0, [0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8]),
                (ones, ones, ones, [0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd]),
                (0x0370734413198a2e, 0x85a308d3243f6a88, 0x299f31d0a4093822,
                 [0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1])]:
            self.assertEqual(philox4x32(seed, stream, [block])[0].tolist(), answer)

    def test_integers_that_are_all_alike_are_predicted(self):
        for low, size in [(0, 1), (5, 2), (-3, 10), (0, 2**31 + 1), (-7, 3 << 30), (-1, 2**32 - 1), (0, 2**32),
                          (1, 2**32 + 1), (-2**62, 2**63 + 1), (-2**63, 5 << 60), (-2**63, 2**64 - 1)]:
            for offset in (0, 3, 2**33 + 1):
                with self.subTest(low=low, size=size, offset=offset):
                    expected, trials = bounded(9, size, offset, 2000)
                    if size == 2**31 + 1: # nearly half of all words are rejected
                        self.assertGreater(trials, 5)
                    drawn = Sampler("uniform", low, low + size - 1).draw(2000, 9, offset)
                    self.assertEqual(drawn.tolist(), [low + x for x in expected])
        drawn = Sampler("uniform", -2**63, 2**63 - 1).draw(2000, 9, 0)
        made = [int(x) for x in words(9, BOUNDED, 0, 4000)]
        self.assertEqual(drawn.tolist(), [(low | high << 32) - 2**63 for low, high in zip(made[::2], made[1::2])])
