# SPDX-License-Identifier: Apache-2.0
"""Samples against the probabilities, and against numpy.random's errors."""
import concurrent.futures
import math
import pickle

import numpy as np
import pytest

from unihist import Sampler, choice


def count(drawn, number, first=0):
    """Counts of the integers from first on."""
    return np.histogram(drawn, np.arange(first, first + number + 1) - 0.5)[0]


def near(counts, probabilities, n):
    """Whether counts lie within five standard deviations of the expected ones."""
    p = np.asarray(probabilities, float)
    return np.all(np.abs(counts - n * p) <= 5 * np.sqrt(n * p * (1 - p)) + 1e-9)


WEIGHTS = np.array([1, 0, 3, 6, 0, 2.5])


@pytest.mark.parametrize("dtype", ["f4", "f8", ">f8", "f2", "u1"])
@pytest.mark.parametrize("method", ["auto", "unihist", "alias", "binary"])
def test_samples_have_the_weights_probabilities(dtype, method):
    weights = (WEIGHTS * 2).astype(dtype)[::-1]
    sampler = Sampler(weights, method=method, threads=2)
    assert (sampler.first, sampler.last) == (0, 5)
    drawn = sampler.draw(100_000, seed=7)
    probabilities = weights / weights.sum(dtype=float)
    assert drawn.dtype == np.int64 and near(count(drawn, 6), probabilities, 100_000)
    assert sampler.count(100_000, seed=7).tolist() == count(drawn, 6).tolist()
    assert sampler.draw((2, 3), seed=7, offset=50).tolist() == drawn[50:56].reshape(2, 3).tolist()
    assert sampler.draw(9, seed=7, dtype="u4").dtype == np.uint32
    assert sampler.draw(1000, seed=8).tolist() != drawn[:1000].tolist()


@pytest.mark.parametrize("sampler,first,masses", [
    (Sampler.uniform(-1, 2), -1, [0.25] * 4),
    (Sampler.bernoulli(0.25), 0, [0.75, 0.25]),
    (Sampler.poisson(1.5, method="alias", device="host", threads=1), 0, [math.exp(-1.5), 1.5 * math.exp(-1.5)]),
])
def test_distributions_have_their_mass(sampler, first, masses):
    assert sampler.first == first
    drawn = sampler.draw(100_000, seed=3)
    assert drawn.min() >= first and drawn.max() <= sampler.last
    assert near(count(drawn, len(masses), first), masses, 100_000)


def test_samplers_are_pickled():
    weights = WEIGHTS.copy()
    for sampler in (Sampler(weights, method="alias", threads=1), Sampler.binomial(9, 0.3, threads=1),
                    Sampler.zipf(1.5, 20)):
        kept = pickle.dumps(sampler)
        weights[:] = 1  # the sampler has a copy
        assert pickle.loads(kept).draw(100, seed=1).tolist() == sampler.draw(100, seed=1).tolist()


def test_choice_draws_elements():
    p = WEIGHTS / WEIGHTS.sum()
    index = choice(6, 10_000, p=p, seed=1)
    assert index.dtype == np.int64 and near(count(index, 6), p, 10_000)
    for a in (np.arange(6) * 10, np.arange(6.0).astype("f4"), np.array(list("abcdef")), list("uvwxyz"),
              np.array([None, 1, "x", [], (), {}], object), np.arange(12)[::2]):
        array = np.asarray(a)
        drawn = choice(a, 10_000, p=p, seed=1)
        assert drawn.dtype == array.dtype and drawn.tolist() == array[index].tolist()
    assert choice(np.arange(6), (2, 5), True, p, seed=1).tolist() == index[:10].reshape(2, 5).tolist()
    assert choice(6, 10, p=p, seed=1, offset=20, device="host", threads=1).tolist() == index[20:30].tolist()
    alike = choice(1000, 100_000, seed=2)
    assert near(count(alike, 1000), np.full(1000, 1e-3), 100_000)
    drawn = choice(np.ma.array(np.arange(6), mask=[0, 0, 0, 1, 0, 0]), 10_000, p=p, seed=1)
    assert drawn.tolist() == [None if i == 3 else i for i in index.tolist()]
    assert choice(["only"]) == "only" and np.ndim(choice(5)) == 0 and choice(5, ()).shape == ()
    assert choice(2**40, 100).tolist() != choice(2**40, 100).tolist()  # the system chooses the seed


@pytest.mark.parametrize("dtype", ["f2", "f4"])
def test_probabilities_of_few_bits_need_not_sum_to_1(dtype):
    p = np.array([0.15, 0.25, 0.6], dtype)  # whose sum is 1.00000003 or more
    assert max(np.random.choice(3, p=p), *choice(3, 4, p=p)) < 3


def test_threads_draw_from_one_sampler():
    sampler = Sampler(WEIGHTS)
    expected = sampler.draw(10_000, seed=5)
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        for i, drawn in enumerate(pool.map(lambda i: sampler.draw(1000, seed=5, offset=i * 1000), range(10))):
            assert drawn.tolist() == expected[i * 1000:(i + 1) * 1000].tolist()
