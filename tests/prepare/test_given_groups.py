# SPDX-License-Identifier: Apache-2.0
"""Groups of items from a mapping or a file."""

import pytest

from discreet.errors import DataError
from discreet.prepare.given_groups import given_groups


@pytest.mark.parametrize("text", ["item;group\npear; fruit\n", "pear,fruit\n", "\ufeffpear\tfruit\n\n"])
def test_lines_of_a_file(tmp_path, text):
    file = tmp_path / "groups.csv"
    file.write_text(text, encoding="utf-8")
    assert given_groups(file) == {"pear": "fruit"}


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "No groups were given"),
        ("item,group\n", "No groups were given"),
        ("pear\n", r"1 of 1 lines have not two cells"),
        ("pear,fruit\nfig,\n", "1 of 2 lines lack one"),
        ("pear,fruit\npear,food\n", "in two groups: 'pear'"),
    ],
)
def test_what_is_wrong_with_a_file(tmp_path, text, what):
    file = tmp_path / "groups.csv"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=what):
        given_groups(file)


def test_a_file_that_is_not_there_or_is_no_text(tmp_path):
    with pytest.raises(DataError, match=r"There is no file 'groups\.csv' with groups"):
        given_groups(tmp_path / "groups.csv")
    (tmp_path / "groups.csv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(DataError, match="cannot be read as text"):
        given_groups(tmp_path / "groups.csv")
