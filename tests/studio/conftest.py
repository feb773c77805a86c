# SPDX-License-Identifier: Apache-2.0
"""A studio, and a browser that opened its link."""

import pytest
from starlette.testclient import TestClient

from discreet.studio.access import HEADER, Access
from discreet.studio.project import Project
from discreet.studio.server import Studio, studio_app

PORT = 8421


@pytest.fixture
def at_home(tmp_path):
    """A client whose requests come from the studio's own pages; `at_home.studio` is the studio."""
    studio, access = Studio(Project(tmp_path / "project")), Access(PORT)
    client = TestClient(studio_app(studio, access), base_url=f"http://127.0.0.1:{PORT}")
    client.get(access.link())
    (session,) = access._sessions.values()
    client.headers |= {"origin": f"http://127.0.0.1:{PORT}", HEADER: session.number}
    client.studio = studio
    yield client
    studio.project.runs.close()
    studio.close()
