# SPDX-License-Identifier: Apache-2.0
"""Load a sample by its name, built in or from the catalog."""

from __future__ import annotations

from typing import Any

from discreet.errors import DataError, did_you_mean, listing
from discreet.samples import catalog
from discreet.samples.builtin import BUILTIN
from discreet.samples.sample import Sample, check_options


def names() -> tuple[str, ...]:
    """The names that `load` knows, built-in samples first.

    >>> names()[:3]
    ('clinic', 'tic_tac_toe', 'waveform')
    """
    return tuple(dict.fromkeys((*BUILTIN, *catalog.CATALOG)))


def load(name: str, **options: Any) -> Sample:
    """A sample by its name; options go to its function.

    Where a built-in sample and a set of the catalog have the same name (tic_tac_toe, wdbc) they hold the same rows, and
    the built-in one is returned, as it needs no files; `discreet.samples.catalog.load` reads the file.

    >>> load("clinic", rows=500).data
    Table(500 rows, columns 'patient_id', 'name', 'age', 'sex', 'zip', 'occupation' and 5 more)
    """
    if name in BUILTIN:
        check_options(name, BUILTIN[name], options)
        return BUILTIN[name](**options)
    if name in catalog.CATALOG:
        return catalog.load(name, **options)
    raise DataError(
        f"There is no sample {name!r}.{did_you_mean(name, names())} Built in are {listing(BUILTIN)};"
        f" the catalog, read from the folder that DISCREET_DATA names, has {listing(catalog.CATALOG, most=99)}."
    )
