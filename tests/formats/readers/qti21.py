"""QTI 2.1 packages, read and scored by the rules of its information model; numbers are binary floats, as systems have.

Source of the rules: IMS QTI 2.1, assessment test, section and item information model: response processing, ``equal``
with an absolute tolerance, ``match``, ``sum``, ``multiple``, and ``isNull`` semantics of empty responses.
"""

from __future__ import annotations

import io
import xml.etree.ElementTree as ET
from fractions import Fraction
from typing import Any
from zipfile import ZipFile

from tests.formats.readers import Blank, Read

N = "{http://www.imsglobal.org/xsd/imsqti_v2p1}"
CP = "{http://www.imsglobal.org/xsd/imscp_v1p1}"


def items(content: bytes) -> list[ET.Element]:
    """The items in the order of the test, found through the manifest."""
    with ZipFile(io.BytesIO(content)) as package:
        manifest = ET.fromstring(package.read("imsmanifest.xml"))  # noqa: S314 - our own file
        resources = {it.get("identifier"): it for it in manifest.iter(f"{CP}resource")}
        (test,) = [it for it in resources.values() if it.get("type") == "imsqti_test_xmlv2p1"]
        root = ET.fromstring(package.read(test.get("href")))  # noqa: S314
        found = []
        for reference in root.iter(f"{N}assessmentItemRef"):
            resource = resources[reference.get("identifier")]
            assert resource.get("type") == "imsqti_item_xmlv2p1"
            assert resource.get("href") == reference.get("href")
            found.append(ET.fromstring(package.read(reference.get("href"))))  # noqa: S314
    return found


class Item:
    """One item, scored for given responses."""

    def __init__(self, root: ET.Element) -> None:
        self.root = root
        self.code = root.get("identifier").removeprefix("v-")
        self.declared = {it.get("identifier"): it for it in root.findall(f"{N}responseDeclaration")}
        shown = [it.get("responseIdentifier") for it in root.iter() if it.tag.endswith("Interaction")]
        assert shown == list(self.declared), "each response has one interaction, in order"

    def value(self, kind: str, text: str) -> Any:
        return float(text) if kind == "float" else int(text) if kind == "integer" else text

    def key(self, name: str) -> str:
        return self.declared[name].findtext(f"{N}correctResponse/{N}value")

    def scored(self, given: dict[str, str]) -> tuple[float, set[str]]:
        """The score, and the identifiers of what is said."""
        state: dict[str, Any] = {}
        for name, it in self.declared.items():
            state[name] = self.value(it.get("baseType"), given[name]) if given.get(name) else None
        for it in self.root.findall(f"{N}outcomeDeclaration"):
            default = it.findtext(f"{N}defaultValue/{N}value")
            state[it.get("identifier")] = (
                [] if it.get("cardinality") == "multiple" else self.value(it.get("baseType"), default or "0")
            )
        for rule in self.root.find(f"{N}responseProcessing"):
            self.obey(rule, state)
        return state["SCORE"], set(state["FEEDBACK"])

    def obey(self, rule: ET.Element, state: dict[str, Any]) -> None:
        if rule.tag == f"{N}setOutcomeValue":
            state[rule.get("identifier")] = self.evaluated(rule[0], state)
            return
        assert rule.tag == f"{N}responseCondition"
        for branch in rule:
            assert branch.tag in (f"{N}responseIf", f"{N}responseElseIf")
            if self.evaluated(branch[0], state):
                for inner in branch[1:]:
                    self.obey(inner, state)
                return

    def evaluated(self, it: ET.Element, state: dict[str, Any]) -> Any:
        match it.tag.removeprefix(N):
            case "variable":
                return state[it.get("identifier")]
            case "correct":
                name = it.get("identifier")
                return self.value(self.declared[name].get("baseType"), self.key(name))
            case "baseValue":
                return self.value(it.get("baseType"), it.text)
            case "sum":
                return sum(self.evaluated(part, state) for part in it)
            case "multiple":
                values = [self.evaluated(part, state) for part in it]
                return [one for value in values for one in (value if isinstance(value, list) else [value])]
            case "match":
                left, right = (self.evaluated(part, state) for part in it)
                return None if left is None or right is None else left == right
            case "equal":
                left, right = (self.evaluated(part, state) for part in it)
                assert it.get("toleranceMode") == "absolute"
                below, above = map(float, it.get("tolerance").split())
                assert it.get("includeLowerBound") == it.get("includeUpperBound") == "true"
                return None if left is None else right - below <= left <= right + above
        raise AssertionError(it.tag)

    def said(self, names: set[str]) -> str:
        return " ".join(
            "".join(it.itertext())
            for it in self.root.findall(f"{N}modalFeedback")
            if it.get("identifier") in names and it.get("identifier") != "SOLUTION"
        )


def read(content: bytes) -> Read:
    found: Read = {}
    for root in items(content):
        item = Item(root)
        found[item.code] = [_blank(item, name) for name in item.declared]
        assert item.root.findall(f"{N}outcomeDeclaration")[1].findtext(f"{N}defaultValue/{N}value") == str(
            sum(blank.points for blank in found[item.code])
        )
    return found


def _blank(item: Item, name: str) -> Blank:
    points = item.scored({name: item.key(name)})[0]
    is_number = item.declared[name].get("baseType") == "float"

    def mark(answer: str) -> tuple[Fraction, str]:
        score, names = item.scored({name: answer})
        assert "SOLUTION" in names
        return Fraction(score / points), item.said(names)

    return Blank(int(points), mark, item.key(name) if is_number else None)
