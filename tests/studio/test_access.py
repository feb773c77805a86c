# SPDX-License-Identifier: Apache-2.0
"""Nobody but the browser that was given the link gets an answer from the studio."""

import re
import time
from importlib import import_module
from pkgutil import iter_modules

import pytest
from starlette.testclient import TestClient

import discreet.studio as studio_package
from discreet.studio.access import HEADER, HEADERS, Access
from discreet.studio.project import Project
from discreet.studio.server import Studio, studio_app

PORT = 8420
OWN = {"host": f"127.0.0.1:{PORT}"}
PAGES = (
    *("/", "/data", "/data/columns", "/roles", "/roles/table", "/roles/risk", "/risk", "/promise", "/compare"),
    *(
        "/compare/progress",
        "/choose",
        "/release",
        "/release/published.zip",
        "/release/owner.zip",
        "/verify",
        "/history",
        "/decisions",
        "/ledger",
    ),
    *("/static/studio.js", "/nothing"),
)
CHANGES = (
    *("/undo", "/redo", "/roles/of", "/compare/start", "/compare/cancel", "/choose/take", "/data/sample/clinic"),
    *(
        "/data/shape",
        "/roles/text",
        "/ledger/budget",
        "/domain/column",
        "/release/pay",
        "/release/give/owner",
        "/verify/folder",
    ),
)
FILES = ("/data/file", "/data/labels", "/domain/file", "/hierarchies/file", "/release/policy", "/verify/file")


@pytest.fixture
def studio(tmp_path):
    made = Studio(Project(tmp_path / "project", most_bytes=1000))
    yield made
    made.close()


@pytest.fixture
def access():
    return Access(PORT)


@pytest.fixture
def stranger(studio, access):
    return TestClient(studio_app(studio, access), base_url=f"http://127.0.0.1:{PORT}", follow_redirects=False)


@pytest.fixture
def own(stranger, access):
    """A browser that opened the link."""
    answer = stranger.get(access.link().removeprefix(f"http://127.0.0.1:{PORT}"))
    assert answer.status_code == 303
    return stranger


def number_of(access):
    (session,) = access._sessions.values()
    return session.number


def test_no_page_answers_without_the_link(stranger):
    for page in PAGES:
        answer = stranger.get(page)
        assert answer.status_code == 403, page
        assert "discreet studio" in answer.text
    for change in CHANGES:
        assert stranger.post(change).status_code == 403, change
    for file in FILES:
        assert stranger.put(f"{file}?name=x.csv", content=b"a\n1\n").status_code == 403, file


def test_no_route_answers_without_the_link(stranger):
    """All that the pages have, so that none is forgotten above."""
    modules = [import_module(f"discreet.studio.{one.name}") for one in iter_modules(studio_package.__path__)]
    found = [route for module in modules if hasattr(module, "router") for route in module.router.routes]
    routes = {(method, re.sub(r"{\w+}", "x", route.path)) for route in found for method in route.methods}
    posts = {*CHANGES} - {"/undo", "/redo", "/data/sample/clinic", "/release/give/owner"}
    assert routes >= {("POST", path) for path in posts} | {("PUT", path) for path in FILES}
    for method, path in routes:
        assert stranger.request(method, path).status_code == 403, (method, path)


def test_a_link_works_once_and_a_guess_never(stranger, access):
    link = access.link()
    assert stranger.get(link).status_code == 303
    stranger.cookies.clear()
    assert stranger.get(link).status_code == 403
    assert stranger.get("/open?token=").status_code == 403
    assert stranger.get("/open").status_code == 403


def test_links_and_sessions_end(stranger, access, monkeypatch):
    link, early = access.link(), access.link()
    now = __import__("time").monotonic()
    assert stranger.get(early).status_code == 303
    assert stranger.get("/data").status_code == 200
    monkeypatch.setattr("discreet.studio.access.time.monotonic", lambda: now + 16 * 60)
    assert stranger.get(link).status_code == 403
    assert stranger.get("/data").status_code == 200
    monkeypatch.setattr("discreet.studio.access.time.monotonic", lambda: now + 9 * 3600)
    assert stranger.get("/data").status_code == 403


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "127.0.0.1:1", "evil.example:8420", "[::1]:8420", ""])
def test_another_name_for_the_machine_is_refused(own, host):
    assert own.get("/data", headers={"host": host}).status_code == 403


def test_the_cookie_is_for_this_browser_and_site_only(stranger, access):
    said = stranger.get(access.link()).headers["set-cookie"]
    assert "HttpOnly" in said
    assert "SameSite=lax" in said
    assert f"discreet_studio_{PORT}=" in said


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": f"https://127.0.0.1:{PORT}"},
        {"origin": "http://127.0.0.1:9999"},
        {"origin": f"http://127.0.0.1:{PORT}", "sec-fetch-site": "cross-site"},
        {"origin": f"http://127.0.0.1:{PORT}", "sec-fetch-site": "same-site"},
    ],
)
def test_changes_from_another_site_are_refused(own, access, headers):
    for change in CHANGES:
        assert own.post(change, headers=headers | {HEADER: number_of(access)}).status_code == 403, change
    for file in FILES:
        answer = own.put(f"{file}?name=x.csv", content=b"a\n1\n", headers=headers | {HEADER: number_of(access)})
        assert answer.status_code == 403, file


def test_changes_need_the_number_of_the_session(own, access):
    origin = {"origin": f"http://127.0.0.1:{PORT}"}
    assert own.post("/undo", headers=origin).status_code == 403
    assert own.post("/undo", headers=origin | {HEADER: "x"}).status_code == 403
    assert own.post("/undo", headers=origin | {HEADER: number_of(access)}).status_code == 204


def test_every_answer_forbids_scripts_from_elsewhere_and_storing(own, stranger):
    for page in PAGES:
        answer = own.get(page)
        for name, value in HEADERS.items():
            assert answer.headers[name] == value, page
    policy = HEADERS["Content-Security-Policy"]
    assert "unsafe" not in policy
    assert "default-src 'none'" in policy


def test_pages_have_no_script_and_no_style_of_their_own(own):
    for page in ("/data", "/verify"):
        text = own.get(page).text
        assert "<script>" not in text
        assert "style=" not in text
        assert "onclick" not in text


def sent(own, access, name, content):
    headers = {"origin": f"http://127.0.0.1:{PORT}", HEADER: number_of(access)}
    return own.put("/data/file", params={"name": name}, content=content, headers=headers)


def test_what_is_too_large_is_refused_and_removed(own, access, studio):
    answer = sent(own, access, "big.csv", b"x" * 1001)
    assert answer.status_code == 422
    assert "larger than 1,000 bytes" in answer.text
    assert [*(studio.project.folder / "data").iterdir()] == []
    assert studio.project.source is None


@pytest.mark.parametrize(
    "name",
    ["../../../etc/passwd", "..\\..\\x.csv", "/etc/passwd", "a/../../b.csv", "x\x00y.csv", "", "CON.csv", "a" * 5000],
)
def test_names_of_files_lead_nowhere(own, access, studio, name):
    assert sent(own, access, name, b"a,b\n1,2\n").status_code == 204
    (stored,) = (studio.project.folder / "data").iterdir()
    assert stored.stem.isalnum()
    assert stored.stat().st_mode & 0o777 == 0o600
    assert studio.project.source.path == stored
    assert not {"/", "\x00"} & set(studio.project.source.name)


EVIL = "<img src=x onerror=alert(1)>"
PARTS = (
    *("/data", "/data/columns", "/roles", "/roles/table", "/roles/risk", "/risk/found", "/promise", "/promise/effect"),
    *("/hierarchies", "/domain", "/compare", "/compare/progress", "/decisions", "/history", "/ledger"),
)


def test_markup_and_formulas_in_names_and_cells_are_shown_as_text(at_home):
    """On every page and part of one; in columns of every role."""
    project = at_home.studio.project
    names = [f"n{number}{EVIL}" for number in range(4)]
    rows = [f"{EVIL},{row % 7},=1+1,{row % 2}{EVIL}" for row in range(40)]
    content = "\n".join([",".join(names), *rows])
    assert at_home.put("/data/file", params={"name": f"{EVIL}.csv"}, content=content.encode()).status_code == 204
    assert "40 rows, 4 columns" in whole(at_home, "/data/columns")
    project.set_roles(dict(zip(names, ("quasi", "quasi", "sensitive", "target"), strict=True)), f"Roles of {EVIL}.")
    pages = {part: whole(at_home, part) for part in PARTS}
    pages["tree"] = whole(at_home, "/hierarchies/tree", column=names[0])
    changes = (
        ("/roles/of", {"column": names[0], "role": EVIL}),
        ("/promise/k", {"k": EVIL}),
        ("/hierarchies/edit", {"column": names[0], "what": "rename", "level": 1, "label": EVIL, "name": EVIL}),
        ("/domain/column", {"column": names[1], "kind": "values", "listed": EVIL}),
        ("/release/signoff", {"field": "purpose", "value": EVIL}),
    )
    for address, form in changes:
        answer = at_home.post(address, data=form)
        if "html" in answer.headers.get("content-type", ""):  # a refusal is plain text
            pages[address] = answer.text
    pages["afterwards"] = whole(at_home, "/decisions") + whole(at_home, "/domain")
    for address, page in pages.items():
        assert "<img" not in page, address
    for address in ("/data/columns", "/roles/table", "/hierarchies", "tree", "/domain", "/decisions", "afterwards"):
        assert "&lt;img" in pages[address], address
    assert "=1+1" in pages["/data/columns"]


def whole(client, address, **asked):
    """A page, or a part of one once it is known."""
    for _ in range(300):
        text = client.get(address, params=asked).text
        if text.startswith("<!doctype") or 'class="coming"' not in text:
            return text
        time.sleep(0.1)
    raise AssertionError("no answer")


@pytest.mark.parametrize("name", ["..", "../../seed", "..%2F..%2Fseed", "/etc/passwd", "..\\seed", "%00"])
def test_names_of_downloads_lead_nowhere(at_home, name):
    """The project's folder has a secret seed; nothing that is asked for by name gives it out."""
    project = at_home.studio.project
    stored = project.place_for("people.csv")
    stored.write_text("age,ill\n" + "".join(f"{row % 5},{row % 2}\n" for row in range(40)))
    project.take("people.csv", stored)
    project.set_roles({"age": "quasi", "ill": "target"}, "Roles.")
    project.journal.decide(("chosen",), name, "Chosen.")
    seed = str(project.seed)
    asked = [f"/static/{name}", f"/release/given/{name}?permit=x", f"/choose?release={name}"]
    asked += [f"/choose/rows?release={name}", f"/hierarchies/file?column={name}", "/release"]
    for address in asked:
        answer = at_home.get(address)
        assert answer.status_code in (200, 404, 422), address
        assert seed not in answer.text
        assert "root:" not in answer.text
    for what in (name, "published", "owner", "project"):
        answer = at_home.post(f"/release/give/{what}")
        assert answer.status_code in (404, 405, 422), what


def test_the_folder_is_private(studio):
    for place in (studio.project.folder, *studio.project.folder.iterdir()):
        if place.is_dir():
            assert place.stat().st_mode & 0o777 == 0o700
