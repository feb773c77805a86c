# SPDX-License-Identifier: Apache-2.0
"""Releases that an earlier version made still verify: published folders cannot be made anew.

The folders in `older` were written before parameters, modules and the page of proofs had their present names.
"""

import json
from pathlib import Path

import pytest

from discreet import verify

FOLDERS = sorted(Path(__file__).with_name("older").iterdir())


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_an_older_release_verifies(folder):
    found = verify(folder)
    assert found.holds, found.problems


def test_the_folders_have_the_older_names():
    stated = {folder.name: json.loads((folder / "certificate.json").read_bytes()) for folder in FOLDERS}
    assert "neighbours" in stated["private-fwell"]["method"]["parameters"]
    assert "neighbours" in stated["variance-sketch"]["method"]["parameters"]
    assert "docs/privacy/differential.md#" in stated["private-table"]["verdict"]["notes"][0]
