# SPDX-License-Identifier: Apache-2.0
"""Histograms as those of scikit-hep: by the tests of boost-histogram and uhi, and against boost-histogram and exact
numbers."""
import fractions
import io
import itertools
import json
import os
import pathlib
import pickle
import subprocess
import sys
import tarfile
import types
import warnings
import zipfile

import numpy as np
import pytest

import unihist
from unihist import Axis, Histogram, loc, overflow, rebin, underflow

bh = pytest.importorskip("boost_histogram")
indexing = pytest.importorskip("uhi.testing.indexing")
X = np.random.default_rng(4).normal(size=400)
NUMBERS = {"Int64": {}, "Double": {"weight": X}, "Weight": {"weight": X}, "Mean": {"sample": X}}
AXES = [
    bh.axis.Regular(5, -2, 2), bh.axis.Regular(5, -2, 2, underflow=False), bh.axis.Integer(-2, 3),
    bh.axis.Regular(4, 1, 16, transform=bh.axis.transform.log), bh.axis.Variable([-np.inf, 0, 1], overflow=False),
    bh.axis.Variable([-1, 0, 2.5], underflow=False, overflow=False, __dict__={"metadata": "far", "unit": "m"}),
    bh.axis.Boolean(),
    bh.axis.IntCategory([2, -1, 1]), bh.axis.StrCategory(["0", "1"], overflow=False),
    bh.axis.Integer(-1, 1, growth=True), bh.axis.Regular(4, -1, 1, growth=True)]


class _Made:
    @classmethod
    def make_histogram(cls):
        return Histogram._from_uhi_(cls.get_uhi())


class Test1D(_Made, indexing.Indexing1D):
    pass


class Test2D(_Made, indexing.Indexing2D):
    tag = unihist


class Test3D(_Made, indexing.Indexing3D):
    pass


CHOSEN = "operators or _div or promotes or reflected or sub_2d or add_2d or rebin or shrink or pick_ or slic or sum"


@pytest.mark.parametrize("package,chosen,not_ours", [  # storages that boost-histogram alone has
    ("boost_histogram", ["test_histogram_indexing.py", "test_histogram_set.py"], {
        "vectorized_get_multicell_storage", "vectorized_set_multicell", "set_special_dtype[WeightedMean-default1]"}),
    # equal axes of two types, and the middle of a category, which is drawn at its place
    ("boost_histogram", ["test_histogram.py", "-k", f"({CHOSEN}) and not (repr or empty)"], {"operators", "slice_bool"}),
    # an axis that decreases, and a function of boost-histogram for its own
    ("uhi", ["test_json.py", "test_zip.py", "test_hdf5.py", "test_sparse.py"], {"convert_bh", "convert_bh_no_storage"})])
def test_scikit_heps_own_tests(package, chosen, not_ours, tmp_path):
    sources = [*pathlib.Path(os.environ.get("UNIHIST_SCIKIT_HEP", "no folder")).glob(f"{package}-*.tar.gz")]
    if not sources:
        pytest.skip(f"UNIHIST_SCIKIT_HEP names no folder with the sources of {package}")
    with tarfile.open(sources[0]) as archive:
        archive.extractall(tmp_path, [m for m in archive if "/tests/" in m.name])
    folder, = tmp_path.glob("*/tests")
    for file in folder.glob("*.py"):
        text = file.read_text().split("\ndef pytest_report_header")[0].replace("from dependency_groups", "# ")
        file.write_text(text.replace("import boost_histogram as bh", "import boost_of_ours as bh"))
    path = os.pathsep.join([os.fspath(pathlib.Path(__file__).parent), os.fspath(folder / "utils"), *sys.path])
    ran = subprocess.run([sys.executable, "-m", "pytest", "-q", "-rf", "-p", "no:cacheprovider", *chosen],
                         cwd=folder, env={**os.environ, "PYTHONPATH": path}, stdout=subprocess.PIPE)
    lines = ran.stdout.decode().splitlines()
    failed = {line.split("::test_")[1].split(" - ")[0] for line in lines if line.startswith("FAILED")}
    assert "passed" in lines[-1] and failed == not_ours, ran.stdout.decode()


@pytest.mark.parametrize("storage", NUMBERS)
@pytest.mark.parametrize("axis", AXES, ids=repr)
def test_boost_histogram_and_files_give_and_take_all_axes_and_storages(axis, storage, tmp_path):
    theirs = bh.Histogram(axis, bh.axis.Integer(0, 2), storage=getattr(bh.storage, storage)())
    first = np.round(X).astype(str) if isinstance(axis, bh.axis.StrCategory) else \
        X if isinstance(axis, (bh.axis.Regular, bh.axis.Variable)) else np.round(X).astype(int)
    theirs.fill(first, (X > 0).astype(int), **NUMBERS[storage])
    ours = Histogram(theirs)
    back = bh.Histogram(ours)
    assert back.axes == theirs.axes and ours.kind == theirs.kind and ours.axes.extent == theirs.axes.extent
    assert ours.axes[0].metadata == axis.__dict__.get("metadata")
    sets = [slice(None), slice(1, None), slice(None, 2), slice(1, 2), slice(0, len, sum), sum, slice(1, None, sum), 0,
            -1, *[rebin(2)] * (ours.axes[0].traits.ordered and len(axis) > 1)]
    for index in sets:
        mine, other = ours[index, :], theirs[index if index != rebin(2) else bh.rebin(2), :]
        assert mine.axes.extent == other.axes.extent == Histogram(mine._to_uhi_()).axes.extent
        assert not mine.axes[0].traits.ordered or mine.axes[0].edges == pytest.approx(other.axes[0].edges)
        for flow, name in itertools.product((False, True), ("values", "variances")):
            found, expected = getattr(mine, name)(flow), getattr(other, name)(flow)
            few = mine.counts(flow) < 2 if storage == "Mean" else False
            assert found is None or np.where(few, 0, found) == pytest.approx(np.where(few, 0, expected), rel=1e-12)
    assert all(np.isfinite(a).all() for name, a in ours._to_uhi_()["storage"].items() if name != "type")
    assert pickle.loads(pickle.dumps(ours)) == ours and ours[...] == ours and ours.project(0).axes[0] == ours.axes[0]
    uhi_json, uhi_zip = pytest.importorskip("uhi.io.json"), pytest.importorskip("uhi.io.zip")
    read = [json.loads(json.dumps(ours, default=uhi_json.default), object_hook=uhi_json.object_hook)]
    with io.BytesIO() as file:
        with zipfile.ZipFile(file, "w") as archive:
            uhi_zip.write(archive, "h", ours)
        with zipfile.ZipFile(file) as archive:
            read.append(uhi_zip.read(archive, "h"))
    for data in read:
        again = Histogram(data)
        assert again.axes == ours.axes and np.allclose(again.values(True), ours.values(True), 1e-15, 0, equal_nan=True)


EXACT = np.array([1e17, 1.0, -1e17, 2.0**-1074, 1e300, 3.0])
GIVEN = {"sum": {"weight": EXACT}, "weighted": {"weight": EXACT}, "mean": {"sample": EXACT}}


@pytest.mark.parametrize("axis", [Axis(np.arange(7)), Axis(np.arange(7), closed="right").with_flow_bins(),
                                  Axis(2**60 + np.arange(7))])
@pytest.mark.parametrize("storage", ["count", "sum", "weighted", "mean", "u8"])
def test_joined_bins_have_the_sums_of_the_real_numbers(axis, storage):
    large = axis.edges[0] > 1
    points = 2**60 + np.arange(6) if large else np.arange(6) + 0.5
    h = Histogram(axis, [0, 1, 2], storage=storage).fill(points, 0.5, **GIVEN.get(storage, {}))
    for index, groups in [
        (rebin(3), [[], [0, 1, 2], [3, 4, 5], []]), (rebin(groups=[1, 5]), [[], [0], [1, 2, 3, 4, 5], []]),
        (slice(1, 5), [[0], [1], [2], [3], [4], [5]]), (slice(2, 6, rebin(2)), [[0, 1], [2, 3], [4, 5], []]),
        (rebin(groups=[2, 4]) if large else rebin(edges=[0, 2, 6]), [[], [0, 1], [2, 3, 4, 5], []]),
    ]:
        part = h[index, :]
        if not large:  # the new axis counts the same points alike
            again = Histogram(*part.axes, storage=storage).fill(points, 0.5, **GIVEN.get(storage, {}))
            assert again == part and sum(again.total()) == sum(part.total())
        for cell, group in zip(part.view(flow=True)[:, 0], groups if axis.flow_bins == "both" else groups[1:-1]):
            exact = sum(fractions.Fraction(EXACT[i]) for i in group)
            if storage == "mean":
                assert cell.count == len(group) and (not group or cell.value == float(exact / len(group)))
            else:
                number = cell.value if storage == "weighted" else cell
                assert number == (float(exact) if storage in GIVEN else len(group))


@pytest.mark.parametrize("closed", ["left", "right", "half-open left", "half-open right"])
@pytest.mark.parametrize("which", ["none", "below", "above", "both"])
def test_parts_count_their_edges_as_the_whole_did(closed, which):
    points = np.arange(-2, 14) / 2
    h = Histogram(Axis(np.arange(6), closed=closed).with_flow_bins(which)).fill(points)
    for index in (slice(1, None), slice(None, 3), slice(1, 4), rebin(5), slice(1, 5, rebin(2)), rebin(groups=[2, 3])):
        assert Histogram(*h[index].axes).fill(points) == h[index]
        assert h[index].total() == h[index].copy().total() and sum(h[index].total()) == points.size


def test_arithmetic_keeps_exact_sums_and_counts_and_other_cells():
    h = Histogram([0, 1, 2], storage="sum").fill([0.5, 0.5, 9], weight=[1e17, 1, 1])
    h[1] = 5
    assert h.total() == (2, 1) and h.fill(0.5, weight=-1e17).values().tolist() == [1, 5]
    inf = Histogram([0, 1, 2, 3], storage="sum").fill([0.5, 1.5], weight=[np.inf, np.inf])
    less = Histogram([0, 1, 2, 3], storage="sum") - inf
    assert less.values().tolist() == [-np.inf, -np.inf, 0] and inf[rebin(3)].values() == [np.inf]
    inf[0] = np.nan
    assert np.isnan(inf.values()).tolist() == [True, False, False]
    less = Histogram([0, 1, 2], storage="sum").fill([0.5, 1.5], weight=[1e17, 2]) - \
        Histogram([0, 1, 2], storage="sum").fill([0.5, 0.5], weight=[1, 1e17])
    assert less.values().tolist() == [-1, 2]
    many = Histogram([0, 1, 2])
    many[...] = [2**53 + 1, 0]
    assert (many * 3).values().tolist() == [3 * (2**53 + 1), 0] and (many * 3).storage == "count"
    assert (many - many * 2).values().tolist() == [-float(2**53), 0] and (many - (many - 1)).values().tolist() == [1, 1]
    assert (np.array([1, 2]) * many).storage == "count" and np.sqrt(many)[1] == 0 and (np.float64(2) * many)[1] == 0
    assert (many / 2).storage == (many * 0.5).storage == (many + -1).storage == "sum" and (many + [0, 1])[1] == 1
    w = Histogram([0, 1], storage="weighted").fill([0.5, 0.5], weight=[2, 3])
    assert [(v.value, v.variance) for v in (w[0], (w * 2)[0], (w / 2)[0], (w - w)[0], (1 - w)[0],
                                              (w - w.view(flow=True) * 2)[0])] == \
        [(5, 13), (10, 52), (2.5, 3.25), (0, 26), (-4, 14), (-5, 65)]
    m = Histogram([0, 1], storage="mean").fill([0.5] * 3, sample=[1, 2, 4]) * 3
    assert (w + 3).variances() == [22]
    assert m.values() == [7] and m.view().variance == [21] and m[0].variance == 21 and m.view().count == [3]
    before = m
    m *= 2
    assert m is before and m.values() == [14]
    m.view()[:] = [[2, 0.1, 0.3]]
    assert (m.view().count[0], m.values()[0], m.contents()[2][0]) == (2, 0.1, 0.3)
    m[0] = (2**40, 1 / 3, 0)
    assert m.contents()[1][0] == 1 / 3 and m.contents()[2][0] == 0
    w[0] = (np.inf, np.inf)
    assert w.values() == [np.inf] and w.variances() == [np.inf]


def test_names_views_and_ranges():
    y = Axis([0, 1, 3], label="y", metadata={"a": 1})
    h = Histogram(Axis.equal(4, 0, 2, name="x").with_flow_bins(), y, name="n")
    h.fill([-1, 0.2, 0.7, 1.2, 9], [0.5, 0.5, 2, 2, 2])
    h.axes[1].name = "second"
    assert (h.axes.name, h.axes.label, h.axes[1].metadata, h.name) == (("x", "second"), ("x", "y"), {"a": 1}, "n")
    assert h.axes.size == (4, 2) and h.axes.extent == (6, 2) and h.axes[1].widths.tolist() == [1, 2]
    assert h.axes[0].centers.tolist() == [0.25, 0.75, 1.25, 1.75] and h.shape == (4, 2) and len(h.axes[0]) == 4
    assert h.sum() == 3 and h.sum(flow=True) == 5 and h.project("second", flow=False).values().tolist() == [1, 2]
    assert h.project(1, 0, flow=False).values().tolist() == h.values().T.tolist()
    assert h.project("second", "x").axes.name == ("second", "x") and h[{"second": 1}].name == "n"
    assert pickle.loads(pickle.dumps(h)).axes.name == ("x", "second") and h[1:3, :].axes[0].name == "x"
    for at, same in [(0.6j, 1), (1 + 0.6j, 2), (loc(-9), underflow), (loc(2.5), overflow), (-1, 3), (overflow - 1, 3)]:
        assert h[at, 1] == h[same, 1]
    for low, high, part in [(loc(0), loc(2), slice(0, 4)), (0.5j, 1j, slice(1, 2)), (loc(0.6), len, slice(1, 4))]:
        assert h[low:high, :] == h[part, :]
    assert Histogram([0, 1, 2, 3]).fill([2.5, 3])[loc(0):loc(3)].values().tolist() == [0, 0, 2]
    text = Histogram(Axis.categories(["b", "a"]).with_flow_bins("above")).fill(["a", "a", "z"])
    assert text != Histogram(Axis.categories(["b", "c"]).with_flow_bins("above")).fill(["c", "c", "z"])
    assert text[loc("a")] == 2 and text[["a" == "a"]].values(True).tolist() == [2, 1] and text[overflow] == 1
    assert h[np.array([0, -1]), 1].tolist() == [h[0, 1], h[3, 1]]
    assert Histogram(Axis.growing()).sum() == 0 and Histogram(Axis.growing()).fill([1, 1, 3]).sum() == 3
    for exact in (Axis(2**60 + np.arange(4)), Axis.categories([2**60 + 1, 3]), Axis([0, 1], closed="right")):
        assert Histogram(Histogram(exact)._to_uhi_()).axes == (exact,)
    view = h.view()
    view[0] = 7
    assert h[0, 1] == view[0, 1] == 7
    assert unihist.Histogram(h._to_uhi_()).axes == h.axes


def test_what_cannot_be_is_refused_by_name():
    h, w = Histogram([0, 1, 2]), Histogram([0, 1, 2], storage="weighted")
    circular = bh.Histogram(bh.axis.Regular(3, 0, 1, circular=True))
    for wrong, error, message in [
        (lambda: Histogram(bh.Histogram(AXES[0], storage=bh.storage.WeightedMean())), TypeError, "weighted_mean"),
        (lambda: Histogram(bh.Histogram(bh.axis.IntCategory([], growth=True))), ValueError, "no categories"),
        (lambda: Histogram(circular).fill([0.5]), ValueError, "circular"),
        (lambda: Histogram({"uhi_schema": 2}), ValueError, "uhi_schema is 2"),
        (lambda: Axis.equal(2, 0, 1, nam="x"), TypeError, "nam"), (lambda: Histogram([0, 1], nam=0), TypeError, "nam"),
        (lambda: h[rebin(groups=[1, 2])], ValueError, "the groups"), (lambda: h[[0]], IndexError, "list of bins"),
        (lambda: h[rebin(edges=[0, 1.5, 2])], ValueError, "edges are"), (lambda: h["a"], IndexError, "loc"),
        (lambda: h[rebin(3)], ValueError, "factor is 3"), (lambda: h[underflow], IndexError, "no underflow bin"),
        (lambda: h - Histogram([0, 1]), ValueError, "axes are"), (lambda: h + w, TypeError, "weighted"),
        (lambda: 1 / w, TypeError, "'/'"), (lambda: w * w, TypeError, "'\\*'"), (lambda: h + "a", TypeError, "operand"),
        (lambda: h * [1, 2, 3], ValueError, "shape"), (lambda: h.__setitem__(0, -1), ValueError, "a count is -1"),
        (lambda: h.__setitem__(0, 1.5), ValueError, "a count is 1.5"),
        (lambda: h.__setitem__(..., [2**62, 1]) or h * 4, OverflowError, "int64"),
        (lambda: w.__setitem__(0, 1), ValueError, "2 num"), (lambda: w[[1, 2], 1], IndexError, "2 entries"),
        (lambda: w.__setitem__(0, (1, np.inf)), ValueError, "not finite"),
        (lambda: h.view()[:1].__setitem__(0, 1), ValueError, "copy"),
        (lambda: Histogram(Axis.categories(["a"])).fill([1]), TypeError, "texts"),
        (lambda: Histogram(Axis.categories([1, 2]))[rebin(2)], ValueError, "categorical"),
        (lambda: Histogram(types.SimpleNamespace(axes=[], values=[1, 2])), TypeError, "SimpleNamespace"),
    ]:
        with pytest.raises(error, match=message):
            wrong()


@pytest.mark.parametrize("axis", AXES[:7], ids=repr)
def test_they_are_drawn_as_those_of_boost_histogram(axis):
    mplhep = pytest.importorskip("mplhep")
    theirs = bh.Histogram(axis, storage=bh.storage.Weight()).fill(X.astype(int), weight=X**2)
    for flow in ("hint", "show", "sum", "none"):
        drawn = []
        for h in (theirs, Histogram(theirs)):
            axes = pytest.importorskip("matplotlib.figure").Figure().add_subplot()
            warnings.simplefilter("ignore")  # of infinite edges
            try:
                mplhep.histplot(h, flow=flow, ax=axes)
                drawn.append([p.get_data().values.tolist() for p in axes.patches if hasattr(p, "get_data")])
            except ValueError as why:
                drawn.append(str(why))
        assert drawn[0] == drawn[1]
