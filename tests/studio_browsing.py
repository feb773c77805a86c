# SPDX-License-Identifier: Apache-2.0
"""How the tests open the studio in a browser: by the command that a person types."""

import re
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

from browsing import LONG

AXE = (Path(__file__).parent / "vendor" / "axe.min.js").read_text(encoding="utf-8")
PAGES = (
    *("data", "roles", "risk", "promise", "domain", "hierarchies"),
    *("compare", "choose", "release", "verify", "ledger", "decisions"),
)

# Nothing is awaited, and what can be clicked listens. A button that led to a download stays marked.
READY = """() => !document.querySelector('.coming, .htmx-request:not(button[hx-swap=none])')
  && [...document.querySelectorAll('main [hx-post], main [hx-get]')].every((e) => e['htmx-internal-data'])"""


@contextmanager
def running(*arguments, end=signal.SIGTERM):
    """A studio, and the link that it prints."""
    command = [sys.executable, "-m", "discreet", "studio", "--no-browser", *map(str, arguments)]
    studio = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
    )
    try:
        link = next(found.group() for line in studio.stdout if (found := re.search(r"http://\S+", line)))
        yield link, link.split("/open")[0], studio
    finally:
        if studio.poll() is None:
            studio.send_signal(end)
            studio.wait(60)
        studio.stdout.close()


@contextmanager
def opened(browser, **options):
    """A tab that must neither complain nor ask another host."""
    context = browser.new_context(accept_downloads=True, **options)
    context.set_default_timeout(LONG)
    page, said = context.new_page(), []
    page.on("console", lambda message: said.append(message.text) if _is_complaint(message.text) else None)
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: said.append(request.url) if _is_elsewhere(request.url) else None)
    yield page
    assert said == []
    context.close()


def _is_complaint(text):
    """What a browser notes about every answer that refuses something is none."""
    return "Unprocessable" not in text and "Error Code" not in text


def _is_elsewhere(url):
    return not url.startswith(("http://127.0.0.1:", "data:", "blob:"))


def ready(page):
    """The page, once everything on it has come and listens."""
    page.wait_for_function(READY)
    return page


def accessible(page, home, width, *steps):
    """Axe finds nothing on any page, or on some, light or dark, and nothing sticks out."""
    page.set_viewport_size({"width": width, "height": 900})
    for step in steps or PAGES:
        page.goto(f"{home}/{step}")
        ready(page).evaluate(AXE)
        assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth"), step
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
            assert [(one["id"], one["nodes"][0]["html"]) for one in found["violations"]] == [], (step, scheme)


def next_page(page):
    """Go on to the next page, as its button says."""
    ready(page)
    with page.expect_navigation():
        page.click("nav.way .main")
    return ready(page)


def only(page, *methods):
    """Compare these methods, and no others."""
    for box in ready(page).locator("main input[type=checkbox]").all():
        if box.is_checked() != (box.get_attribute("name") in methods):
            with page.expect_response("**/compare/methods"):
                box.click()
    return ready(page)


def compared(page):
    """Start the comparison, and go on when it is done."""
    page.click("#start")
    page.click("text=Next: choose one")
    return ready(page)


def downloaded(page, text, place):
    """What a button downloads, stored there."""
    with page.expect_download() as waiting:
        page.click(f"text={text}")
    waiting.value.save_as(place)
    return place
