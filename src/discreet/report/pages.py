# SPDX-License-Identifier: Apache-2.0
"""Reports for users of Python: a page that can be saved and that shows itself in a notebook."""

from __future__ import annotations

import os
from html import escape
from pathlib import Path
from typing import Any

from discreet.counting.tally import is_engine
from discreet.data.dataset import Dataset
from discreet.errors import DataError
from discreet.evaluate.raw_use import raw_use_of_its_own_rows
from discreet.evaluate.risk import released_risk
from discreet.foundation.atomic_files import write_whole
from discreet.release.release import Release
from discreet.report.charts import Chart, groups_plot
from discreet.report.public_page import summarise_public, to_public_page
from discreet.report.release_page import to_html
from discreet.report.study_page import summarise_study, to_page
from discreet.report.study_plots import detail_plot
from discreet.report.summary import Outcome, summarise, summarise_counts
from discreet.study import Study

_LARGEST = 400_000  # characters of a page that is put into a notebook
_NO_SOURCE = (
    "The owner's report compares with the private table, which this release no longer has. Pass `data` and `roles`, or"
    " ask for the public report: report(public=True)."
)


class Page:
    """A report, one HTML file that loads nothing; `public` says whether it may be published."""

    def __init__(self, html: str, *, public: bool):
        self.html, self.public = html, public

    def __repr__(self) -> str:
        return f"Page({len(self.html):,} characters, {'may be published' if self.public else 'the owner alone'})"

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> Path:
        """Write the page; the owner's is readable by its owner alone."""
        path = Path(path)
        if path.exists() and not (overwrite and path.is_file()):
            raise DataError(f"{path.name!r} exists already. Choose another name, or pass overwrite=True.")
        write_whole(path, self.html.encode(), mode=0o644 if self.public else 0o600)
        return path

    def _repr_html_(self) -> str:
        """The page in a frame of its own, in which no script runs; a large page as a line that says how to save it."""
        if len(self.html) > _LARGEST:
            return f"<div>{escape(repr(self))}. Save it to read it: <code>.save('report.html')</code></div>"
        style = "width:100%;height:40em;border:1px solid rgba(128,128,128,.5);background:#fff"
        return f'<iframe sandbox srcdoc="{escape(self.html)}" title="Report" style="{style}"></iframe>'


def page_of_release(release: Release, *, public: bool, data: object, roles: Any, name: str) -> Page:
    """The owner's report of a release, or the public one, made from what `save` would publish."""
    if public:
        with release.published_files() as folder:
            return Page(to_public_page(summarise_public(folder)), public=True)
    if data is None:
        people = release.owner.people
        data, roles, labels = (None, None, None) if people is None else people.source
    else:
        labels = None
    if data is None:
        raise DataError(_NO_SOURCE)
    if is_engine(data):
        outcome = Outcome(release, no_utility="Not measured: the rows stay in the engine.")
        return Page(to_html(summarise_counts(outcome, data, roles, name=name)), public=False)
    if labels is not None or (roles is not None and not hasattr(roles, "quasi")):
        dataset = Dataset.of(data, None, labels if roles is None else roles)
    else:
        dataset = Dataset.unchecked(data, roles).readable()
    own = raw_use_of_its_own_rows(release, dataset) if dataset.has_target else None
    outcome = Outcome(release, own_rows=own, no_utility="Not measured; discreet.evaluate_utility measures it.")
    return Page(to_html(summarise(dataset.data, dataset.roles, [outcome], name=name)), public=False)


def page_of_study(study: Study, *, name: str) -> Page:
    """The owner's report of a study."""
    return Page(to_page(summary_of_study(study, name=name)), public=False)


def summary_of_study(study: Study, *, name: str) -> dict[str, Any]:
    return summarise_study(study, name=name)


def chart_of_release(release: Release, what: str) -> Chart:
    """What each quasi-identifier still tells ("columns"), or how large the groups are ("groups")."""
    if what == "groups":
        risk = released_risk(release)
        counted = release.certificate.counted
        drawn = groups_plot([(max(one.low, risk.k), one.high, one.rows) for one in risk.sizes], counted)
        return Chart(f"Groups of the release ({release.promise})", drawn)
    if what != "columns":
        raise DataError(f"{what!r} is not a plot of a release; choose 'columns' or 'groups'.")
    kept = {} if release.detail is None else release.detail.columns
    if not kept:
        raise DataError(f"A release of {release.shape} keeps no columns whose detail is known. Try plot('groups').")
    lines = [{"release": release.method, "column": name, "detail": value} for name, value in kept.items()]
    return Chart("What can still be read of each column", detail_plot(lines))


def chart_of_study(study: Study, what: str | int) -> Chart:
    """One of the plots of a study's report, by its title or its place."""
    pictures = summary_of_study(study, name="study")["pictures"]
    if not pictures:
        raise DataError("The study has nothing to draw: no release was made.")
    titles = [picture["title"] for picture in pictures]
    place = titles.index(what) if what in titles else what
    if not isinstance(place, int) or not 0 <= place < len(pictures):
        raise DataError(f"The study has {len(pictures)} plots: {', '.join(map(repr, titles))}. Name one, or its place.")
    return Chart(titles[place], pictures[place]["spec"])
