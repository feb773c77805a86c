# SPDX-License-Identifier: Apache-2.0
"""The public edition for programs: its content as JSON, and metadata of the data set as Croissant or DCAT (JSON-LD).

All of it is derived from the summary of the public edition, so it holds nothing that the page does not, apart from what
the holder states: title, licence, publisher and address.
"""

from __future__ import annotations

import json
from typing import Any

from discreet.report.public_content import SCHEMA, PublicContent
from discreet.report.wording import plural

_MEDIA = {
    "csv": "text/csv",
    "parquet": "application/vnd.apache.parquet",
    "json": "application/json",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "sav": "application/x-spss-sav",
    "dta": "application/x-stata-dta",
}
_ANY_BYTES = "application/octet-stream"
_PARTS = "table/"  # where a table in parts lies
_TYPES = {"number": "sc:Float", "date": "sc:Date", "item": "sc:Integer", "category": "sc:Text"}

_TERMS = (
    *("citeAs", "column", "equivalentProperty", "extract", "field", "fileProperty", "fileObject", "fileSet", "format"),
    *("includes", "isLiveDataset", "jsonPath", "key", "md5", "parentField", "path", "recordSet", "references", "regex"),
    *("repeated", "replace", "samplingRate", "separator", "source", "subField", "transform"),
)
# The terms of Croissant 1.0, as its specification asks for them in every file.
_CROISSANT = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "dct": "http://purl.org/dc/terms/",
    "sc": "https://schema.org/",
    "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
    **{term: f"cr:{term}" for term in _TERMS},
}
_DCAT = {
    "dcat": "http://www.w3.org/ns/dcat#",
    "dct": "http://purl.org/dc/terms/",
    "foaf": "http://xmlns.com/foaf/0.1/",
    "spdx": "http://spdx.org/rdf/terms#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
}


def to_json(summary: dict[str, Any]) -> bytes:
    """The content of the public edition, in the form that its schema states."""
    content = PublicContent.model_validate(summary | {"$schema": SCHEMA})
    return _written(content.model_dump(mode="json", by_alias=True))


def to_croissant(
    summary: dict[str, Any],
    *,
    title: str | None = None,
    license: str | None = None,
    publisher: str | None = None,
    url: str | None = None,
) -> bytes:
    """Metadata in the format Croissant 1.0, for a file beside the published ones."""
    stated = {"license": license, "url": url}
    if publisher is not None:
        stated["creator"] = {"@type": "sc:Organization", "name": publisher}  # type: ignore[assignment]
    record_set = _record_set(summary)
    return _written(
        {
            "@context": _CROISSANT,
            "@type": "sc:Dataset",
            "conformsTo": "http://mlcommons.org/croissant/1.0",
            "name": title or f"release-{summary['id'][:8]}",
            "description": _description(summary),
            "identifier": summary["id"],
            **{name: value for name, value in stated.items() if value is not None},
            "distribution": _croissant_files(summary),
            **({} if record_set is None else {"recordSet": [record_set]}),
        }
    )


def to_dcat(
    summary: dict[str, Any],
    *,
    title: str | None = None,
    license: str | None = None,
    publisher: str | None = None,
    url: str | None = None,
) -> bytes:
    """Metadata in the vocabulary DCAT 3, as catalogues of open data take it."""
    stated: dict[str, Any] = {}
    if license is not None:
        stated["dct:license"] = {"@id": license} if "://" in license else license
    if publisher is not None:
        stated["dct:publisher"] = {"@type": "foaf:Agent", "foaf:name": publisher}
    if url is not None:
        stated["dcat:landingPage"] = {"@id": url}
    columns = [entry["name"] for entry in summary["dictionary"]]
    return _written(
        {
            "@context": _DCAT,
            "@type": "dcat:Dataset",
            "dct:identifier": summary["id"],
            "dct:title": title or f"release-{summary['id'][:8]}",
            "dct:description": _description(summary),
            "dcat:keyword": columns[:100],
            **stated,
            "dcat:distribution": [
                {
                    "@type": "dcat:Distribution",
                    "dct:title": name,
                    "dcat:mediaType": {"@id": f"https://www.iana.org/assignments/media-types/{_registered(media)}"},
                    "dcat:byteSize": {"@type": "xsd:nonNegativeInteger", "@value": str(size)},
                    "spdx:checksum": {
                        "@type": "spdx:Checksum",
                        "spdx:algorithm": {"@id": "spdx:checksumAlgorithm_sha256"},
                        "spdx:checksumValue": {"@type": "xsd:hexBinary", "@value": sha256},
                    },
                }
                for name, media, size, sha256 in _files(summary)
            ],
        }
    )


def _written(document: dict[str, Any]) -> bytes:
    return (json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n").encode()


def _description(summary: dict[str, Any]) -> str:
    """What is promised and what it leaves open, in a few sentences."""
    rows = f"{plural(summary['rows'], 'row')}, " if summary["rows"] else ""
    said = [f"{rows}{plural(len(summary['columns']), 'column')}, released under {summary['promise']}."]
    said += [summary["promise_in_words"], f"Evidence: {summary['evidence']}"]
    said += [f"{line['title']}: {line['text']}" for line in summary["cautions"]]
    said += [f"Not covered: {summary['does_not_protect']}"]
    return " ".join(said)


def _files(summary: dict[str, Any]) -> list[tuple[str, str, int, str]]:
    """Name, media type, size and hash of the published files: copies below what they are copies of, the certificate
    last."""
    files, copies = summary["certificate"]["files"], _copies(summary)
    found = [
        (name, _MEDIA.get(name.rpartition(".")[2], _ANY_BYTES), files[name]["bytes"], files[name]["sha256"])
        for name in sorted(files, key=lambda name: name in copies)
    ]
    return [*found, ("certificate.json", _MEDIA["json"], summary["certificate_bytes"], summary["certificate_sha256"])]


def _copies(summary: dict[str, Any]) -> set[str]:
    """Files that hold the data once more, in another format."""
    return set(summary["certificate"].get("copies", ()))


def _registered(media: str) -> str:
    """The media type, if IANA lists it."""
    return _ANY_BYTES if media.startswith("application/x-") else media


def _croissant_files(summary: dict[str, Any]) -> list[dict[str, Any]]:
    described = {
        "recoding.json": "What each label means, for recoding new rows to the form of the release.",
        "certificate.json": "What is promised and measured, with the hashes of the other files.",
        **dict.fromkeys(_copies(summary), "The published data once more, in another format."),
    }
    files: list[dict[str, Any]] = [
        {
            "@type": "cr:FileObject",
            "@id": name,
            "name": name,
            "description": described.get(name, "The published data."),
            "contentSize": f"{size} B",
            "contentUrl": name,
            "encodingFormat": media.replace("vnd.apache.parquet", "x-parquet"),
            "sha256": sha256,
        }
        for name, media, size, sha256 in _files(summary)
        if not name.startswith(_PARTS)
    ]
    if len(files) < len(_files(summary)):
        files.append(
            {
                "@type": "cr:FileSet",
                "@id": "parts",
                "name": "parts",
                "description": "The published data, in parts; the certificate has the hash of each.",
                "encodingFormat": "application/x-parquet",
                "includes": f"{_PARTS}*.parquet",
            }
        )
    return files


def _record_set(summary: dict[str, Any]) -> dict[str, Any] | None:
    """The columns of the data, if rows are published."""
    own = sorted(set(summary["certificate"]["files"]) - _copies(summary))
    names = [name for name in own if name.rpartition(".")[2] in ("csv", "parquet")]
    if not names:
        return None
    source = {"fileSet": {"@id": "parts"}} if names[0].startswith(_PARTS) else {"fileObject": {"@id": names[0]}}
    if summary["shape"] == "table":
        columns = [
            (column["name"], _type(column), entry["role"] + ". " + entry["written"], False)
            for column, entry in zip(summary["columns"], summary["dictionary"], strict=True)
        ]
    elif summary["shape"] == "baskets":
        columns = [("label", "sc:Text", "The label of the row.", False), ("items", "sc:Text", "Its items.", True)]
    else:
        columns = [("sketch", "sc:Float", "The components of the record's sketch.", True)]
    fields = [
        {
            "@type": "cr:Field",
            "@id": f"rows/{place}",
            "name": name,
            "description": description,
            "dataType": kind,
            **({"repeated": True} if repeated else {}),
            "source": source | {"extract": {"column": name}},
        }
        for place, (name, kind, description, repeated) in enumerate(columns, start=1)
    ]
    return {"@type": "cr:RecordSet", "@id": "rows", "name": "rows", "field": fields}


def _type(column: dict[str, Any]) -> str:
    """How the cells of a column are written: those of quasi-identifiers are labels."""
    return (
        "sc:Text" if column["role"] == "quasi" and column["kind"] != "item" else _TYPES.get(column["kind"], "sc:Text")
    )
