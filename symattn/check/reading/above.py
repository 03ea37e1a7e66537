"""What the line of code right above an array calls it: ``print(attn_weights)``, ``A @ V``, ``P = softmax(S):``.

Only a line that is nothing but code counts; a sentence is read for its words elsewhere.
"""

from __future__ import annotations

import re
from typing import Final

from symattn.check.reading.expressions import Parser
from symattn.check.reading.labels import Label, of_name, of_node
from symattn.check.reading.tokens import tokens
from symattn.check.reading.tree import Name, Node, Operation

_FARTHEST: Final = 700
"""Characters up to a definition or a line above: in a notebook its frame stands between."""
_EARLIER: Final = 6000
_LONGEST: Final = 160
_SKIPPED: Final = re.compile(
    r"(?:output|result|prints?|gives?|returns?|(?:array|tensor|Tensor|matrix)\s*\(?)\s*[:=]?"
    r"|(?:In|Out)\s*\[\s*\d*\s*\]\s*:?|\d+\s*[×x]\s*\d+\s+[A-Za-z]\S*:?|[^\w]*",
    re.IGNORECASE,
)
_BESIDE: Final = re.compile(
    r"\w\(\s*(?P<name>[A-Za-z_][\w.\[\]]{0,60})\s*,\s*$|\w\(\s*(?P<expected>[A-Za-z_][\w.\[\]]{0,60})\s*\)\.to\w+\(?$"
)
"""What an array is compared with: ``allclose(weights, [[...]])``."""
_PROMPT: Final = re.compile(r"^(?:>>>|\.\.\.|julia>|In\s*\[\s*\d*\s*\]\s*:)\s*")
_SHOWN: Final = re.compile(
    r"^(?:print|println|display|disp|pprint|show|cat)\s*\(\s*(?:f?[\"'][^\"'\n]{0,60}[\"']\s*[,+]\s*)?"
    r"(?P<inner>.*)\)\s*;?$"
)
_ROUNDED: Final = re.compile(r"^(?:np|numpy|torch|jnp|tf)?\.?(?:round|around|array2string)\s*\(\s*(?P<inner>.*)\)$")
_METHOD: Final = re.compile(r"\.(?:round|detach|numpy|cpu|tolist|squeeze|data|evalf|N|to)\b(?:\([^()]*\))?")
_CODE: Final = re.compile(r"[\w.\[\]()@*/+\-'^=,:;√·ᵀ⊤ \t]+")
_TWO_WORDS: Final = re.compile(r"(?<![a-z])[a-z]{2,}+[ \t]+[A-Za-z]{2,}")
_SET: Final = re.compile(r"^(?P<name>[A-Za-z_][\w.]*)\s*:?=\s*(?P<value>[^=].*)$")

_WRITTEN_OUT: Final = re.compile(r"(?:[\w.]+\()?[\[({\s]*+[-+−]?[\d.]")
"""An array, or a number, that stands in the line itself: what follows is another."""


def label_above(text: str, start: int) -> Label | None:
    """What an array that starts here is called by the code above it.

    Args:
        text: The page.
        start: Where the array starts.
    """
    low = max(0, start - _FARTHEST)
    lines = text[low:start].split("\n")
    beside = _BESIDE.search(lines[-1])
    if beside is not None:
        return of_name(beside["name"] or beside["expected"])
    if lines[-1].strip() and not _SKIPPED.fullmatch(lines[-1].strip()):
        return None
    for line in reversed(lines[:-1]):
        found = line.strip()
        if not _SKIPPED.fullmatch(found):
            return _label(found, text[max(0, start - _EARLIER) : start]) if len(found) <= _LONGEST else None
    return None


def of_formula(title: str) -> tuple[str, ...]:
    """The quantity that a title stands for as a formula: ``q·k``, ``e^s``, ``$QK^T$``."""
    found = None if title.strip("$ ").isalnum() else _node_label(title)
    return () if found is None else (found.quantity,)


def _label(line: str, before: str) -> Label | None:
    """What one line of code shows or makes."""
    line = _PROMPT.sub("", line).rstrip(":;# =")
    shown = _SHOWN.match(line)
    line = shown["inner"] if shown else line
    made = _SET.match(line)
    if made is not None:
        written_out = _WRITTEN_OUT.match(made["value"]) is not None
        return None if written_out else _node_label(made["value"]) or _node_label(made["name"])
    while (rounded := _ROUNDED.match(line)) is not None:
        line = re.sub(r",\s*(?:\w+\s*=\s*)?\d+\s*$", "", rounded["inner"])
    if not _CODE.fullmatch(line) or (shown is None and _TWO_WORDS.search(line)):
        return None
    if line.isidentifier():
        return _defined(line, before) or _node_label(line)
    return _node_label(line)


def _defined(name: str, before: str) -> Label | None:
    """What the last definition of a name makes it."""
    found = list(re.finditer(rf"(?<![\w.]){re.escape(name)}\s*=\s*(?P<value>[^=\n][^\n]{{0,{_LONGEST}}})", before))
    return _node_label(found[-1]["value"]) if found else None


def _node_label(code: str) -> Label | None:
    code = _METHOD.sub("", code.strip())
    found = tokens(code)
    parsed = Parser(code, found).expression(0, len(found)) if found else None
    if parsed is None or (parsed[1] < len(found) and not _ends(found[parsed[1]].text)):
        return None
    return of_node(parsed[0]) if _is_formula(parsed[0]) else None


def _ends(text: str) -> bool:
    return text in ("#", "/", ";", ",", ")", ":")


def _is_formula(node: Node) -> bool:
    """Whether it may be shown by itself: a name of more than one small letter, or what is worked from names."""
    return not isinstance(node, Name) or len(node.text) > 1 or node.text.isupper() or isinstance(node, Operation)
