# SPDX-License-Identifier: Apache-2.0
"""How the tests open a page in a browser."""

PHONE, DESKTOP = {"width": 390, "height": 844}, {"width": 1200, "height": 900}
ARGUMENTS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def watched(browser, path, viewport):
    """The page of a file, opened; with what it asked for (`asked`) and complained about (`complaints`)."""
    opened = browser.new_page(viewport=viewport)
    opened.asked, opened.complaints = [], []
    opened.on("request", lambda asked: opened.asked.append(asked.url))
    opened.on("console", lambda message: opened.complaints.append(message.text))
    opened.on("pageerror", lambda error: opened.complaints.append(str(error)))
    opened.goto(path.as_uri())
    return opened
