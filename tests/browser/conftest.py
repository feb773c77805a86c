# SPDX-License-Identifier: Apache-2.0
"""One browser for the tests of a file."""

import pytest

from browsing import ARGUMENTS, LONG


@pytest.fixture(scope="module")
def browser():
    from playwright.sync_api import sync_playwright

    from conftest import CHROMIUM

    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS, timeout=LONG)
        yield opened
        opened.close()
