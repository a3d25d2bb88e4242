# SPDX-License-Identifier: Apache-2.0
"""unihist.torch against PyTorch, on inputs for which PyTorch is exact too, and against the oracle."""
import numpy as np
import oracle
import pytest

torch = pytest.importorskip("torch")
import unihist.torch  # noqa: E402

RANDOM = np.random.default_rng(3)
HARD = [np.nan, np.inf, -np.inf, -2, 2, 0, -0.0, 3]


def numbers(dtype):
    return torch.tensor(np.append(RANDOM.normal(size=392), HARD)).to(dtype).reshape(4, 100)


INTEGERS, WEIGHTS = torch.tensor(RANDOM.integers(0, 9, 400)), torch.tensor(RANDOM.integers(-9, 9, 400) / 8)
EDGES, NOTHING = torch.tensor([-2, -1.5, 0, 0.25, 2]), torch.empty(0)
# Calls of a module's functions, with numbers x, finite ones f, and weights w, whose sums are exact in float32.
CALLS = {
    "histc": lambda m, x, f, w: m.histc(x, 8, -2, 2),
    "histc of finite numbers": lambda m, x, f, w: m.histc(f, bins=16),
    "histc of equal numbers": lambda m, x, f, w: m.histc(torch.full_like(x, 3), 5, 1, 1),
    "histc of one number": lambda m, x, f, w: m.histc(torch.full_like(x, 3), 5),
    "histc of none": lambda m, x, f, w: m.histc(x[:0], 5),
    "histogram": lambda m, x, f, w: m.histogram(x, 11, range=(-2, 2)),
    "histogram of finite numbers": lambda m, x, f, w: m.histogram(f, bins=7),
    "histogram of one number": lambda m, x, f, w: m.histogram(torch.full_like(x, 3), 5),
    "histogram of none": lambda m, x, f, w: m.histogram(x[:0], 5),
    "weights": lambda m, x, f, w: m.histogram(x, 11, range=(-2, 2), weight=w),
    "density": lambda m, x, f, w: m.histogram(x, 8, range=(-2, 2), weight=w + 2, density=True),
    "edges": lambda m, x, f, w: m.histogram(x.T, EDGES.to(x.dtype)),
    "histogramdd": lambda m, x, f, w: m.histogramdd(f.reshape(10, 20, 2), [3, 4]),
    "histogramdd, weights": lambda m, x, f, w: m.histogramdd(
        x.reshape(-1, 2), 5, range=[-2, 2, -1, 3], weight=w.reshape(-1)[::2]),
    "histogramdd, edges, density": lambda m, x, f, w: m.histogramdd(x.T, (EDGES.to(x.dtype),) * 4, density=True),
    "bincount": lambda m, x, f, w: m.bincount(INTEGERS, minlength=12),
    "bincount, weights": lambda m, x, f, w: m.bincount(INTEGERS.to(torch.uint8), w.reshape(-1)),
    "bincount, integer weights": lambda m, x, f, w: m.bincount(INTEGERS, INTEGERS),
    "bincount of none": lambda m, x, f, w: m.bincount(INTEGERS[:0]),
    "bucketize": lambda m, x, f, w: m.bucketize(x, EDGES.to(x.dtype)),
    "bucketize, right": lambda m, x, f, w: m.bucketize(x, EDGES.to(x.dtype), right=True, out_int32=True),
    "bucketize of a number": lambda m, x, f, w: m.bucketize(0.25, EDGES),
    "scatter_add": lambda m, x, f, w: m.scatter_add(w, 0, INTEGERS.reshape(4, 100) % 4, w),
    "scatter_add along the last of three": lambda m, x, f, w: m.scatter_add(
        w.reshape(4, 5, 20), -1, INTEGERS.reshape(4, 5, 20)[:3, :4, :], w.reshape(5, 4, 20).transpose(0, 1)),
    "scatter_add of none": lambda m, x, f, w: m.scatter_add(w, 1, INTEGERS[:0].reshape(0, 0), w),
    "scatter_add of integers": lambda m, x, f, w: m.scatter_add(INTEGERS, 0, INTEGERS, INTEGERS),
    "index_add": lambda m, x, f, w: m.index_add(w, 1, INTEGERS[:30], w[:, 30:60]),
    "index_add in one dimension": lambda m, x, f, w: m.index_add(w[0], 0, INTEGERS[:100], w[1]),
    "histc, out": lambda m, x, f, w: m.histc(x, 8, -2, 2, out=x.new_empty(0)),
    "bucketize, out": lambda m, x, f, w: m.bucketize(x, EDGES.to(x.dtype), out=INTEGERS.new_empty(0)),
}


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
@pytest.mark.parametrize("name", CALLS)
def test_results_and_their_types_are_those_of_pytorch(name, dtype):
    x = numbers(dtype)
    arguments = x, x.nan_to_num(0, 4, -4), WEIGHTS.to(dtype).reshape(x.shape)
    found, expected = CALLS[name](unihist.torch, *arguments), CALLS[name](torch, *arguments)
    assert type(found) is type(expected)
    torch.testing.assert_close(found, expected, rtol=1e-6 if name.endswith("density") else 0, atol=0, equal_nan=True)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.uint8, torch.int8,
                                   torch.int16, torch.int32, torch.int64, torch.bool], ids=str)
def test_all_types_are_counted_exactly(dtype):
    x = numbers(dtype) if dtype.is_floating_point else INTEGERS.to(dtype)
    values = x.double().numpy().ravel()
    for found in (unihist.torch.histogram(x, 7, range=(-1, 2)), unihist.torch.histogram(x, EDGES)):
        assert found.hist.tolist() == oracle.counts(values, found.bin_edges.double().numpy())
        assert found.hist.dtype == (dtype if dtype.is_floating_point else torch.int64)


ERRORS = {
    "bins": lambda m, x: m.histc(x, 0), "order": lambda m, x: m.histc(x, 3, 2, 1), "NaN": lambda m, x: m.histc(x, 3),
    "infinite range": lambda m, x: m.histogram(x, 3, range=(0., float("inf"))),
    "weights": lambda m, x: m.histogram(x, 3, range=(0., 1.), weight=x[1:]),
    "range and edges": lambda m, x: m.histogram(x, EDGES, range=(0., 1.)),
    "a list": lambda m, x: m.histogram([1.0], 3), "bins of axes": lambda m, x: m.histogramdd(x, [3, 3]),
    "dimensions": lambda m, x: m.histogramdd(x[0], 3), "negative": lambda m, x: m.bincount(torch.tensor([-1])),
    "floats": lambda m, x: m.bincount(x), "minlength": lambda m, x: m.bincount(INTEGERS, minlength=-1),
    "sizes": lambda m, x: m.bincount(INTEGERS, WEIGHTS[1:]), "2-D": lambda m, x: m.bucketize(x, x),
    "type of out": lambda m, x: m.bucketize(x, EDGES, out=NOTHING), "samples": lambda m, x: m.multinomial(EDGES[2:], 0),
    "too many": lambda m, x: m.multinomial(EDGES[3:], 3), "probability": lambda m, x: m.multinomial(EDGES, 1),
    "no dimension": lambda m, x: m.scatter_add(x, 0, INTEGERS, x), "other types": lambda m, x: m.scatter_add(
        x, 1, INTEGERS.reshape(4, 100), x.double()),
    "beyond": lambda m, x: m.scatter_add(x, 0, INTEGERS.reshape(4, 100), x),
    "few sources": lambda m, x: m.scatter_add(x, 1, INTEGERS.reshape(4, 100), x[:3]),
    "slices": lambda m, x: m.index_add(x, 1, INTEGERS[:3], x[:, :2]),
    "no outcome": lambda m, x: m.multinomial(EDGES[2:3], 1), "integers": lambda m, x: m.multinomial(INTEGERS, 1),
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors_are_of_pytorchs_kind(name):
    with pytest.raises(Exception) as expected:
        ERRORS[name](torch, numbers(torch.float32))
    with pytest.raises(expected.type):
        ERRORS[name](unihist.torch, numbers(torch.float32))


def test_results_have_no_gradient_are_rounded_once_and_count_beyond_float32():
    weights = torch.tensor([1, 2**-24, 2**-60])  # in float64 the sum would be a tie
    assert unihist.torch.bincount(torch.zeros(3, dtype=torch.int32), weights).tolist() == [1 + 2**-23]
    x = torch.zeros(2**24 + 3).requires_grad_()
    assert unihist.torch.histogram(x, 1).hist.tolist() == [2**24 + 4]
    assert not unihist.torch.histc(x).requires_grad


@pytest.mark.parametrize("replacement", [True, False])
def test_multinomial_has_the_probabilities_and_repeats_with_the_generator(replacement):
    p = np.array([1, 0, 2, 5]) / 8
    torch.manual_seed(1)
    drawn = unihist.torch.multinomial(torch.tensor(p, dtype=torch.float16).expand(4000, 4), 2, replacement)
    torch.manual_seed(1)
    assert torch.equal(drawn, unihist.torch.multinomial(torch.tensor(p).expand(4000, 4), 2, replacement))
    expected = np.outer(p, p) if replacement else np.outer(p, p) * (1 - np.eye(4)) / (1 - p)[:, None]
    pairs = np.bincount(drawn.numpy() @ [4, 1], minlength=16).reshape(4, 4)
    assert (abs(pairs - 4000 * expected) <= 5 * np.sqrt(4000 * expected)).all()
    assert unihist.torch.multinomial(torch.tensor(p), 3, replacement, generator=torch.Generator()).shape == (3,)
