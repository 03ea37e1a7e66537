"""The package: the assessment with a group for each question, what Canvas wants to know of it, and the manifest."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, BinaryIO

from symattn.export.package import Grown, Package
from symattn.export.text import element

_HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'


def pack(source: BinaryIO, target: BinaryIO) -> None:
    """The items that have grown, as a package."""
    grown = Grown(source)
    groups: dict[int, list[int]] = {}
    for variant in grown.variants():
        for number, points, _ in variant["groups"]:
            groups.setdefault(number, [points, 0])[1] += 1
    name = grown.run["id"]
    with Package(target) as package:
        package.add("imsmanifest.xml", _manifest(name))
        package.add("non_cc_assessments/", "")
        package.add(f"{name}/assessment_meta.xml", _meta(grown.run, groups))
        package.add(f"{name}/{name}.xml", _assessment(grown, groups))


def _assessment(grown: Grown, groups: dict[int, list[int]]) -> Iterator[str]:
    """The items group by group; what has grown is gone through once for each."""
    name, title, pick = grown.run["id"], element(grown.run["title"]), int(grown.run["pick"])
    yield (
        f'{_HEAD}<questestinterop xmlns="http://www.imsglobal.org/xsd/ims_qtiasiv1p2">\n'
        f'<assessment ident="{name}" title="{title}">\n<qtimetadata><qtimetadatafield>'
        "<fieldlabel>cc_maxattempts</fieldlabel><fieldentry>1</fieldentry></qtimetadatafield></qtimetadata>\n"
        '<section ident="root_section">\n'
    )
    for number, (points, count) in groups.items():
        yield (
            f'<section ident="{name}-{number}" title="{title}, {number}"><selection_ordering><selection>'
            f"<selection_number>{min(pick, count)}</selection_number><selection_extension><points_per_item>{points}"
            "</points_per_item></selection_extension></selection></selection_ordering>\n"
        )
        for variant in grown.variants():
            yield from (item for of, _, item in variant["groups"] if of == number)
        yield "</section>\n"
    yield "</section>\n</assessment>\n</questestinterop>\n"


def _meta(run: dict[str, Any], groups: dict[int, list[int]]) -> str:
    points = sum(points * min(int(run["pick"]), count) for points, count in groups.values())
    return (
        f'{_HEAD}<quiz xmlns="http://canvas.instructure.com/xsd/cccv1p0" identifier="{run["id"]}">\n'
        f"<title>{element(run['title'])}</title>\n<description/>\n<shuffle_answers>false</shuffle_answers>\n"
        "<scoring_policy>keep_highest</scoring_policy>\n<quiz_type>assignment</quiz_type>\n"
        f"<points_possible>{points}.0</points_possible>\n<allowed_attempts>1</allowed_attempts>\n"
        "<available>false</available>\n</quiz>\n"
    )


def _manifest(name: str) -> str:
    return (
        f'{_HEAD}<manifest xmlns="http://www.imsglobal.org/xsd/imsccv1p1/imscp_v1p1" identifier="{name}-manifest">\n'
        "<metadata><schema>IMS Content</schema><schemaversion>1.1.3</schemaversion></metadata>\n<organizations/>\n"
        f'<resources>\n<resource identifier="{name}" type="imsqti_xmlv1p2">\n<file href="{name}/{name}.xml"/>\n'
        f'<dependency identifierref="{name}-meta"/>\n</resource>\n<resource identifier="{name}-meta" '
        'type="associatedcontent/imscc_xmlv1p1/learning-application-resource" '
        f'href="{name}/assessment_meta.xml">\n<file href="{name}/assessment_meta.xml"/>\n</resource>\n</resources>\n'
        "</manifest>\n"
    )
