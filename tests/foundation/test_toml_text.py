# SPDX-License-Identifier: Apache-2.0
"""TOML from outside is read within bounds, and in one place."""

import ast
import tomllib
import tracemalloc
from pathlib import Path

import pytest

import discreet
from discreet.errors import DataError
from discreet.foundation.toml_text import MOST_LETTERS, MOST_PARTS, read_toml
from discreet.recoding.public_domain import read_domain
from discreet.report.policy import Policy
from discreet.study import recipe_from
from discreet.study.replay import ProjectFile

DEEP = ".".join("a" * 100_000)


@pytest.mark.parametrize(
    "text",
    [
        f"{DEEP} = 1",
        f"[{DEEP}]",
        f"[[ {DEEP} ]]",
        f"x = 1 # a remark\ny = {{ {DEEP} = 1 }}",
        DEEP.replace(".", "\t. ") + " = 1",
        ".".join(['"a"'] * 50_000) + " = 1",
        ".".join(["'a.b'"] * 50_000) + " = 1",
        f'x = """\n""" \n{DEEP} = 1',
        f"x = '''it's''''\n{DEEP} = 1",
        f'x = "\\"" # "\n{DEEP} = 1',
    ],
)
def test_a_key_of_very_many_parts_takes_no_memory(text):
    tracemalloc.start()
    with pytest.raises(tomllib.TOMLDecodeError, match=f"at most {MOST_PARTS} are read"):
        read_toml(text)
    assert tracemalloc.get_traced_memory()[1] < 100 * len(text)
    tracemalloc.stop()


@pytest.mark.parametrize(
    "text",
    [
        ".".join(f"k{number}" for number in range(MOST_PARTS)) + " = 1",
        f'x = "{DEEP}"',
        f"x = '{DEEP}'",
        f'x = """\n{DEEP}\n"""',
        f"# {DEEP}\nx = 1",
        f'"{DEEP}" = 1',
        "x = 1.5\ny = 1979-05-27T07:32:00.999999Z",
        'x = """a"""""\ny.z = "\\u00e9"',
    ],
)
def test_dots_in_texts_and_remarks_do_not_matter(text):
    assert read_toml(text) == tomllib.loads(text)


def test_texts_that_are_too_long_or_nested_too_deeply_are_refused():
    with pytest.raises(tomllib.TOMLDecodeError, match="letters"):
        read_toml("#" * (MOST_LETTERS + 1))
    with pytest.raises(tomllib.TOMLDecodeError, match=r"within each other too often \(at line 2"):
        read_toml("x = " + "[" * 50_000 + "\n")


def test_whatever_reads_toml_says_so_in_words(tmp_path):
    for name in ("domain.toml", "project.toml"):
        (tmp_path / name).write_text(f"{DEEP} = 1")
    with pytest.raises(DataError, match="line 1: this is not TOML: a key has 100,000 parts"):
        recipe_from(f"{DEEP} = 1")
    with pytest.raises(DataError, match="line 1: this is not TOML"):
        Policy.of(f"{DEEP} = 1")
    with pytest.raises(DataError, match="cannot be read as toml"):
        read_domain(tmp_path / "domain.toml")
    with pytest.raises(DataError, match="is not TOML"):
        ProjectFile.read(tmp_path / "project.toml")


def test_no_other_file_reads_toml_from_outside():
    readers = []
    for path in Path(discreet.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute) and node.attr in ("load", "loads"):
                readers += [path.name] if isinstance(node.value, ast.Name) and node.value.id == "tomllib" else []
    assert sorted(readers) == ["toml_lines.py", "toml_text.py"]  # the former reads a key that was read already
