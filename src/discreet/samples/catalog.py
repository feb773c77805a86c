# SPDX-License-Identifier: Apache-2.0
"""The papers' data sets, read from the folder that DISCREET_DATA names and checked against known figures.

They are not part of discreet, and nothing of them is stored: each is read on demand, and refused if its rows, columns
or classes are not as expected. Papers: 1 containment, 2 kACTUS-2, 3 private FWELL, 4 E(S), 5 sketches.
"""

from __future__ import annotations

import tarfile
import zlib
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from discreet.data.baskets import Baskets
from discreet.errors import DataError, DiscreetError, did_you_mean, listing
from discreet.samples import catalog_baskets as baskets
from discreet.samples import catalog_tables as tables
from discreet.samples.sample import Sample, check_options

_UCI = "CC BY 4.0 (UCI)"
_UNSTATED = "not stated"
_FIMI = "research use (FIMI repository)"


@dataclass(frozen=True)
class CatalogEntry:
    """A data set of the catalog and the figures that it must have.

    `columns` counts every column of a table, including the class, or the items of baskets, without the class. `classes`
    gives the rows of each class; `largest` those of the largest classes only, in order, if there are too many to list;
    `ones` the non-zero cells of baskets.
    """

    read: Callable[..., Sample]
    rows: int
    columns: int
    classes: Mapping[str, int] | None
    description: str
    source: str
    licence: str
    papers: tuple[int, ...] = ()
    n_classes: int | None = None
    largest: tuple[int, ...] = ()
    ones: int | None = None

    def check(self, name: str, sample: Sample) -> None:
        """Raise DataError, with the expected and the found counts, unless all figures agree."""
        wrong = []
        if sample.shape != (self.rows, self.columns):
            wrong.append(f"{self.rows} rows x {self.columns} columns expected, {_times(sample.shape)} found")
        counts = class_counts(sample)
        if self.classes is not None and counts != dict(self.classes):
            wrong.append(f"classes {_counts(self.classes)} expected, {_counts(counts)} found")
        if self.n_classes is not None and len(counts) != self.n_classes:
            wrong.append(f"{self.n_classes} classes expected, {len(counts)} found")
        sizes = tuple(sorted(counts.values(), reverse=True)[: len(self.largest)])
        if sizes != self.largest:
            wrong.append(f"largest classes {self.largest} expected, {sizes} found")
        if self.ones is not None and self.ones != (ones := cast(Baskets, sample.data).matrix.nnz):
            wrong.append(f"{self.ones} non-zero cells expected, {ones} found")
        if wrong:
            raise DataError(
                f"The data set {name!r} in the folder that DISCREET_DATA names is not the one the papers used:"
                f" {'; '.join(wrong)}. Replace its files."
            )


def load(name: str, **options: Any) -> Sample:
    """A data set of the catalog by its name, with its figures checked.

    Unlike `discreet.samples.load` this never falls back on a built-in sample of the same name.
    """
    if name not in CATALOG:
        raise DataError(
            f"There is no data set {name!r} in the catalog.{did_you_mean(name, CATALOG)} It has"
            f" {listing(CATALOG, most=len(CATALOG))}."
        )
    entry = CATALOG[name]
    check_options(name, entry.read, options)
    try:
        sample = entry.read(**options)
    except DiscreetError:
        raise
    except (OSError, EOFError, ValueError, KeyError, zlib.error, tarfile.TarError) as error:
        raise DataError(
            f"The files of {name!r} in the folder that DISCREET_DATA names cannot be read"
            f" ({type(error).__name__}). Replace them."
        ) from None
    entry.check(name, sample)
    return replace(
        sample,
        name=name,
        description=entry.description,
        source=entry.source,
        licence=entry.licence,
        papers=entry.papers,
    )


def class_counts(sample: Sample) -> dict[str, int]:
    """Rows of each class; empty when there is no target."""
    labels = sample.data.label_values
    if labels is not None:
        return dict(Counter(map(str, labels.tolist())))
    if sample.roles is None or sample.roles.target is None:
        return {}
    (target,) = sample.data.columns([sample.roles.target])
    names = [*target.texts, "missing"][: target.levels]
    return dict(zip(names, np.bincount(target.codes, minlength=target.levels).tolist(), strict=True))


def _times(shape: tuple[int, int]) -> str:
    return f"{shape[0]} rows x {shape[1]} columns"


def _counts(classes: Mapping[str, int]) -> str:
    """Sizes, largest first: an error may show counts, but not the labels of an unknown file."""
    sizes = sorted(classes.values(), reverse=True)
    return f"{', '.join(map(str, sizes[:20]))}{', ...' if len(sizes) > 20 else ''}" if sizes else "none"


_SOYBEAN_10 = (
    "bacterial-blight", "bacterial-pustule", "charcoal-rot", "diaporthe-stem-canker", "downy-mildew",
    "phyllosticta-leaf-spot", "powdery-mildew", "purple-seed-stain", "rhizoctonia-root-rot",
)  # fmt: skip

CATALOG: dict[str, CatalogEntry] = {
    "adult": CatalogEntry(
        tables.adult, 45222, 15, {"<=50K": 34014, ">50K": 11208},
        "US census 1994, the complete rows of both files; does a person earn over 50,000 dollars a year?",
        "B. Becker and R. Kohavi, UCI Adult, 1996", _UCI, (2, 4),
    ),
    "adult_train": CatalogEntry(
        tables.adult_train, 32561, 15, {"<=50K": 24720, ">50K": 7841},
        "US census 1994, the training file with its missing cells.",
        "B. Becker and R. Kohavi, UCI Adult, 1996", _UCI, (1,),
    ),
    "adult_arx": CatalogEntry(
        tables.adult_arx, 30162, 9, {"<=50K": 22654, ">50K": 7508},
        "The complete rows of adult_train in eight columns; generalisation hierarchies lie beside it.",
        "the ARX project, from UCI Adult", "Apache-2.0; data CC BY 4.0 (UCI)", (2,),
    ),
    "german": CatalogEntry(
        tables.german, 1000, 21, {"1": 700, "2": 300},
        "German credit: is the applicant a good (1) or a bad (2) risk?",
        "H. Hofmann, UCI Statlog German Credit, 1994", _UCI, (2,),
    ),
    "german_numeric": CatalogEntry(
        tables.german_numeric, 1000, 25, {"1": 700, "2": 300},
        "German credit with indicators instead of categories, by Strathclyde University.",
        "H. Hofmann, UCI Statlog German Credit, 1994", _UCI,
    ),
    "tic_tac_toe": CatalogEntry(
        tables.tic_tac_toe, 958, 10, {"positive": 626, "negative": 332},
        "Final boards of tic-tac-toe; has x won? Also built in.",
        "D. W. Aha, UCI Tic-Tac-Toe Endgame, 1991", _UCI, (2,),
    ),
    "glass": CatalogEntry(
        tables.glass, 214, 11, {"1": 70, "2": 76, "3": 17, "5": 13, "6": 9, "7": 29},
        "Glass found at the scene: which of seven types is it? Type 4 does not occur.",
        "B. German, UCI Glass Identification, 1987", _UCI, (2,),
    ),
    "waveform21": CatalogEntry(
        tables.waveform21, 5000, 22, {"0": 1657, "1": 1647, "2": 1696},
        "Noisy waves, 21 attributes; classes 1 and 2 are the 3343 rows of paper 3.",
        "L. Breiman et al., UCI Waveform version 1, 1988", _UCI, (3,),
    ),
    "waveform40": CatalogEntry(
        tables.waveform40, 5000, 41, {"0": 1692, "1": 1653, "2": 1655},
        "Noisy waves, 21 attributes and 19 of noise alone.",
        "L. Breiman et al., UCI Waveform version 2, 1988", _UCI, (2,),
    ),
    "pima": CatalogEntry(
        tables.pima, 768, 9, {"0": 500, "1": 268},
        "Women of Pima Indian heritage; does a woman show signs of diabetes (1)?",
        "J. W. Smith et al., UCI Pima Indians Diabetes, 1988", "not stated in the copy", (4,),
    ),
    "ilpd": CatalogEntry(
        tables.ilpd, 583, 11, {"1": 416, "2": 167},
        "Indian liver patients: liver disease (1) or not (2)? Four ratios are missing.",
        "B. V. Ramana et al., UCI ILPD, 2012", _UCI, (4,),
    ),
    "diabetes130": CatalogEntry(
        tables.diabetes130, 101766, 50, {"NO": 54864, ">30": 35545, "<30": 11357},
        "Ten years of diabetes encounters in 130 US hospitals, 71,518 patients; when are they readmitted?",
        "B. Strack et al., UCI Diabetes 130-US hospitals, 2014", _UCI, (4,),
    ),
    "wdbc": CatalogEntry(
        tables.wdbc, 569, 32, {"B": 357, "M": 212},
        "Breast cancer in Wisconsin, 30 measures of cell nuclei. Also built in.",
        "W. H. Wolberg, W. N. Street and O. L. Mangasarian, UCI, 1995", _UCI, (3,),
    ),
    "sonar": CatalogEntry(
        tables.sonar, 208, 61, {"M": 111, "R": 97},
        "Sonar echoes in 60 bands: a mine (M) or a rock (R)?",
        "R. P. Gorman and T. J. Sejnowski, UCI Connectionist Bench, 1988", _UCI, (3,),
    ),
    "soybean": CatalogEntry(
        tables.soybean, 307, 36,
        {**dict.fromkeys(_SOYBEAN_10, 10), "alternarialeaf-spot": 40, "brown-spot": 40, "frog-eye-leaf-spot": 40,
         "phytophthora-rot": 40, "anthracnose": 20, "brown-stem-rot": 20, "cyst-nematode": 6,
         "diaporthe-pod-&-stem-blight": 6, "herbicide-injury": 4, "2-4-d-injury": 1},
        "Diseases of soybean plants, the training file.",
        "R. S. Michalski and R. L. Chilausky, UCI Soybean (Large), 1980", _UCI, (3,),
    ),
    "soybean_test": CatalogEntry(
        tables.soybean_test, 376, 36,
        {**dict.fromkeys(_SOYBEAN_10, 10), "alternarialeaf-spot": 51, "brown-spot": 52, "frog-eye-leaf-spot": 51,
         "phytophthora-rot": 48, "anthracnose": 24, "brown-stem-rot": 24, "cyst-nematode": 8,
         "diaporthe-pod-&-stem-blight": 9, "herbicide-injury": 4, "2-4-d-injury": 15},
        "Diseases of soybean plants, the test file.",
        "R. S. Michalski and R. L. Chilausky, UCI Soybean (Large), 1980", _UCI,
    ),
    "lung_small": CatalogEntry(
        tables.lung_small, 73, 326, {"1": 6, "2": 5, "3": 5, "4": 16, "5": 7, "6": 13, "7": 21},
        "Gene expression of lung tissue in three levels; a stand-in for the 203 samples of paper 3.",
        "ASU feature selection collection", "GPL-2.0 (scikit-feature)", (3,),
    ),
    "tox171": CatalogEntry(
        tables.tox171, 171, 5749, {"1": 45, "2": 45, "3": 39, "4": 42},
        "Gene expression, many genes and few samples; a stand-in for the Lung set of paper 3.",
        "ASU feature selection collection", "GPL-2.0 (scikit-feature)", (3,),
    ),
    "basehock": CatalogEntry(
        baskets.basehock, 1993, 4862, {"1": 994, "2": 999},
        "Words of posts in two newsgroups; counts=True gives how often.",
        "ASU feature selection collection, from 20 Newsgroups", "GPL-2.0 (scikit-feature); Usenet posts", (3,),
    ),
    "pu1": CatalogEntry(
        baskets.pu1, 1099, 24748, {"legit": 618, "spam": 481},
        "Encoded tokens of a person's e-mails: spam or not? counts=True gives how often.",
        "I. Androutsopoulos et al., PU1, 2003",
        "non-commercial use only; acknowledge and notify the authors", (1,), ones=248780,
    ),
    "pu1_bodies": CatalogEntry(
        baskets.pu1_bodies, 1099, 24604, {"legit": 618, "spam": 481},
        "The same e-mails without their subject lines: the matrix of paper 1.",
        "I. Androutsopoulos et al., PU1, 2003",
        "non-commercial use only; acknowledge and notify the authors", (1,), ones=246584,
    ),
    "arnetminer": CatalogEntry(
        baskets.arnetminer, 308, 1143, None,
        "Words in the titles of publications by 'Lei Wang'; which of 112 persons wrote each? A stand-in for paper 1.",
        "Arnetminer, as published by B. Zhang for work on name disambiguation", _UNSTATED,
        (1,), n_classes=112, largest=(34, 20, 12, 11, 9, 8, 8, 8),
    ),
    "retail": CatalogEntry(
        baskets.retail, 88162, 16470, None, "Market baskets of a Belgian store, without labels.",
        "donated by T. Brijs; FIMI repository", f"{_FIMI}; cite T. Brijs", (5,),
    ),
    "t10i4d100k": CatalogEntry(
        baskets.t10i4d100k, 100000, 870, None, "Market baskets by the Apriori generator, without labels.",
        "IBM Almaden Quest; FIMI repository", _FIMI, (5,),
    ),
    "mushroom": CatalogEntry(
        baskets.mushroom, 8124, 117, {"poisonous": 3916, "edible": 4208},
        "Mushrooms by their looks: poisonous or edible? 119 items, two of which are the class.",
        "J. Schlimmer, UCI Mushroom, 1987; FIMI repository", _FIMI, (5,),
    ),
    "chess": CatalogEntry(
        baskets.chess, 3196, 73, {"won": 1669, "nowin": 1527},
        "King and rook against king and pawn: can white win? 75 items, two of which are the class.",
        "A. Shapiro, UCI Chess (kr-vs-kp), 1989; FIMI repository", _FIMI, (5,),
    ),
    "bms1": CatalogEntry(
        baskets.bms1, 59602, 497, None, "Clicks of visitors of a web shop (BMS-WebView-1), without labels.",
        "KDD Cup 2000", "KDD Cup 2000 terms", (5,),
    ),
    "text_fbis": CatalogEntry(
        baskets.text_fbis, 2463, 2000,
        {"142": 506, "111": 387, "189": 358, "202": 190, "118": 139, "187": 125, "12": 121, "221": 119, "108": 94,
         "100": 92, "161": 65, "3": 48, "11": 46, "119": 46, "240": 46, "4": 43, "95": 38},
        "Words of news, 17 classes; a stand-in for the 163,000 documents of paper 5. counts=True gives how often.",
        "FBIS of TREC-5; OpenML fbis.wc", _UNSTATED, (5,),
    ),
}  # fmt: skip
