# SPDX-License-Identifier: Apache-2.0
"""The recoding of a saved release as a transformer of scikit-learn.

A model that learnt from a release knows the labels of the release, not original cells. With a `Recoder` before it, it
predicts original rows. There is nothing to learn: what a label stands for is read from the published folder.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np

from discreet.data.as_it_came import as_it_came
from discreet.data.table import Table
from discreet.errors import DataError, did_you_mean, listing, quietly, shown
from discreet.foundation.estimators import Estimator, TransformerFace, output_kind
from discreet.release.certificate import Certificate
from discreet.release.recode_rows import Recoding, recoding_of

_ARRAY = (
    "An array has no names of columns. Pass a data frame or a structured array, or fit the Recoder to a frame whose"
    " columns are in the same order."
)


class Recoder(TransformerFace, Estimator):
    """Write original rows with the labels of a release, in a pipeline of scikit-learn.

    `transform` takes pandas, polars or Arrow frames, mappings, and arrays with names (structured, or in the order of
    the frame that the Recoder was fitted to), and returns what it was given, unless `set_output` says otherwise. The
    target is never in the output. Many cells that the release does not know give a warning (`UnknownValuesWarning`).
    `fit` reads the folder and learns nothing, so that a Recoder works without it.

    Copies, clones and pickles hold the path of the folder and nothing of its content; it is read where they are used.

    Parameters
    ----------
    folder : str or path
        The published folder, which holds certificate.json and recoding.json.
    columns : list of str or None
        The published columns to give out, in this order; None for all but the target. Leave out those that new rows do
        not have.

    Attributes
    ----------
    n_features_in_ : int
        Columns of the rows that it was fitted to.
    feature_names_in_ : array of str
        Their names.

    Promise
    -------
    None. The promise of a release covers the released rows, not the ones that are recoded.

    Examples
    --------
    >>> import tempfile
    >>> from discreet import Mondrian, Roles
    >>> table = {"age": [21, 22, 23, 61, 62, 63], "y": [0, 0, 0, 1, 1, 1]}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Mondrian(k=3).release(table, Roles(target="y", quasi=["age"])).save(f"{folder}/out")
    ...     Recoder(f"{folder}/out/release").transform({"age": [30, 90]}).column("age").texts
    ['< 50', '>= 50']
    """

    def __init__(self, folder: str | os.PathLike[str], *, columns: Iterable[str] | None = None) -> None:
        self.folder = folder
        self.columns = columns

    def fit(self, X: Any = None, y: Any = None) -> Self:
        """Read the folder, and remember the names of the columns of X; nothing is learnt."""
        recoding = self._features()
        if X is not None:
            names = _names_of(X)
            if names is not None:
                self.feature_names_in_ = np.array(names, dtype=object)
                recoding.check(names)
            self.n_features_in_ = np.shape(X)[1] if names is None else len(names)
        return self

    def transform(self, X: Any) -> Any:
        """The rows with the labels of the release, in their order."""
        rows = self._named(X)
        table = self._features().of(Table.of(rows))
        kind = output_kind(self)
        if kind == "array" or (kind == "default" and isinstance(X, np.ndarray)):
            return _array(table)
        return as_it_came(table, X) if kind == "default" else as_it_came(table, X, frame=kind)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """The published columns that `transform` gives out, whatever the input."""
        return np.array(self._features().names, dtype=object)

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.requires_fit = False
        tags.input_tags.string = tags.input_tags.categorical = tags.input_tags.allow_nan = True
        tags.transformer_tags.preserves_dtype = []
        return tags

    def __getstate__(self) -> dict[str, Any]:
        """The parameters and the names of columns; never what was read from the folder."""
        return {name: value for name, value in vars(self).items() if name != "_read"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    def _features(self) -> _Features:
        """How rows are recoded; read once. (Not a property: scikit-learn looks at all of them for a display.)"""
        asked = (os.fspath(self.folder), None if self.columns is None else tuple(self.columns))
        read: tuple[Any, _Features] | None = vars(self).get("_read")
        if read is None or read[0] != asked:
            read = (asked, _Features.read(Path(self.folder), asked[1]))
            self._read = read
        return read[1]

    def _named(self, X: Any) -> Any:
        """Arrays as columns with names; anything else as it is."""
        if not isinstance(X, np.ndarray):
            return X
        if X.dtype.names is not None:
            return {name: X[name] for name in X.dtype.names}
        names = vars(self).get("feature_names_in_")
        if names is None or X.ndim != 2 or X.shape[1] != len(names):
            raise DataError(_ARRAY)
        return {name: X[:, place] for place, name in enumerate(names)}


@dataclass(frozen=True, eq=False)
class _Features:
    """How rows are recoded to the columns of a release that a classifier learns from."""

    recoding: Recoding
    names: tuple[str, ...]
    kinds: Mapping[str, str]  # of published columns that are not recoded

    @classmethod
    def read(cls, folder: Path, columns: tuple[str, ...] | None) -> _Features:
        recoding, certificate = recoding_of(folder), Certificate.read(folder)
        features = {column.name: column.kind for column in certificate.columns if column.role != "target"}
        unknown = [name for name in columns or () if name not in features]
        if unknown:
            hint = did_you_mean(unknown[0], features)
            raise DataError(
                f"The release has no columns {listing(unknown)} besides its target.{hint} It has"
                f" {listing(features, most=12)}."
            )
        written = {labelling.name for labelling in recoding.plan.labellings}
        kinds = {name: kind for name, kind in features.items() if name not in written}
        return cls(recoding, tuple(features) if columns is None else columns, kinds)

    @property
    def needed(self) -> tuple[str, ...]:
        """The columns that rows must have."""
        sources = (labelling.source for labelling in self.recoding.plan.labellings)
        return tuple(dict.fromkeys([*sources, *(name for name in self.names if name in self.kinds)]))

    def check(self, names: Iterable[str]) -> None:
        """DataError unless rows with these columns can be recoded."""
        present = set(names)
        if absent := [name for name in self.needed if name not in present]:
            hint = did_you_mean(absent[0], present)
            others = [name for name in absent if name in self.kinds]
            raise DataError(
                f"The rows lack {len(absent)} column{'s' * (len(absent) > 1)} of the release: {listing(absent)}.{hint}"
                + (" Name the ones to give out: Recoder(folder, columns=[...])." if others else "")
            )

    def of(self, rows: Table) -> Table:
        self.check(rows.names)
        self._refuse_released(rows)
        unchanged: dict[str, Any] = {name: kind for name, kind in self.kinds.items() if name in self.names}
        return self.recoding(rows.reread(kinds=unchanged), self.names)

    def _refuse_released(self, rows: Table) -> None:
        """Labels in a column of numbers or dates say that the rows are recoded already."""
        for labelling in self.recoding.plan.labellings:
            column, failure = quietly(rows.column, labelling.source, errors=(DataError,))
            if failure:  # the record may say how to read it
                continue
            is_text = labelling.kind != "category" and column.kind == "category" and column.levels
            if is_text and {*column.texts} <= {*labelling.labels, labelling.fallback}:
                raise DataError(
                    f"Column {shown(labelling.source)} already holds labels of the release. Give the Recoder original"
                    " rows; a model learns from released rows as they are."
                )


def _array(table: Table) -> np.ndarray:
    array = np.empty((len(table), len(table.names)), dtype=object)
    for place, column in enumerate(table.columns()):
        array[:, place] = column.to_arrow().to_pylist()
    return array


def _names_of(X: Any) -> list[str] | None:
    """The names of the columns of rows; None for an array without names."""
    if isinstance(X, np.ndarray):
        return None if X.dtype.names is None else list(X.dtype.names)
    return list(Table.of(X).names)
