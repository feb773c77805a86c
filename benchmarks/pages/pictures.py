# SPDX-License-Identifier: Apache-2.0
"""The pictures of the README: the first screen of the demo's study, by day and by night, in docs/images.

`make pictures` runs it. It needs Chromium and the development dependencies.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from benchmarks.pages.__main__ import FIRST, chromium, run

IMAGES = Path(__file__).resolve().parents[2] / "docs" / "images"
SCREEN = {"width": 1200, "height": 800}


def main() -> None:
    from playwright.sync_api import sync_playwright

    options = argparse.ArgumentParser(prog="python -m benchmarks.pages.pictures", description=__doc__)
    options.add_argument("--page", type=Path, help="a report that is there already, instead of the demo's")
    asked = options.parse_args()
    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        page = asked.page or Path(folder) / "demo" / "study" / "report.html"
        run(["demo", "-o", "demo"], Path(folder), page)
        browser = playwright.chromium.launch(executable_path=chromium(), args=["--headless", "--no-sandbox"])
        for scheme in ("light", "dark"):
            opened = browser.new_page(viewport=SCREEN, color_scheme=scheme)
            opened.add_init_script(FIRST)
            opened.goto(page.resolve().as_uri())
            opened.wait_for_function("window.seen")
            picture = opened.screenshot(path=IMAGES / f"report-{scheme}.png")
            print(f"docs/images/report-{scheme}.png: {len(picture) / 1000:.0f} kB")
        browser.close()


if __name__ == "__main__":
    main()
