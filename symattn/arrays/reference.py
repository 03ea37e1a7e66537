"""``symattn.reference``: attention on binary floats, every result correctly rounded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from symattn.arrays.call import call
from symattn.arrays.options import ERROR
from symattn.arrays.reading import form

if TYPE_CHECKING:
    from collections.abc import Sequence


def reference(
    query: Any,
    key: Any,
    value: Any,
    *,
    mask: Any = None,
    bias: Any = None,
    causal: bool | str = False,
    scale: Any = None,
    softcap: Any = None,
    window: Sequence[int] | None = None,
    num_kv_heads: int | None = None,
    key_lengths: Any = None,
    past_key: Any = None,
    past_value: Any = None,
    sink: Any = None,
    on_masked_row: str = ERROR,
    convention: str | None = None,
    dtype: Any = "float64",
    return_weights: bool = False,
    return_lse: bool = False,
    rows: Any = None,
    layout: str | None = "bhsd",
    grad_output: Any = None,
) -> Any:
    """Attention on binary floats, every result correctly rounded: output = softmax(u) V, row by row, head by head.

        s_ij = scale * <q_i, k_j>          t_ij = softcap * tanh(s_ij / softcap)          u_ij = t_ij + bias_ij
        p_ij = e^(u_ij) / (sum_l e^(u_il) + e^sink), l over the keys that i may attend to; 0 for other keys
        output_i = sum_j p_ij v_j          lse_i = log of that denominator

    Floats are read as the exact numbers they are. A result is the number of type ``dtype`` nearest to the exact one,
    ties to even, with subnormals, overflow to infinity and signed zeros as IEEE 754 says (a result that is exactly 0 is
    +0). This is proved with balls; where a ball holds a rounding boundary an exact test decides (``exact.arrays``).

    Args:
        query: ``(..., heads, n_q, d_k)``, or ``(n_q, d_k)`` for one head: float64, float32, float16, bfloat16 or
            integers, as NumPy, torch (on a CPU, or copied from a device) or JAX array, through DLPack, or nested lists.
        key: ``(..., kv_heads, n_k, d_k)``. Head h reads key head floor(h * kv_heads / heads).
        value: ``(..., kv_heads, n_k, d_v)``.
        mask: Booleans (or 0 and 1) that fit ``(..., heads, n_q, n_k)``, true where a query MAY attend. With
            ``convention="torch-mha"`` true where it may not. The keys of the cache count in n_k, here and below.
        bias: Floats that fit ``(..., heads, n_q, n_k)``; -inf masks.
        causal: ``True`` allows keys j <= i, or j <= i + past with a cache; ``"top-left"`` j <= i; ``"bottom-right"``
            j <= i + n_k - n_q.
        scale: The factor on scores: a float (read exactly), an integer or a Fraction. None is 1/sqrt(d_k), exactly.
        softcap: A positive number; None for no cap.
        window: ``(left, right)``: keys i + o - left <= j <= i + o + right, -1 for open, with the offset o of ``causal``
            or else what ``causal=True`` would have.
        num_kv_heads: The number of key heads, if it shall be checked.
        key_lengths: One length, or one for each item of the leading axes: keys j >= length are masked.
        past_key: Rows that come before those of ``key``; of its type.
        past_value: Rows that come before those of ``value``.
        sink: One extra logit a head, in the denominator alone; -inf for none.
        on_masked_row: What becomes of a row that may attend to nothing: ``"error"``, ``"zero"``, ``"uniform"`` (the
            mean of all values, masked ones too) or ``"nan"``. With a sink no row is such a row. Its lse is -inf.
        convention: ``"torch"``, ``"jax"``, ``"onnx"``, ``"flash"``, ``"keras"`` or ``"torch-mha"``: settles the
            alignment of ``causal=True`` for n_q != n_k, masked rows, and the mask's polarity. An option that is given
            beats it. With ``key_lengths`` the causal diagonal of onnx and flash ends at an item's length.
        dtype: The type of all results: ``"float64"``, ``"float32"``, ``"float16"`` or ``"bfloat16"``.
        return_weights: Whether to return the weights ``(..., heads, n_q, n_k)``.
        return_lse: Whether to return the log-sum-exps ``(..., heads, n_q)``, natural.
        rows: Which queries are worked: None for all, indices, or ``"sample:64"`` (see ``Sample``). Then the results
            hold these rows alone, in order.
        layout: ``"bhsd"`` as above; ``"bshd"`` for (..., n, heads, d) of queries, keys, values, caches, output and
            gradients (weights, lse, mask and bias keep heads first); None to take it from the sizes.
        grad_output: The gradient of a loss with respect to the output, of its sizes; finite.
    Returns:
        The output ``(..., heads, n_q, d_v)``; or a tuple of it, then the weights, the lse, the gradients d_query,
        d_key, d_value (of the new keys and values) and, with ``rows``, a ``Sample`` that says which rows these are;
        each only if asked for.
    Raises:
        SpecError: NumPy or ml_dtypes is missing (``symattn[arrays]``), an array is of another type (fp8, complex) or
            ragged, an option is unusable, or a row may attend to nothing while ``on_masked_row`` is ``"error"``.
        ShapeError: Sizes do not go together, or leave the alignment of a causal mask or window open.
        UndecidedError: A number under a soft cap, or a gradient, could not be told from a tie; it is never guessed.

    What is not finite: a masked key contributes 0, whatever its key and value hold. A NaN or +inf among the scores of a
    row makes its results NaN; a score of -inf masks its key. An infinite or NaN value is that in the outputs of the
    rows that attend to it (NaN where infinities of both signs meet).

    Source: Vaswani et al. 2017, section 3.2.1, eq. (1). Order of the options: ONNX Attention-24.
    Example:
        >>> reference([[1.0, 0.0]], [[0.0, 1.0], [0.0, 2.0]], [[1.0], [2.0]], scale=1)
        array([[1.5]])
    """
    asked = call(
        query,
        key,
        value,
        mask=mask,
        bias=bias,
        causal=causal,
        scale=scale,
        softcap=softcap,
        window=window,
        num_kv_heads=num_kv_heads,
        key_lengths=key_lengths,
        past_key=past_key,
        past_value=past_value,
        sink=sink,
        on_masked_row=on_masked_row,
        convention=convention,
        rows=rows,
        layout=layout,
        grad_output=grad_output,
    )
    found = asked.worked(form(dtype), weights=return_weights, lse=return_lse)
    results: list[Any] = found.arrays(asked.given)
    if rows is not None:
        results.append(asked.asked)
    return results[0] if len(results) == 1 else tuple(results)
