# SPDX-License-Identifier: Apache-2.0
"""A release with noise in a real browser: the public domain is stated, the budget set, the release paid for."""

import pytest

from discreet.studio.project import Project
from studio_browsing import compared, downloaded, only, opened, ready, running

pytestmark = pytest.mark.browser


def test_a_domain_is_stated_and_a_release_with_noise_is_paid_for(browser, tmp_path):
    project = Project(tmp_path / "project")
    stored = project.place_for("people.csv")
    rows = [f"{20 + place % 50},{'fmF'[place % 3]},{'yes' if place % 4 else 'no'}" for place in range(120)]
    stored.write_text("\n".join(["age,sex,ill", *rows]) + "\n")
    project.take("people.csv", stored)
    project.set_roles({"age": "quasi", "sex": "quasi", "ill": "target"}, "Roles.")
    with running("--port", "8820", "--folder", tmp_path / "project") as (link, home, _), opened(browser) as page:
        page.goto(link)
        page.goto(f"{home}/promise")
        with ready(page).expect_response("**/promise/epsilon"):
            page.locator("#epsilon").fill("2")
        with page.expect_navigation():
            page.click("text=State the public domain")
        ready(page)
        with page.expect_response("**/domain/column"):
            page.locator("#kind-age").select_option("cuts")
        ready(page)
        for column, listed in (("age", "30; 50"), ("sex", "f\nm"), ("ill", "no\nyes")):
            with page.expect_response("**/domain/column"):
                page.locator(f"#listed-{column}").fill(listed)
                page.keyboard.press("Tab")
            page.wait_for_selector(f"li.domain:has(#listed-{column}) .badge:text-is('stated')")
        page.wait_for_selector("text=40 of 120 rows hold something else")
        page.reload()
        page.wait_for_selector("text=40 of 120 rows hold something else")
        stated = [ready(page).locator(f"#listed-{column}").input_value() for column in ("age", "sex", "ill")]
        assert stated == ["30\n50", "f\nm", "no\nyes"]  # what was counted stands below, not in its place
        downloaded(page, "Download what is stated", tmp_path / "domain.toml")
        assert '"age" = {"cuts" = [30, 50], "missing" = true}' in (tmp_path / "domain.toml").read_text()
        page.goto(f"{home}/ledger")
        ready(page).fill("#limit", "3")
        with page.expect_navigation():
            page.click("button:text-is('Set')")
        page.goto(f"{home}/compare")
        only(page, "private-table")
        compared(page)
        page.click("main button.main")
        page.click("text=Make it for epsilon 2")
        page.wait_for_selector("text=Checked on its files")
        assert "private-table-epsilon2-domain" in page.locator("h1").inner_text()
        published = downloaded(page, "Download what is published", tmp_path / "published.zip")
        page.goto(f"{home}/verify")
        ready(page).set_input_files("#file", published)
        page.wait_for_selector("text=The promise holds")
        page.goto(f"{home}/ledger")
        assert "epsilon 1 of 3" in " ".join(page.locator("main").inner_text().split())
