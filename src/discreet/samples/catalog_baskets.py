# SPDX-License-Identifier: Apache-2.0
"""Readers of the papers' sparse data: e-mails, titles, news, market baskets.

Every reader returns a Sample with baskets (which items a row has) and, on request, counts (how often). `catalog.py`
adds the rest and checks the figures.
"""

from __future__ import annotations

import re
import tarfile
from collections.abc import Iterable

import numpy as np

from discreet.data.baskets import Baskets
from discreet.errors import DataError
from discreet.foundation.lazy_modules import sparse as sp
from discreet.samples.catalog_files import data_file, lines
from discreet.samples.catalog_tables import matlab
from discreet.samples.sample import Sample


def _counted(rows: Iterable[tuple[Iterable[int], Iterable[int]]], n_items: int) -> sp.csr_array:
    """A matrix of counts from (items, times) of each row; an item that comes twice is added up."""
    items: list[int] = []
    times: list[int] = []
    indptr = [0]
    for row_items, row_times in rows:
        items.extend(row_items)
        times.extend(row_times)
        indptr.append(len(items))
    cells = (np.array(times, dtype=np.int32), np.array(items, dtype=np.int32), np.array(indptr, dtype=np.int32))
    matrix = sp.csr_array(cells, shape=(len(indptr) - 1, n_items))
    matrix.sum_duplicates()
    return matrix


def _sample(counts: sp.csr_array, labels: Iterable[str], names: Iterable[str], *, keep_counts: bool) -> Sample:
    present = sp.csr_array((np.ones(counts.nnz, np.uint8), counts.indices, counts.indptr), shape=counts.shape)
    baskets = Baskets.of(present, np.array(list(labels)), names=names)
    return Sample("", baskets, counts=counts if keep_counts else None)


# -- E-mails ----------------------------------------------------------------------------------------------------------


def pu1(counts: bool = False) -> Sample:
    """Tokens of subject and body, in all eleven folders: the paper's 1099 include the nine messages left `unused`."""
    messages, labels = _messages()
    n_tokens = 1 + max(max(tokens, default=0) for tokens in messages)
    matrix = _counted(((tokens, [1] * len(tokens)) for tokens in messages), n_tokens)
    return _sample(matrix, labels, map(str, range(n_tokens)), keep_counts=counts)


def pu1_bodies() -> Sample:
    """As paper 1 has it: the subject line left out, 24,604 tokens. They keep the numbers they have in `pu1`."""
    messages, labels = _messages(subject=False)
    return Sample("", Baskets.from_transactions([[str(token) for token in tokens] for tokens in messages], labels))


def _messages(subject: bool = True) -> tuple[list[list[int]], list[str]]:
    """The tokens of each message, with or without those of its first line, and whether it is spam."""
    messages, labels = [], []
    with tarfile.open(data_file("pu1/pu1_bare_raw.tar.gz"), "r:gz") as archive:
        for member in archive:
            kind = re.search(r"(legit|spmsg)[^/]*\.txt$", member.name)
            if kind is None:
                continue
            text = archive.extractfile(member).read().decode("ascii")  # type: ignore[union-attr]
            tokens = text.removeprefix("Subject:") if subject else text.partition("\n")[2]
            messages.append([int(token) for token in tokens.split()])
            labels.append("legit" if kind[1] == "legit" else "spam")
    if not messages:
        raise DataError("The archive 'pu1/pu1_bare_raw.tar.gz' holds no messages.")
    return messages, labels


# -- Texts ------------------------------------------------------------------------------------------------------------


def arnetminer() -> Sample:
    """A row per publication, an item per word of its title, the real person behind the name as the label.

    The file is not well-formed XML (bare `&`), so it is searched, not parsed.
    """
    text = "\n".join(lines("arnetminer/data.xml.gz"))
    publications = re.findall(
        r"<publication>.*?<title>(.*?)</title>.*?<label>(.*?)</label>.*?</publication>", text, re.DOTALL
    )
    if not publications:
        raise DataError("'arnetminer/data.xml.gz' holds no publications with a title and a label.")
    words = [re.findall("[a-z]+", title.lower()) for title, _ in publications]
    return Sample("", Baskets.from_transactions(words, [f"person {label.strip()}" for _, label in publications]))


def basehock(counts: bool = False) -> Sample:
    """The file says how often, not which words: they are numbered."""
    values, labels = matlab("basehock/BASEHOCK.mat")
    matrix = sp.csr_array(values.astype(np.int32))
    return _sample(matrix, labels, (f"word{j}" for j in range(values.shape[1])), keep_counts=counts)


FBIS_WORDS = 2000


def text_fbis(counts: bool = False) -> Sample:
    """Sparse ARFF: `{place times, ...}`; place 2000 is the class, and a row without it has the first class, 100."""
    rows, labels = [], []
    for line in lines("text_fbis/fbis.wc.arff.gz"):
        if line.startswith("{"):
            pairs = [pair.split() for pair in line.strip("{} ").split(",") if pair.strip()]
            cells = {int(place): value for place, value in pairs}
            labels.append(cells.pop(FBIS_WORDS, "100"))
            rows.append((list(cells), [int(value) for value in cells.values()]))
    if not rows:
        raise DataError("'text_fbis/fbis.wc.arff.gz' holds no rows.")
    names = (f"word-{j}" for j in range(FBIS_WORDS))
    return _sample(_counted(rows, FBIS_WORDS), labels, names, keep_counts=counts)


# -- Market baskets ---------------------------------------------------------------------------------------------------


def retail() -> Sample:
    return Sample("", Baskets.from_transactions(data_file("fimi/retail.dat.gz")))


def t10i4d100k() -> Sample:
    return Sample("", Baskets.from_transactions(data_file("fimi/T10I4D100K.dat.gz")))


def bms1() -> Sample:
    """Separated by commas, unlike the others."""
    return Sample("", Baskets.from_transactions(data_file("fimi/BMS1_itemset_mining.txt.gz"), separator=","))


def mushroom() -> Sample:
    return _labelled_by_item("fimi/mushroom.dat.gz", "poisonous", "edible")


def chess() -> Sample:
    return _labelled_by_item("fimi/chess.dat.gz", "won", "nowin")


def _labelled_by_item(relative: str, first: str, second: str) -> Sample:
    """Items 1 and 2 are the class; they become labels and are no items any more."""
    baskets = Baskets.from_transactions(data_file(relative))
    if baskets.names[:2] != ("1", "2"):
        raise DataError(f"{relative!r} should have the items 1 and 2, which are the class.")
    has = np.stack([np.bincount(baskets.columns[:, [j]].indices, minlength=len(baskets)) for j in (0, 1)])
    wrong = int((has.sum(axis=0) != 1).sum())
    if wrong:
        raise DataError(f"{relative!r} should have item 1 or item 2 in each row; {wrong} rows have both or none.")
    labels = np.where(has[0] == 1, first, second)
    return Sample("", baskets.keep(range(2, len(baskets.names))).labelled(labels))
