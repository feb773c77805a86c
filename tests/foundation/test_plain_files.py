# SPDX-License-Identifier: Apache-2.0
"""Pipes and devices are refused before they are opened: a pipe that nobody writes to would hang a command forever."""

import os
import threading

import pytest

from discreet import DataError, Table
from discreet.data.transactions import read_labels, read_transactions
from discreet.foundation.plain_files import check_plain


def test_a_plain_file_a_folder_and_nothing_pass(tmp_path):
    (tmp_path / "rows.csv").write_text("a,b\n1,2\n")
    for path in (tmp_path / "rows.csv", tmp_path, tmp_path / "nothing"):
        check_plain(path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
@pytest.mark.parametrize("read", [Table.of, read_transactions, read_labels], ids=lambda read: read.__name__)
def test_a_pipe_is_refused_at_once(read, tmp_path):
    pipe = tmp_path / "rows.csv"
    os.mkfifo(pipe)
    writer = threading.Timer(30, lambda: os.close(os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)))  # frees a hung reader
    writer.start()
    with pytest.raises(DataError, match=r"'rows.csv' is not a plain file \(a pipe\). Save its content to a file first"):
        read(pipe)
    writer.cancel()
