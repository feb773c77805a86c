# SPDX-License-Identifier: Apache-2.0
"""The studio binds to this machine alone, prints a link that works once, and leaves nothing behind unless asked to."""

import gc
import socket
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from discreet.errors import DataError
from discreet.studio import running

PORT = 8940


@pytest.fixture
def served(monkeypatch):
    """What the studio would serve: `run(...)` returns the lines that it says, the rest is in `found`."""
    found, lines = {}, []

    class Server:
        def __init__(self, settings):
            found["app"] = settings.app

        def run(self, sockets):
            found["sockets"] = [one.getsockname() for one in sockets]
            link = next(line.strip() for line in lines if "http://" in line)
            client = TestClient(found["app"], base_url=link.split("/open")[0])
            found["first"], found["second"] = client.get(link).status_code, client.get(link).status_code
            found["files"] = [path for path in found["folder"]().rglob("*") if path.is_file()]

    def run(**options):
        lines.clear()
        given = {"file": None, "port": PORT, "folder": None, "browser": False} | options
        running.run_studio(**given, say=lambda *said: lines.extend(said))
        return lines

    class Watched(running.Project):
        def __init__(self, folder):
            found["folder"] = lambda: folder
            super().__init__(folder)

    monkeypatch.setattr(running.uvicorn, "Server", Server)
    monkeypatch.setattr(running, "Project", Watched)
    run.found = found
    return run


def test_it_binds_to_this_machine_alone_and_its_link_works_once(served):
    lines = served()
    (address,) = served.found["sockets"]
    assert address[0] == "127.0.0.1"
    assert (served.found["first"], served.found["second"]) == (200, 403)
    assert "removed then" in " ".join(lines)
    assert gc.get_freeze_count() == 0  # or DuckDB prints a list of what is left when the process ends


def test_a_port_that_is_taken_is_passed_over(served, monkeypatch):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        served(port=port)
        assert served.found["sockets"][0][1] > port
        monkeypatch.setattr(running, "_TRIED", 1)
        with pytest.raises(DataError, match="Choose another with --port"):
            served(port=port)


def test_what_was_brought_in_is_removed_unless_the_folder_was_named(served, tmp_path):
    (tmp_path / "people.csv").write_text("age,ill\n30,yes\n40,no\n")
    served(file=tmp_path / "people.csv")
    assert any(path.suffix == ".csv" for path in served.found["files"])
    assert not served.found["folder"]().exists()
    lines = served(file=tmp_path / "people.csv", folder=tmp_path / "kept")
    assert "kept in" in " ".join(lines)
    (stored,) = (tmp_path / "kept" / "data").iterdir()
    assert stored.read_bytes() == (tmp_path / "people.csv").read_bytes()
    with pytest.raises(DataError, match="There is no file"):
        served(file=tmp_path / "nobody.csv")


def test_the_browser_is_told_of_a_page_and_not_of_the_token(served, monkeypatch):
    opened = []
    monkeypatch.setattr(running.webbrowser, "open", lambda address: opened.append((address, _page(address))))
    served(browser=True)
    ((address, page),) = opened
    assert address.startswith("file://")
    assert "token" not in address
    assert f"http://127.0.0.1:{PORT}/open?token=" in page


def _page(address):
    return Path(address.removeprefix("file://")).read_text()
