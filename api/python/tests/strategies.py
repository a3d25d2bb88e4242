# SPDX-License-Identifier: Apache-2.0
"""Arrays of every type, byte order and stride, and edges that are hard on them."""
import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

NATIVE = ["f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"]
DTYPES = [*NATIVE, *(">" + name for name in NATIVE if name[1] != "1"), "f2", ">f2"]


def elements(dtype):
    """Numbers of a type, mostly few different ones, so that values meet edges; its extremes too."""
    dtype = np.dtype(dtype)
    if dtype.kind == "f":
        return st.one_of(st.sampled_from([0.0, -0.0, 1.0, 1.5, -2.0, 0.25]),
                         npst.from_dtype(dtype.newbyteorder("="), allow_nan=True, allow_infinity=True))
    info = np.iinfo(dtype)
    near = [x for x in (-2, 0, 1, 2, 3, 2**24 + 1, 2**53, 2**53 + 1) if info.min <= x <= info.max]
    return st.one_of(st.sampled_from([*near, info.min, info.max]), st.integers(int(info.min), int(info.max)))


@st.composite
def arrays(draw, dtypes=DTYPES, max_size=60):
    """A row of a larger array, in any step, or several rows of it."""
    dtype = np.dtype(draw(st.sampled_from(dtypes)))
    whole = draw(npst.arrays(dtype, st.integers(0, max_size), elements=elements(dtype)))
    shape = draw(st.sampled_from(["row", "backwards", "step", "table", "transposed", "columns", "repeated"]))
    if shape == "backwards":
        return whole[::-1]
    if shape == "step":
        return whole[1::3]
    if shape == "repeated":
        return np.broadcast_to(whole[:1], (7, len(whole[:1])))
    table = whole[: len(whole) // 6 * 6].reshape(-1, 3, 2)
    return {"row": whole, "table": table, "transposed": table.T, "columns": table[:, ::2]}[shape]


@st.composite
def edges(draw, dtypes=NATIVE):
    """Two or more edges in order, some equal."""
    dtype = np.dtype(draw(st.sampled_from(dtypes)))
    numbers = draw(npst.arrays(dtype, st.integers(2, 20), elements=elements(dtype)))
    return np.sort(numbers[numbers == numbers]) if np.sum(numbers == numbers) > 1 else np.array([0, 1], dtype)
