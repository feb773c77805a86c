# SPDX-License-Identifier: Apache-2.0
"""Files of SPSS, Stata and SAS as tables: values with labels become categories, user-missing values missing.

A column is a category if each of its values has a label. If only some have, it stays a number: labels of single
values often say what a mark means (999: not asked), which the holder has to declare missing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from discreet.data.held_file import Source
from discreet.data.typed_columns import column_of, written
from discreet.errors import DataError, quietly, shown

_READERS = {
    "SPSS": "read_sav",
    "SPSS portable": "read_por",
    "Stata": "read_dta",
    "SAS": "read_sas7bdat",
    "SAS transport": "read_xport",
}


def read_statistics(source: Source, kind: str, *, encoding: str | None = None) -> tuple[pa.Table, dict[str, Any]]:
    """The table, and what is to be said about it: the labels of its columns, and how it was read."""
    import pyreadstat

    read = getattr(pyreadstat, _READERS[kind])
    with source.open("rb") as file:
        options = {} if encoding is None else {"encoding": encoding}
        both, failure = quietly(lambda: read(file, output_format="dict", **options))
    if both is None:
        raise DataError(
            f"{shown(source.name)} cannot be read as a file of {kind.split()[0]} ({failure}): it is damaged, or a date"
            " in it is outside the years 1 to 9999, or its encoding has to be given. Save it again, or as CSV."
        )
    cells, meta = both
    if not cells:
        raise DataError(f"{shown(source.name)} holds no columns.")
    notes: list[str] = []
    columns = {
        name: _column(name, list(values), meta.variable_value_labels.get(name) or {}, notes)
        for name, values in cells.items()
    }
    labels = {name: str(label) for name, label in (meta.column_names_to_labels or {}).items() if label}
    return pa.table(columns), {"notes": notes, "labels": labels}


def _column(name: str, values: list[Any], labels: Mapping[Any, str], notes: list[str]) -> pa.Array:
    values = [None if _is_missing(value) else value for value in values]
    present = {value for value in values if value is not None} if labels else set()
    labelled = present & set(labels)
    if not labelled:
        return column_of(values)
    if labelled < present:
        notes.append(
            f"Column {shown(name)}: {len(labelled)} of its {len(present)} values have labels, so it was read as it is,"
            " without them. If they mark missing cells, say so (missing=[...], --missing)."
        )
        return column_of(values)
    notes.append(f"Column {shown(name)}: the labels of its {len(present)} values were read as categories.")
    times = Counter(labels[value] for value in present)
    order = sorted(present, key=lambda value: (isinstance(value, str), value))
    texts = [labels[one] if times[labels[one]] == 1 else f"{labels[one]} ({written(one)})" for one in order]
    place = {value: i for i, value in enumerate(order)}
    indices = pa.array([None if value is None else place[value] for value in values], pa.int32())
    return pa.DictionaryArray.from_arrays(indices, pa.array(texts, pa.string()))


def _is_missing(value: Any) -> bool:
    return value is None or value != value or (isinstance(value, str) and not value.strip())
