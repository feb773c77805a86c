# SPDX-License-Identifier: Apache-2.0
"""Files as people have them, made by a seeded script: each is read as expected, or the right question is asked."""

import datetime as dt

from corpus.families import corpus
from discreet.data.table import Table
from discreet.engines.duckdb import DuckDB
from discreet.errors import DataError

CASES = {case.name: case for case in corpus()}


def cells(table: Table, name: str) -> list:
    def plain(cell):
        if isinstance(cell, (dt.date, dt.datetime)):
            return str(cell)
        return str(cell).lower() if isinstance(cell, bool) else cell

    return [plain(cell) for cell in table.column(name).to_arrow().to_pylist()]


def texts_of(expected) -> list[str]:
    """The cells that no sentence and no question may hold."""
    return [cell for cells in expected.values.values() for cell in cells if isinstance(cell, str) and len(cell) > 3]


def problems(case, folder) -> list[str]:
    """How the reading of a file differs from what is expected."""
    expected = case.expected
    table, error = None, ""
    try:
        table = Table.of(case.write(folder), **expected.options)
        table.columns()
    except DataError as raised:
        error = str(raised)
    told = " ".join([error] if table is None or error else table.reading.sentences())
    if leaks := [cell for cell in texts_of(expected) if cell in told]:
        return [f"tells {leaks}"]
    if expected.asks or error:
        missing = [part for part in expected.asks if part not in error]
        return [f"does not ask {part!r}: {error!r}" for part in missing or ([] if expected.asks else ["nothing"])]
    found = [
        f"{name} is a {table.column(name).kind}"
        for name, kind in expected.kinds.items()
        if table.column(name).kind != kind
    ]
    found += [
        f"{name} holds {cells(table, name)}"
        for name, values in expected.values.items()
        if cells(table, name) != list(values)
    ]
    said = table.reading.sentences()
    return [
        *found,
        *(f"does not say {part!r}: {said}" for part in expected.sentences if not any(part in one for one in said)),
    ]


def test_there_are_many():
    assert len(CASES) >= 150


def test_every_file_is_read_as_expected(tmp_path):
    wrong = {name: found for name, case in CASES.items() if (found := problems(case, tmp_path))}
    assert not wrong, "\n".join(f"{name}: {found}" for name, found in wrong.items())


def test_engines_read_the_same_or_ask(tmp_path):
    """A few files of each family: an engine has its own way to the cells, but not to what they mean."""
    wrong = []
    for case in list(CASES.values())[::6]:
        path, options = case.write(tmp_path), case.expected.options
        try:
            engine = DuckDB(path, **options)
            columns = {name: engine.values(name) for name in engine.names}
        except DataError:
            wrong += [] if case.expected.asks else [f"{case.name}: asks"]
            continue
        table = Table.of(path, **options)
        wrong += [f"{case.name}: asks nothing"] if case.expected.asks else []
        for name, column in columns.items():
            if column.kind != table.column(name).kind or column.values != table.column(name).values:
                wrong.append(f"{case.name}: {name} is {column}")
    assert not wrong, "\n".join(wrong)
