# SPDX-License-Identifier: Apache-2.0
"""The five papers, and the folders of benchmarks/ that make their figures again.

A folder has a `published.toml`, a `reproduce.py` with units of work, and a `measured.json` with what they gave.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import ModuleType

HERE = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Paper:
    """Its short name, who wrote it and what it is called, and its folders in the order of its tables."""

    name: str
    cited: str
    folders: tuple[str, ...]


PAPERS = (
    Paper(
        "containment",
        "B. Zhang, N. Mohammed, V. S. Dave, M. Al Hasan, *Feature Selection for Classification under Anonymity"
        " Constraint*",
        ("containment", "disambiguation"),
    ),
    Paper(
        "trees",
        "S. Kisilevich, Y. Elovici, B. Shapira, L. Rokach, *kACTUS 2: Privacy Preserving in Classification Tasks Using"
        " k-Anonymity*",
        ("trees", "learning"),
    ),
    Paper("fwell", "J. Yang, Y. Li, *Differentially Private Feature Selection*", ("fwell",)),
    Paper(
        "breach",
        "Y. Jafer, S. Matwin, M. Sokolova, *A Multi-dimensional Privacy-aware Evaluation Function in Automatic Feature"
        " Selection*",
        ("breach", "choice"),
    ),
    Paper(
        "sketches",
        "C. C. Aggarwal, P. S. Yu, *On Privacy-Preservation of Text and Sparse Binary Data with Sketches*",
        ("sketches",),
    ),
)


def folders() -> list[str]:
    return [folder for paper in PAPERS for folder in paper.folders]


def known() -> list[str]:
    """All names that can be asked for: papers, and folders that are a part of one."""
    return [paper.name for paper in PAPERS] + [name for name in folders() if name not in {p.name for p in PAPERS}]


def folders_of(name: str) -> tuple[str, ...]:
    """The folders behind a name: all of a paper, or the one that is named."""
    return next((paper.folders for paper in PAPERS if paper.name == name), (name,))


def module(folder: str) -> ModuleType:
    return import_module(f"benchmarks.{folder}.reproduce")
