# SPDX-License-Identifier: Apache-2.0
"""Open a release folder from somebody else: its certificate, and plain files of the stated sizes and hashes.

Files are opened once, so the bytes that are hashed are the bytes that are read. The folder itself may be a link, since
the user named it; its entries may not.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from discreet.data.content import Content
from discreet.data.roles import Roles
from discreet.data.stored_table import FOLDER, StoredTable
from discreet.errors import DataError, PromiseBroken, listing, plain, shown
from discreet.foundation.plain_files import (
    MOST_DATA,
    MOST_ENTRIES,
    MOST_SIGNATURE,
    MOST_STATED,
    opened,
    read_most,
    read_plain,
)
from discreet.recoding.grouped_items import GroupedItems
from discreet.recoding.patterns import Boxes, EachColumn
from discreet.recoding.record import RECORD, from_bytes
from discreet.release.certificate import CERTIFICATE, Certificate, sha256_of
from discreet.release.signature import SIGNATURE, check_signature
from discreet.release.verify_parts import check_layouts, check_part_names, open_parts, parts_of


@dataclass
class OpenFolder:
    """A release folder: its certificate, its open files or its parts, and what is wrong with them."""

    folder: Path
    statement: bytes = b""
    certificate: Certificate | None = None
    files: dict[str, BinaryIO] = field(default_factory=dict)
    parts: StoredTable | None = None  # the data, if they are in parts
    problems: list[str] = field(default_factory=list)


def open_release(folder: str | os.PathLike[str]) -> tuple[Certificate, Content, Roles | None]:
    """Certificate, data and roles of a folder that holds exactly the certified files.

    Whether the promise holds on them is not checked here; see `verify` and the attacks.
    """
    with _certified(Path(folder)) as release:
        assert release.certificate is not None
        return release.certificate, *contents_of(release)


def read_release(folder: Path, certificate: Certificate) -> tuple[Content, Roles | None]:
    """Data and roles of the release with exactly this certificate."""
    with _certified(folder) as release:
        if release.certificate != certificate:
            raise PromiseBroken(f"{shown(folder.name)} no longer holds the same release.")
        return contents_of(release)


def read_groups(folder: str | os.PathLike[str]) -> GroupedItems | None:
    """The published items with their members, where items were grouped."""
    with _certified(Path(folder)) as release:
        return groups_of_items(release)


def read_record(folder: str | os.PathLike[str]) -> EachColumn | Boxes | None:
    """The published recoding record, if there is one."""
    with _certified(Path(folder)) as release:
        return record_of(release)


@contextmanager
def _certified(folder: Path) -> Iterator[OpenFolder]:
    with open_folder(folder) as release:
        problems = release.problems
        if release.certificate is not None and not problems:
            problems = signer_of(release, None)[1]
        if release.certificate is None or problems:
            raise PromiseBroken(
                f"{shown(folder.name)} is not as it was certified. {' '.join(problems)} Get it again from its holder."
            )
        yield release


@contextmanager
def open_folder(folder: Path) -> Iterator[OpenFolder]:
    """Open a folder and its files. The folder may be a link, its entries may not."""
    if not folder.is_dir():
        meant = f" Did you mean '{plain(folder.parent)}'?" if (folder.parent / CERTIFICATE).is_file() else ""
        raise DataError(
            f"There is no release folder '{plain(folder)}'. Pass the folder that holds {CERTIFICATE}.{meant}"
        )
    release = OpenFolder(folder)
    with ExitStack() as stack:
        try:
            if not os.path.lexists(folder / CERTIFICATE):
                raise DataError(f"The folder has no {CERTIFICATE}: nothing says what is promised.")
            release.statement = read_plain(folder / CERTIFICATE, most=MOST_STATED)
            release.certificate = Certificate.from_bytes(release.statement)
            data_names(release.certificate)
            _open_files(release, release.certificate, stack)
        except (DataError, OSError) as error:
            release.problems.append(str(error) if isinstance(error, DataError) else "The folder cannot be read.")
        yield release


def _open_files(release: OpenFolder, certificate: Certificate, stack: ExitStack) -> None:
    problems = release.problems
    if certificate.seal != certificate.computed_seal():
        problems.append(f"{CERTIFICATE} was changed after it was sealed.")
    parts = parts_of(certificate)
    expected, plain = {*certificate.files, CERTIFICATE}.difference(parts), set()
    extra = 0
    with os.scandir(release.folder) as entries:
        for _, entry in zip(range(MOST_ENTRIES), entries, strict=False):
            if parts and entry.name == FOLDER:
                continue
            is_plain = entry.is_file(follow_symlinks=False)
            plain |= {entry.name} if is_plain else set()
            extra += entry.name not in expected | {SIGNATURE} or not is_plain
    if extra:
        what = "1 entry in the folder is not a file" if extra == 1 else f"{extra} entries in the folder are not files"
        problems.append(f"{what} that the certificate names.")
    if expected - plain:
        problems.append(f"Files that the certificate names are missing: {listing(sorted(expected - plain))}.")
    changed = []
    for name in sorted(set(certificate.files) & plain):
        most = MOST_STATED if name.endswith(".json") else MOST_DATA
        file = stack.enter_context(opened(release.folder / name, most=most))
        record = certificate.files[name]
        if os.fstat(file.fileno()).st_size != record.bytes or sha256_of(file) != record.sha256:
            changed.append(name)
        release.files[name] = file
    if changed:
        problems.append(f"Files were changed after they were certified: {listing(changed)}.")
    if parts and not problems:
        release.parts, wrong = open_parts(release.folder, certificate)
        problems += wrong


def signer_of(release: OpenFolder, expected: str | None) -> tuple[str | None, list[str]]:
    """The signer's public key, and the problems of the signature; `expected` is the key that must have signed."""
    path = release.folder / SIGNATURE
    if not os.path.lexists(path):
        return None, ["A signature is required; the release has none."] if expected is not None else []
    try:
        signer = check_signature(release.statement, read_plain(path, most=MOST_SIGNATURE))
    except DataError as error:
        return None, [str(error)]
    if expected is not None and signer != expected:
        return signer, [f"The certificate was signed with a different key: {signer}."]
    return signer, []


def contents_of(release: OpenFolder) -> tuple[Content, Roles | None]:
    certificate = release.certificate
    assert certificate is not None
    if certificate.rows < 1 and certificate.content_type.has_rows:
        raise DataError(f"The certificate states {certificate.rows} rows; a release of rows has at least one.")
    shape = certificate.shape
    if release.parts is not None:
        check_layouts(release.parts, certificate.rows)
        return release.parts, roles_of(certificate)
    (name,) = data_names(certificate)
    file, columns = release.files[name], certificate.published_columns
    content = certificate.content_type.read(file, columns, shape=shape, rows=certificate.rows)
    return content, roles_of(certificate) if shape == "table" else None


def record_of(release: OpenFolder, **bounds: int) -> EachColumn | Boxes | None:
    """The recoding record of a table, if there is one; `bounds` are passed to `from_bytes`."""
    if RECORD not in release.files or groups_of_items(release) is not None:
        return None
    release.files[RECORD].seek(0)
    return from_bytes(read_most(release.files[RECORD], MOST_STATED), **bounds)


def groups_of_items(release: OpenFolder) -> GroupedItems | None:
    """The recoding record of baskets: published items with their members, if they were grouped."""
    if RECORD not in release.files or release.certificate is None or release.certificate.shape != "baskets":
        return None
    release.files[RECORD].seek(0)
    return GroupedItems.from_bytes(read_most(release.files[RECORD], MOST_STATED))


def roles_of(certificate: Certificate) -> Roles:
    """The roles of a published table; columns that single people out are reported as remarks, not refused."""
    target = certificate.names("target")
    return Roles(
        target=target[0] if target else None,
        quasi=certificate.names("quasi"),
        sensitive=certificate.names("sensitive"),
        other=certificate.names("other"),
        allow_unique=certificate.names("other") + certificate.names("sensitive") + target,
    )


def data_names(certificate: Certificate) -> tuple[str, ...]:
    """Names of the data files; DataError unless the certificate names the files of a release of its shape."""
    allowed = certificate.content_type.file_names(certificate.shape)
    data = [name for name in certificate.files if name != RECORD and name not in certificate.copies]
    if parts := parts_of(certificate):
        check_part_names(certificate)
        if len(parts) < len(data):
            raise DataError(f"A release has a data file or parts in {FOLDER}/, not both.")
        return parts
    if len(data) != 1:
        raise DataError(f"The certificate names {len(data)} data files; a release has one.")
    if data[0] not in allowed:
        raise DataError(
            f"A release of the shape {certificate.shape!r} has the data file {' or '.join(allowed)}; the certificate"
            " names another."
        )
    if RECORD in certificate.files and certificate.shape not in ("table", "baskets"):
        raise DataError(f"Only tables and baskets have a {RECORD}.")
    return (data[0],)
