"""What is read, in which layout; which rows are sampled; and what is refused, with what words."""

from __future__ import annotations

import builtins
from fractions import Fraction
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from symattn import reference
from symattn.arrays.reading import dyadic
from symattn.arrays.sample import sample
from symattn.errors import ShapeError, SpecError, SymattnError, UndecidedError
from symattn.exact.arrays import cells
from tests.arrays.test_reference import TYPES, normal

QUERY, KEY, VALUE = normal(41, (2, 4, 6, 3), (2, 2, 5, 3), (2, 2, 5, 7))


@pytest.mark.parametrize("dtype", [*TYPES, "int8", "uint16"])
def test_numbers_are_read_exactly(dtype):
    table = (np.random.default_rng(1).standard_normal((9, 7)) * 3).astype(dtype)
    if dtype in TYPES:
        limits = ml_dtypes.finfo(dtype)
        table[0] = [limits.max, limits.min, limits.smallest_subnormal, limits.smallest_normal, 0, np.inf, np.nan]
    read = dyadic(table)
    exact = [[whole * Fraction(2) ** read.exponent for whole in row] for row in read.rows]
    assert exact == [[Fraction(float(x)) if np.isfinite(x) else 0 for x in row] for row in table]


class Tensor:
    """What torch shows of a tensor that takes part in a graph; ``__array__`` refuses it until it is detached."""

    def __init__(self, array: np.ndarray, dtype: str, steps: tuple[str, ...] = ()) -> None:
        self.array, self.dtype, self.steps = array, f"torch.{dtype}", steps

    def detach(self) -> Tensor:
        return Tensor(self.array, self.dtype[6:], (*self.steps, "detach"))

    def cpu(self) -> Tensor:
        return Tensor(self.array, self.dtype[6:], (*self.steps, "cpu"))

    def float(self) -> Tensor:
        return Tensor(self.array.astype("float32"), "float32", self.steps)

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        if self.steps != ("detach", "cpu"):
            raise RuntimeError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")
        if self.dtype not in ("torch.float32", "torch.float64", "torch.float16"):
            raise TypeError(f"Got unsupported ScalarType {self.dtype}")
        return self.array


class Exporter:
    """What offers DLPack alone."""

    def __init__(self, array: np.ndarray) -> None:
        self.array = array

    def __dlpack__(self, **options: Any) -> Any:
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.array.__dlpack_device__()


def test_tensors_of_other_libraries():
    expected = reference(QUERY, KEY, VALUE)
    assert np.array_equal(reference(*(Tensor(array, "float32") for array in (QUERY, KEY, VALUE))), expected)
    assert np.array_equal(reference(*(Exporter(array) for array in (QUERY, KEY, VALUE))), expected)
    short = [array.astype("bfloat16") for array in (QUERY, KEY, VALUE)]
    assert np.array_equal(reference(*(Tensor(array, "bfloat16") for array in short)), reference(*short))
    with pytest.raises(SpecError, match="fp8 and ragged"):
        reference(Tensor(QUERY, "float8_e4m3fn"), KEY, VALUE)


def test_layouts():
    output, weights, lse = reference(QUERY, KEY, VALUE, return_weights=True, return_lse=True)
    turned = [array.swapaxes(1, 2) for array in (QUERY, KEY, VALUE)]
    grad = np.ones_like(output)
    for layout in ("bshd", None):
        found = reference(*turned, layout=layout, return_weights=True, return_lse=True, grad_output=grad.swapaxes(1, 2))
        assert np.array_equal(found[0].swapaxes(1, 2), output)
        assert np.array_equal(found[1], weights)
        assert np.array_equal(found[2], lse)
        plain = reference(QUERY, KEY, VALUE, grad_output=grad)[1:]
        assert all(np.array_equal(one.swapaxes(1, 2), other) for one, other in zip(found[3:], plain, strict=True))
    cached = {"past_key": turned[1][:, :3], "past_value": turned[2][:, :3], "layout": "bshd"}
    assert np.array_equal(reference(turned[0], turned[1][:, 3:], turned[2][:, 3:], **cached).swapaxes(1, 2), output)
    with pytest.raises(SpecError, match="leave the layout open"):
        reference(QUERY, QUERY, QUERY, layout=None)
    reference(QUERY, QUERY, QUERY)


def test_sizes_of_results():
    assert reference(QUERY, KEY, VALUE).shape == (2, 4, 6, 7)
    one = reference(QUERY[0, 0], KEY[0, 0], VALUE[0, 0], return_weights=True, return_lse=True)
    assert [array.shape for array in one] == [(6, 7), (6, 5), (6,)]
    assert reference(QUERY[None], KEY[None], VALUE[None]).shape == (1, 2, 4, 6, 7)
    for dtype in TYPES:
        assert reference([[1]], [[2]], [[3]], dtype=np.dtype(dtype)).dtype == np.dtype(dtype)


# ------------------------------------------------------------------------------------------------------- which rows
@pytest.mark.parametrize("total", [1, 2, 17, 64, 129, 1000, 8192])
@pytest.mark.parametrize("count", [1, 16, 64, 500])
def test_a_sample_holds_the_rows_where_kernels_go_wrong(count, total):
    found = sample(f"sample:{count}", total)
    assert found == sample(f"sample:{count}", total)
    assert sorted(set(found.rows)) == list(found.rows)
    must = {0, total - 1}
    for tile in (16, 32, 64, 128):
        must |= {edge + beside for edge in (tile, (total - 1) // tile * tile) for beside in (-1, 0, 1)}
    must &= set(range(total))
    assert must <= set(found.rows)
    assert len(found.rows) == max(len(must), min(count, total))
    edges = [row for row in found.rows if row % 16 in (15, 0, 1)]
    assert len(edges) >= min(len(found.rows) // 2, total // 16)


def test_a_sample_of_a_call():
    query, key, value = normal(42, (1, 300, 2), (1, 40, 2), (1, 40, 2))
    output, found = reference(query, key, value, rows="sample:40")
    assert found.total == 300
    assert str(found) == "40 of 300 rows"
    assert np.array_equal(output, reference(query, key, value)[:, list(found.rows)])


# ------------------------------------------------------------------------------------------------------- refusals
ONE = np.zeros((1, 3, 2))
LONG = np.zeros((1, 4, 2))
TWO = np.zeros((2, 3, 2))
REFUSED: dict[str, tuple[dict[str, Any], type[SymattnError], str]] = {
    "open alignment": ({"key": LONG, "value": LONG, "causal": True}, ShapeError, '"top-left".*"bottom-right"'),
    "open alignment of a window": ({"key": LONG, "value": LONG, "window": (1, 1)}, ShapeError, "name it: a convention"),
    "torch-mha aligns nothing": (
        {"key": LONG, "value": LONG, "causal": True, "convention": "torch-mha"},
        ShapeError,
        "alignment open",
    ),
    "causal": ({"causal": "diagonal"}, SpecError, "bottom-right"),
    "a masked row": ({"mask": np.eye(3, dtype=bool)[[0, 1, 1]] & (np.arange(3) > 0)}, SpecError, r"query\[0\]\[0\]"),
    "an added mask": ({"mask": np.zeros((3, 3))}, SpecError, "as bias"),
    "a mask of numbers": ({"mask": np.full((3, 3), 2)}, SpecError, "true and false"),
    "a mask's sizes": ({"mask": np.ones((3, 4), bool)}, ShapeError, "mask: sizes"),
    "a bias of booleans": ({"bias": np.ones((3, 3), bool)}, SpecError, "booleans"),
    "a convention": ({"convention": "tensorflow"}, SpecError, "torch-mha"),
    "a masked-row rule": ({"on_masked_row": "mean"}, SpecError, "uniform"),
    "a window": ({"window": (1, -2)}, SpecError, "-1 for open"),
    "a window of one number": ({"window": 3}, SpecError, "left, right"),
    "a scale": ({"scale": "1/3"}, SpecError, "scale"),
    "an infinite scale": ({"scale": np.inf}, SpecError, "finite number"),
    "a cap": ({"softcap": 0}, SpecError, "positive"),
    "an infinite score under a cap": ({"query": ONE + 1, "key": ONE + np.inf, "softcap": 1}, SpecError, "infinite"),
    "sinks": ({"sink": [1.0, 2.0]}, ShapeError, "one a head"),
    "an infinite sink": ({"sink": np.inf}, SpecError, "-inf for none"),
    "lengths": ({"key_lengths": 4}, SpecError, "from 0 to 3"),
    "lengths that are floats": ({"key_lengths": 2.0}, SpecError, "integers"),
    "a type": ({"dtype": "float8_e4m3fn"}, SpecError, "bfloat16"),
    "a type of numbers": ({"query": ONE.astype("float8_e4m3fn")}, SpecError, "query: numbers of type float8"),
    "complex": ({"query": ONE * 1j}, SpecError, "complex128"),
    "ragged": ({"query": [[[1.0], [1.0, 2.0]]]}, SpecError, "ragged"),
    "long integers": ({"query": np.full((1, 3, 2), 2**63)}, SpecError, "62 bits"),
    "no rows": ({"query": [1.0, 2.0]}, ShapeError, "no rows"),
    "nothing": ({"query": np.zeros((1, 0, 2))}, ShapeError, "empty"),
    "widths": ({"query": np.zeros((1, 3, 4))}, ShapeError, "width of a head"),
    "keys and values": ({"value": LONG}, ShapeError, "width alone"),
    "leading axes": ({"query": np.zeros((2, 1, 3, 2))}, ShapeError, "leading axes"),
    "key heads": ({"num_kv_heads": 2}, ShapeError, "2 key heads"),
    "heads": ({"query": np.zeros((3, 3, 2)), "key": TWO, "value": TWO}, ShapeError, "evenly"),
    "half a cache": ({"past_key": ONE}, SpecError, "together"),
    "a cache's type": ({"past_key": ONE.astype("float32"), "past_value": ONE}, SpecError, "float32 where"),
    "a cache's sizes": ({"past_key": np.zeros((1, 3, 1)), "past_value": ONE}, ShapeError, "rows alone"),
    "a layout": ({"layout": "sbhd"}, SpecError, "bshd"),
    "rows": ({"rows": "some"}, SpecError, "sample:64"),
    "rows out of range": ({"rows": [3]}, SpecError, "from 0 to 2"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_with_words(name):
    options, kind, words = REFUSED[name]
    arrays = {"query": ONE, "key": ONE, "value": ONE}
    with pytest.raises(kind, match=words) as caught:
        reference(**{**arrays, **options})
    assert "\n" not in str(caught.value)


def test_an_explicit_error_beats_a_convention():
    options = {"mask": np.zeros((3, 3), bool), "convention": "torch"}
    assert not reference(ONE, ONE, ONE, **options).any()
    with pytest.raises(SpecError, match="no key"):
        reference(ONE, ONE, ONE, on_masked_row="err" + "or", **options)


def test_an_undecided_cell_is_named(monkeypatch):
    """Floats are too short to come near 65,536 bits, so the end is moved."""
    call = {"bias": [[0.0, -1e6]], "softcap": 1, "dtype": "float32"}
    reference([[1.0]], [[0.0], [0.0]], [[1 + 2.0**-24], [2.0]], **call)
    monkeypatch.setattr(cells, "LARGEST_PRECISION", 64)
    with pytest.raises(UndecidedError, match=r"output\[0\]\[0\]\[0\]"):
        reference([[1.0]], [[0.0], [0.0]], [[1 + 2.0**-24], [2.0]], **call)


def test_numpy_missing(monkeypatch):
    find = builtins.__import__

    def without(name: str, *rest: Any) -> Any:
        if name == "ml_dtypes":
            raise ImportError("No module named 'ml_dtypes'", name="ml_dtypes")
        return find(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(SpecError, match=r"ml_dtypes.*install symattn\[arrays\]"):
        reference([[1]], [[1]], [[1]])
