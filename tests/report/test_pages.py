# SPDX-License-Identifier: Apache-2.0
"""Reports and charts for users of Python."""

import json
import pickle
import sys

import numpy as np
import pytest

import discreet as ds
from discreet.data.stored_table import StoredTable
from discreet.report.charts import VEGA_LITE, Chart, groups_plot
from discreet.report.pages import Page
from discreet.study import recipe_from, run_study
from small_study import RECIPE, load, written_clinic


@pytest.fixture(scope="module")
def release():
    sample = ds.samples.load("clinic", rows=120, random_state=3)
    return ds.Mondrian(k=4, random_state=1).release(sample.data.to_pandas(), sample.roles)


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    folder = tmp_path_factory.mktemp("study")
    csv = written_clinic(folder, 100)
    return run_study(lambda: load(csv, RECIPE), recipe_from(RECIPE), folder / "study", text=RECIPE)


def test_the_owners_report_is_that_of_the_command(release, tmp_path):
    page = release.report(tmp_path / "report.html", name="clinic")
    assert "5-anonymity" not in page.html
    assert "4-anonymity holds for clinic" in page.html
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == page.html
    assert (tmp_path / "report.html").stat().st_mode & 0o777 == 0o600
    assert "the owner alone" in repr(page)
    with pytest.raises(ds.DataError, match="exists already"):
        release.report(tmp_path / "report.html")


def test_a_page_shows_itself_in_a_frame_without_scripts(release):
    html = release.report()._repr_html_()
    assert html.startswith("<iframe sandbox srcdoc=")
    assert "<html" not in html  # all of it is escaped
    assert "Save it" in Page("x" * 500_000, public=True)._repr_html_()


def test_the_public_report_is_made_of_what_would_be_published(release, tmp_path):
    page = release.report(public=True)
    page.save(tmp_path / "public.html")
    assert (tmp_path / "public.html").stat().st_mode & 0o777 == 0o644
    names = ds.samples.load("clinic", rows=120, random_state=3).data.column("name").texts
    assert not [name for name in names if name in page.html]


def test_a_release_that_lost_its_source_says_what_to_pass(release):
    sample = ds.samples.load("clinic", rows=120, random_state=3)
    again = pickle.loads(pickle.dumps(release))
    with pytest.raises(ds.DataError, match="Pass `data` and `roles`"):
        again.report()
    assert again.report(data=sample.data, roles=sample.roles).html == release.report().html


def test_baskets_and_their_labels(tmp_path):
    X = np.random.default_rng(0).integers(0, 2, (60, 5))
    labels = X[:, 0]
    release = ds.GreedySelector(k=3).release(X, labels)
    assert "rows" in release.report().html
    frame = release.to_pandas()
    assert list(frame.columns) == ["label", *release.columns]
    assert len(frame) == 60
    assert frame[release.columns[0]].isin([0, 1]).all()
    assert "groups" in release.plot("groups").title.lower()
    with pytest.raises(ds.DataError, match="is not a plot"):
        release.plot("nothing")


def test_documents_have_no_rows():
    sample = ds.samples.load("clinic", rows=120, random_state=3)
    model = ds.KAdet(k=4).release(sample.data, sample.roles)
    with pytest.raises(ds.DataError, match="no table of rows"):
        model.to_pandas()
    with pytest.raises(ds.DataError, match="keeps no columns"):
        model.plot()
    assert "model" in model._repr_html_()
    assert "<html" in model.report().html


def test_charts_are_vega_lite_and_svg(release, tmp_path):
    pytest.importorskip("vl_convert")
    chart = release.plot()
    bundle = chart._repr_mimebundle_()
    assert set(bundle) == {VEGA_LITE, "image/svg+xml", "text/plain"}
    assert bundle[VEGA_LITE]["background"] == "white"
    assert bundle["image/svg+xml"].startswith("<svg")
    assert all(name in chart.description for name in release.detail.columns)
    assert json.loads(chart.save(tmp_path / "chart.json").read_text())["width"] == 620
    assert chart.save(tmp_path / "chart.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(ds.DataError, match="ends otherwise"):
        chart.save(tmp_path / "chart.gif")


def test_a_chart_without_vl_convert_is_vega_lite_and_words(release, monkeypatch):
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    assert set(release.plot("groups")._repr_mimebundle_()) == {VEGA_LITE, "text/plain"}
    with pytest.raises(ds.DataError, match="discreet\\[plots\\]"):
        release.plot().svg()


def test_the_groups_of_a_release_are_at_least_k(release):
    values = release.plot("groups").spec["data"]["values"]
    assert sum(value["rows"] for value in values) == 120
    assert values[0]["size"].startswith("4 ")


def test_many_sizes_of_groups_share_the_last_bar():
    bins = [(2**p, 2 ** (p + 1) - 1, 1) for p in range(20)]
    values = Chart("x", groups_plot(bins, "rows")).spec["data"]["values"]
    assert len(values) == 12
    assert values[-1] == {"size": "2048 or more", "rows": 9}
    assert values[0]["size"] == "1"


def test_a_study_has_charts_a_report_and_a_table(study):
    chart = study.plot()
    assert "privacy" in chart.description or "not found" in chart.description
    assert study.plot(chart.title).spec == chart.spec
    with pytest.raises(ds.DataError, match="Name one, or its place"):
        study.plot("nothing")
    table = study.to_arrow()
    assert {"original", "guessing"} <= set(table["name"].to_pylist())
    assert table["line"].to_pylist().count(False) == len(study.released)
    page = study.report(name="clinic")
    assert "clinic" in page.html
    assert "<script" in page.html  # its plots are drawn by scripts: so a notebook does not show it
    assert "<script" not in page._repr_html_()
    assert "2 releases tried" in repr(study)


def test_a_stored_release_gives_its_rows(release, tmp_path):
    from stored import stored_release

    stored = stored_release(release, tmp_path / "parts")
    assert isinstance(stored.content, StoredTable)
    assert stored.to_arrow().num_rows == 120
    assert "Release of 120 rows" in stored._repr_html_()
