"""Canvas packages: QTI 1.2 as Canvas imports it: what is right is one condition, a value or a range, bounds included.

Source of the rules: IMS QTI 1.2 ASI binding, and the items that Canvas exports and text2qti writes.
"""

from __future__ import annotations

import html
import io
import re
import xml.etree.ElementTree as ET
from fractions import Fraction
from zipfile import ZipFile

from tests.formats.readers import Blank, Read

N = "{http://www.imsglobal.org/xsd/ims_qtiasiv1p2}"
CP = "{http://www.imsglobal.org/xsd/imsccv1p1/imscp_v1p1}"


def assessment(content: bytes) -> ET.Element:
    with ZipFile(io.BytesIO(content)) as package:
        manifest = ET.fromstring(package.read("imsmanifest.xml"))  # noqa: S314 - our own file
        (quiz,) = [it for it in manifest.iter(f"{CP}resource") if it.get("type") == "imsqti_xmlv1p2"]
        return ET.fromstring(package.read(quiz.find(f"{CP}file").get("href")))  # noqa: S314


def fields(item: ET.Element) -> dict[str, str]:
    return {
        it.findtext(f"{N}fieldlabel"): it.findtext(f"{N}fieldentry") or "" for it in item.iter(f"{N}qtimetadatafield")
    }


def read(content: bytes) -> Read:
    places: dict[str, dict[tuple[int, ...], Blank]] = {}
    for item in assessment(content).iter(f"{N}item"):
        code, *place = re.fullmatch(r"v-([a-z0-9]{10})-(\d+)(?:-(\d+)-(\d+))?", item.get("ident")).groups()
        order = tuple(int(one) for one in place if one)
        assert order not in places.setdefault(code, {})
        places[code][order] = _blank(item)
    return {code: [blank for _, blank in sorted(found.items())] for code, found in places.items()}


def _blank(item: ET.Element) -> Blank:
    told = fields(item)
    is_number = told["question_type"] == "numerical_question"
    said = {it.get("ident"): html.unescape(" ".join(it.itertext())) for it in item.iter(f"{N}itemfeedback")}
    (right,) = [it for it in item.iter(f"{N}respcondition") if it.find(f"{N}setvar") is not None]
    assert right.findtext(f"{N}setvar") == "100"
    either = right.find(f"{N}conditionvar/{N}or") if is_number else None
    key = None if either is None else either.findtext(f"{N}varequal")

    def mark(answer: str) -> tuple[Fraction, str]:
        feedback = []
        for condition in item.iter(f"{N}respcondition"):
            shown = condition.find(f"{N}displayfeedback")
            when = condition.find(f"{N}conditionvar")[0]
            if shown is not None and (when.tag == f"{N}other" or when.text == answer):
                feedback.append(said[shown.get("linkrefid")])
        if not answer:
            return Fraction(0), " ".join(feedback)
        if either is None:
            return Fraction(right.findtext(f"{N}conditionvar/{N}varequal") == answer), " ".join(feedback)
        low, high = (Fraction(either.findtext(f"{N}and/{N}{bound}")) for bound in ("vargte", "varlte"))
        assert low <= Fraction(key) <= high
        return Fraction(low <= Fraction(answer) <= high), " ".join(feedback)

    return Blank(int(told["points_possible"]), mark, key)
