# SPDX-License-Identifier: Apache-2.0
"""Histograms of xarray's arrays have, at each place of the dimensions that stay, the bits of NumPy's functions."""
import numpy as np
import pytest

xr = pytest.importorskip("xarray")

import unihist  # noqa: E402
import unihist.xarray  # noqa: E402

RANDOM = np.random.default_rng(5)
SHAPE = {"t": 6, "y": 4, "x": 5}
LINE = xr.DataArray(RANDOM.integers(0, 9, 5, "i2"), dims=["x"], name="line", attrs={"units": "K"})
CUBE = xr.DataArray(RANDOM.normal(4, 2, (6, 4, 5)), {"t": np.arange(6) * 10, "hill": ("y", list("abcd"))}, list(SHAPE),
                    "cube")
DAYS = xr.DataArray(CUBE.values.astype("i8").astype("M8[D]"), dims=list(SHAPE), name="days")
WEIGHTS = {"none": None, "wild": CUBE.copy(data=RANDOM.choice([1e16, 1.0, -1e16, 0.1], CUBE.shape)), "half": 0.5,
           "line": LINE.astype("i8")}
EDGES = {"cube": [-1.0, 2, 2.5, 9], "line": np.array([0, 3, 9]), "days": np.array([1, 5], "M8[D]")}


@pytest.mark.filterwarnings("ignore:invalid value")  # densities of no weight
@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("dim", [None, "t", ["y", "x"], ["x", "t"]])
@pytest.mark.parametrize("names", [["cube"], ["days"], ["cube", "line"], ["line", "days"]])
@pytest.mark.parametrize("density", [False, True])
def test_each_place_is_that_of_numpys_functions(names, dim, weights, density):
    arrays, w = [{"cube": CUBE, "line": LINE, "days": DAYS}[name] for name in names], WEIGHTS[weights]
    bins = [EDGES[name] for name in names]
    if len(names) == 1 and weights == "none":
        bins = bins[0]
    found = unihist.xarray.histogram(*arrays, bins, dim=dim, weights=w, density=density)
    if dim is None or "t" in dim or "cube" in names or "days" in names:
        whole = xr.broadcast(*arrays, *([w] if isinstance(w, xr.DataArray) else []))
        along = [d for d in whole[0].dims if dim is None or d in dim]
        kept = [d for d in whole[0].dims if d not in along]
        assert found.dims == (*kept, *(f"{name}_bin" for name in names))
        assert found.name == "_".join(["histogram", *names])
        for place in np.ndindex(*(SHAPE[d] for d in kept)):
            here = [a.isel(dict(zip(kept, place))).values.ravel() for a in whole]
            numbers = np.full(here[0].size, w) if isinstance(w, float) else here[len(names)] if w is not None else None
            edges = [EDGES[name] for name in names]
            expected = unihist.histogramdd(here[:len(names)], edges, None, density, numbers)[0]
            assert np.array_equal(found.values[place], expected, equal_nan=True)
    lazy = [a.chunk({d: 4 for d in a.dims}) for a in arrays]
    again = unihist.xarray.histogram(*lazy, bins=bins, dim=dim, weights=w, density=density)
    assert again.chunks is not None and again.dtype == found.dtype and again.identical(found)


def test_bins_by_number_and_coordinates():
    found = unihist.xarray.histogram(CUBE, LINE, bins=[3, 2], range=[(0, 9), None], dim="x", bin_dim_suffix="_")
    assert found.dims == ("t", "y", "cube_", "line_") and found.t.equals(CUBE.t) and found.hill.equals(CUBE.hill)
    assert found.cube_.values.tolist() == [1.5, 4.5, 7.5] and found.line_.attrs == LINE.attrs
    assert found.values.sum((0, 1)).tolist() == unihist.histogram2d(
        CUBE.values.ravel(), np.tile(LINE, 24), [3, 2], [(0, 9), None])[0].tolist()
    assert unihist.xarray.histogram(CUBE[:0], bins=[0, 1], dim="x").shape == (0, 4, 1)
    gaps = CUBE.where(CUBE > 2)
    omitted = unihist.histogram(gaps, 3, nan="omit")[0].tolist()
    assert unihist.xarray.histogram(gaps, bins=3, nan="omit").values.tolist() == omitted


@pytest.mark.parametrize("dtype", ["?", "i1", "u8", "f4", "m8[s]", "c8", "c16"])
def test_sums_have_the_types_of_histogram(dtype):
    weights = (20 * CUBE).astype(dtype)
    expected = unihist.histogram(CUBE, [0, 3, 9], weights=weights)[0]
    for values in (CUBE, CUBE.chunk()):
        found = unihist.xarray.histogram(values, bins=[0, 3, 9], weights=weights)
        assert found.dtype == expected.dtype and found.values.tolist() == expected.tolist()
    assert unihist.digitize(CUBE, [0, 3, 9]).shape == CUBE.shape


@pytest.mark.parametrize("arrays,options,message", [
    ([CUBE.rename(None)], {}, "arrays have the names [None]"), ([], {}, "arrays have the names []"),
    ([CUBE], {"dim": "z"}, "dim is 'z', expected one or more of ('t', 'y', 'x')"), ([CUBE], {"dim": []}, "dim is []"),
    ([CUBE, LINE], {"bins": [1, 2, 3]}, "bins has 3 elements, expected 2"),
    ([CUBE.chunk()], {"bins": 4}, "bins of cube is 4, expected edges, or a number with a range")])
def test_invalid_arguments_are_named(arrays, options, message):
    with pytest.raises(ValueError) as found:
        unihist.xarray.histogram(*arrays, **options)
    assert message in str(found.value)
