# SPDX-License-Identifier: Apache-2.0
"""Makes three reports and opens each in a browser: how large the file is, and when its first picture is seen.

The reports are those of the demo, of Adult with all methods for tables and of PU1 with all methods for baskets. Adult
and PU1 are read from DISCREET_DATA. It needs Chromium and the development dependencies.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

from discreet.report.files import BROWSERS

HERE = Path(__file__).parent
WIDTHS = {"desktop": 1280, "phone": 390}
MEGABYTES, SECONDS = 3.0, 2.0

# When the first picture has a mark and the screen was painted with it, counted from the start of the navigation.
FIRST = """
new MutationObserver((_, observer) => {
  const plot = document.querySelector(".plot");
  if (!(plot ? plot.querySelector("svg .role-mark > *") : document.querySelector(".chart"))) return;
  observer.disconnect();
  requestAnimationFrame(() => requestAnimationFrame(() => { window.seen = performance.now(); }));
}).observe(document, { childList: true, subtree: true });
"""


def studies(folder: Path) -> Iterator[tuple[str, Path]]:
    """Each study by name with its report; one that is there already is not made again."""
    run(["demo", "-o", "demo"], folder, folder / "demo" / "report.html")
    yield "demo, two releases", folder / "demo" / "report.html"
    yield "demo, study", folder / "demo" / "study" / "report.html"
    for name, data in (("adult", "adult.csv"), ("pu1", "pu1.dat")):
        run(["data", "write", name, "-o", data], folder, folder / data)
        run(["compare", data, str(HERE.resolve() / f"{name}.toml"), "-o", name], folder, folder / name / "report.html")
        yield f"{name}, study", folder / name / "report.html"


def seen(browser: Any, page: Path, width: int) -> float:
    """Seconds until the first picture of the page is seen."""
    opened = browser.new_page(viewport={"width": width, "height": 900})
    opened.add_init_script(FIRST)
    opened.goto(page.as_uri())
    while not (found := opened.evaluate("window.seen || 0")):
        opened.wait_for_timeout(20)
    opened.close()
    return float(found) / 1000


def main() -> None:
    from playwright.sync_api import sync_playwright

    options = argparse.ArgumentParser(prog="python -m benchmarks.pages", description=__doc__)
    options.add_argument("folder", type=Path, help="where the studies are made, and kept")
    options.add_argument("--runs", type=int, default=5, help="times that each page is opened (default 5)")
    asked = options.parse_args()
    asked.folder.mkdir(parents=True, exist_ok=True)
    print(f"{'report':<22}{'MB':>6}" + "".join(f"{f's, {screen}':>14}{'largest':>9}" for screen in WIDTHS))
    missed = 0
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=["--headless", "--no-sandbox"])
        for name, page in studies(asked.folder):
            size = page.stat().st_size / 1e6
            times = [[seen(browser, page, width) for _ in range(asked.runs)] for width in WIDTHS.values()]
            print(f"{name:<22}{size:>6.2f}" + "".join(f"{median(one):>14.2f}{max(one):>9.2f}" for one in times))
            missed += size > MEGABYTES or max(map(max, times)) > SECONDS
        browser.close()
    print(f"{missed} beyond {MEGABYTES:.0f} MB or {SECONDS:.0f} s." if missed else "Every limit was met.")


def chromium() -> str:
    return next(found for name in BROWSERS if (found := shutil.which(name)))


def run(arguments: list[str], place: Path, makes: Path) -> None:
    if not makes.exists():
        command = [sys.executable, "-m", "discreet", *arguments, "--quiet"]
        subprocess.run(command, cwd=place, check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    main()
