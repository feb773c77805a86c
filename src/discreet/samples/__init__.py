# SPDX-License-Identifier: Apache-2.0
"""Data to experiment with: built-in samples that need no download, and a catalog of the papers' data sets."""

from discreet.samples import catalog
from discreet.samples.builtin import BUILTIN, tic_tac_toe, waveform, wdbc
from discreet.samples.by_name import load, names
from discreet.samples.catalog import CATALOG
from discreet.samples.catalog_files import data_file
from discreet.samples.clinic import clinic
from discreet.samples.quest import quest
from discreet.samples.sample import Sample

__all__ = [
    "BUILTIN",
    "CATALOG",
    "Sample",
    "catalog",
    "clinic",
    "data_file",
    "load",
    "names",
    "quest",
    "tic_tac_toe",
    "waveform",
    "wdbc",
]
