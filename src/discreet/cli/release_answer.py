# SPDX-License-Identifier: Apache-2.0
"""What `discreet release` says when the release is there: for people, or in JSON."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from discreet.cli.options import emit, say
from discreet.cli.policy_options import say_policy
from discreet.errors import plain

if TYPE_CHECKING:
    from discreet.release.ledger import Account
    from discreet.release.release import Release


@dataclass(frozen=True)
class ReleaseAnswer:
    """How a release is announced.

    out       the folder that holds it
    account   what paid for it
    defaults  what the method promises because it was not told how much; `note` says so
    """

    out: Path
    account: Account | None
    defaults: dict[str, Any]
    note: str
    with_report: bool
    quiet: bool
    as_json: bool

    def tell(self, release: Release, summary: dict[str, Any] | None, kept_limits: dict[str, Any] | None) -> None:
        """Say what was released; the summary is None where there is no report, which is made of rows in memory."""
        if self.as_json:
            emit(self._answer(summary, kept_limits))
            return
        if self.quiet:
            say(release.verdict.sentence())
        elif summary is None:
            say(release.verdict.sentence())
            if release.shape == "baskets":
                dropped = release.changes.columns_dropped
                say(f"{release.rows:,} rows, {len(release.columns):,} items kept, {dropped:,} left out.")
        else:
            from discreet.report.text import to_text

            say(*to_text(summary).split("\n"))
        if not self.quiet:
            self._say_places()
        say_policy(kept_limits, quiet=self.quiet)
        if self.note and not self.quiet:
            say(self.note, err=True)

    def _answer(self, summary: dict[str, Any] | None, kept_limits: dict[str, Any] | None) -> dict[str, Any]:
        from discreet.release.certificate import Certificate

        published, owner = self.out / "release", self.out / "owner"
        page = str(owner / "report.html") if self.with_report and summary is not None else None
        places = {"release": str(published), "id": Certificate.read(published).id, "owner": str(owner), "report": page}
        more = {} if summary is None else {"summary": summary}
        return places | {"defaults": self.defaults, "policy": kept_limits} | more

    def _say_places(self) -> None:
        """Where everything is, and how it is checked."""
        from discreet.release.certificate import Certificate

        published, owner = self.out / "release", self.out / "owner"
        say("", f"Publish  {published}   ({', '.join(sorted(path.name for path in published.iterdir()))})")
        say(f"Keep     {owner}   ({', '.join(sorted(path.name for path in owner.iterdir()))})")
        say(f"Check    discreet verify {published} --id {Certificate.read(published).id}")
        if self.account is not None:
            say(f"Left     {self.account.ledger.left(self.account.data_set)} of {plain(self.account.data_set)}")
