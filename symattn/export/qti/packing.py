"""The package: a file for each item, a test with a section that picks from all of them, and the manifest."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from symattn.export.package import Grown, Package
from symattn.export.text import element

_HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'


def pack(source: BinaryIO, target: BinaryIO) -> None:
    """The items that have grown, as a package."""
    grown = Grown(source)
    with Package(target) as package:
        names = []
        for variant in grown.variants():
            if variant["item"]:
                names.append(variant["id"])
                package.add(f"items/{variant['id']}.xml", variant["item"])
        package.add("test.xml", _test(grown.run, names))
        package.add("imsmanifest.xml", _manifest(grown.run, names))


def _test(run: dict[str, str], names: list[str]) -> Iterator[str]:
    title, pick = element(run["title"]), min(int(run["pick"]), len(names))
    yield (
        f'{_HEAD}<assessmentTest xmlns="http://www.imsglobal.org/xsd/imsqti_v2p1" identifier="{run["id"]}" '
        f'title="{title}">\n<outcomeDeclaration identifier="SCORE" cardinality="single" baseType="float"/>\n'
        '<testPart identifier="part" navigationMode="nonlinear" submissionMode="individual">\n'
        f'<assessmentSection identifier="variants" title="{title}" visible="true">\n'
    )
    if names:
        yield f'<selection select="{pick}"/>\n'
    for name in names:
        yield f'<assessmentItemRef identifier="{name}" href="items/{name}.xml"/>\n'
    yield (
        '</assessmentSection>\n</testPart>\n<outcomeProcessing><setOutcomeValue identifier="SCORE"><sum>'
        '<testVariables variableIdentifier="SCORE"/></sum></setOutcomeValue></outcomeProcessing>\n</assessmentTest>\n'
    )


def _manifest(run: dict[str, str], names: list[str]) -> Iterator[str]:
    yield (
        f'{_HEAD}<manifest xmlns="http://www.imsglobal.org/xsd/imscp_v1p1" identifier="{run["id"]}-manifest">\n'
        "<metadata><schema>QTIv2.1 Package</schema><schemaversion>1.0.0</schemaversion></metadata>\n"
        '<organizations/>\n<resources>\n<resource identifier="test" type="imsqti_test_xmlv2p1" href="test.xml">'
        '<file href="test.xml"/>'
    )
    for name in names:
        yield f'<dependency identifierref="{name}"/>'
    yield "</resource>\n"
    for name in names:
        yield (
            f'<resource identifier="{name}" type="imsqti_item_xmlv2p1" href="items/{name}.xml">'
            f'<file href="items/{name}.xml"/></resource>\n'
        )
    yield "</resources>\n</manifest>\n"
