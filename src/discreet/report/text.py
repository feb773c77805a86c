# SPDX-License-Identifier: Apache-2.0
"""The report as text for a terminal. Renders the summary; computes nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from discreet.errors import listing
from discreet.report.wording import count, number, percent, plural, points

if TYPE_CHECKING:
    from rich.table import Table


def to_text(summary: dict[str, Any]) -> str:
    """What was promised, whether it holds, what it costs: a few lines per release."""
    return "\n\n".join("\n".join(_lines(release, summary)) for release in summary["releases"])


def _lines(release: dict[str, Any], summary: dict[str, Any]) -> list[str]:
    verdict, of_rows = release["verdict"], "rows" in release
    lines = [verdict["sentence"], f"  evidence      {verdict['evidence']}"]
    if of_rows:
        before, after = summary["risk_before"], release["risk_after"]
        unique = f"{percent(before['unique_share'])} before, {percent(after['unique_share'])} after"
        if release["certificate"]["noise"]:
            lines.append("  rows          synthetic: none of them is the row of a person")
        else:
            lines.append(f"  unique rows   {unique} (smallest group {count(before['k'])}, then {count(after['k'])})")
        lines.append(f"  columns       {_columns(release)}")
    else:
        lines.append(f"  {release['shape']:<13} {_document(release)}")
        names = release["columns_published"]
        lines.append(f"  columns       {listing(names, most=len(names))}")
    lines += _left_out(summary["source"])
    if of_rows:
        lines.append(f"  cost          {_cost(release, summary['source']['shape'])}")
        source = summary["source"]
        has_target = source["shape"] != "table" or any(one["role"] == "target" for one in source["columns"])
        lines += _losses(release, source["shape"], has_target=has_target)
        lines += _kept(release, summary["source"]["shape"])
    lines.append(f"  accuracy      {accuracy(release)}")
    lines += _unrecoded(release)
    lines += [f"  mind          {line['text']}" for line in release["cautions"]]
    measured = verdict["notes"] if verdict["kind"] == "owner" else []  # only the owner can repeat these
    return lines + [f"  note          {text}" for text in (*release["notes"], *measured)]


def _columns(release: dict[str, Any]) -> str:
    """All published columns, since these leave the house; items are counted under the column they come from."""
    source = {item: name for name, items in release["items"].items() for item in items}
    names = list(dict.fromkeys(source.get(name, name) for name in release["columns_published"]))
    items = {name: len(columns) for name, columns in release["items"].items()}
    shown = [
        f"{name!r} ({items[name]} item{'s' * (items[name] > 1)})" if name in items else repr(name) for name in names
    ]
    return ", ".join(shown)


def _document(release: dict[str, Any]) -> str:
    """What is published instead of rows."""
    tree = release["tree"]
    if release["shape"] == "sketches":
        return f"of {count(release['certificate']['rows'])} records, instead of their items"
    if tree is None:
        details = release["verdict"]["details"]
        return ", ".join(f"{number(value)} {name}" for name, value in details.items()) or "no rows are published"
    pure = f"{count(tree['pure_leaves'])} of one class ({plural(tree['pure_rows'], 'row')})"
    shown = f"{count(tree['leaves_shown'])} show their classes, {pure}"
    return f"a tree of {plural(tree['leaves'], 'leaf', 'leaves')}, {tree['depth']} deep; {shown}; no rows are published"


def _left_out(source: dict[str, Any]) -> list[str]:
    without_role = [column["name"] for column in source.get("columns", ()) if column["role"] == "none"]
    return [f"  left out      {listing(without_role, most=8)} (no role)"] if without_role else []


def _cost(release: dict[str, Any], shape: str) -> str:
    changes = release["changes"]
    if shape == "baskets":
        flipped = f"{count(changes['changed_cells'])} of {count(changes['quasi_cells'])} cells flipped; "
        dropped = f"{count(changes['columns_dropped'])} of {count(release['quasi_before'])} items dropped"
        return flipped * bool(changes["changed_cells"]) + dropped
    cells = f"{count(changes['changed_cells'])} of {count(changes['quasi_cells'])} cells written differently"
    dropped = f"{count(changes['columns_dropped'])} of {count(release['quasi_before'])} quasi-identifiers dropped"
    swapped = f", {count(changes['swapped_cells'])} swapped between rows" if changes["swapped_cells"] else ""
    left_out = f"; {plural(changes['rows_dropped'], 'row')} left out" if changes["rows_dropped"] else ""
    return f"{cells}, {count(changes['suppressed_cells'])} suppressed{swapped}; {dropped}{left_out}"


def _losses(release: dict[str, Any], shape: str, *, has_target: bool) -> list[str]:
    """The losses as shares, and what the groups reveal about the target and the sensitive columns."""
    losses, lines = release["losses"], []
    groups = losses["groups"]
    if shape == "table":
        penalty = losses["certainty_penalty"]
        uncertain = "" if penalty is None else f", certainty penalty {percent(penalty)}"
        lines.append(f"  loss          {percent(losses['information_loss'])} of the cells suppressed{uncertain}")
    summary = [plural(groups["groups"], "group")]
    if has_target:
        of_rows = percent(losses["pure_row_share"])
        summary.append(f"{count(groups['pure_groups'])} of one class ({of_rows} of the rows)")
    if groups["diversity"]:
        fewest = ", ".join(f"{count(least)} in {name!r}" for name, least in list(groups["diversity"].items())[:8])
        summary.append(f"fewest different values {fewest}")
    return [*lines, f"  groups        {'; '.join(summary)}"]


def _kept(release: dict[str, Any], shape: str) -> list[str]:
    """What the release still holds: detail, columns with content, and how well tables are served."""
    kept, lines = release["kept"], []
    if kept["detail"] is not None:
        of_columns = ", ".join(
            f"{name!r} {percent(round(value, 9))}" for name, value in list(kept["detail"]["columns"].items())[:8]
        )
        more = f" and {len(kept['detail']['columns']) - 8} more" if len(kept["detail"]["columns"]) > 8 else ""
        lines.append(f"  detail        {percent(kept['detail']['whole'])} kept; {of_columns}{more}")
    if shape == "table":
        lines.append(f"  content       {count(kept['columns'])} columns -> {count(kept['content'])} with content")
    if kept["tables"] is not None:
        ways = ", ".join(percent(kept["tables"][way]) for way in ("one_way", "two_way", "three_way"))
        lines.append(f"  tables        shares of 1-, 2-, 3-way tables that are wrong {ways}")
    return lines


def _unrecoded(release: dict[str, Any]) -> list[str]:
    """Accuracy of rows that are not recoded, and other columns as targets, where they were measured."""
    lines, raw, targets = [], release["kept"]["raw"], release["targets"]
    if raw is not None:
        lines.append(
            f"  raw           {percent(raw['raw']['value'])} on rows that are not recoded; guessing"
            f" {percent(raw['guessing']['value'])}"
        )
    if "accuracy" in targets:
        found = targets["accuracy"]
        lines.append(
            f"  others        {plural(found['n'], 'other column')} as target: {percent(found['release'])} right;"
            f" original {percent(found['original'])}, guessing {percent(found['guessing'])}"
        )
    return lines


def accuracy(release: dict[str, Any]) -> str:
    """The accuracy before and after, or why it is unknown."""
    utility = release["utility"]
    if utility is None:
        return release["no_utility"]
    low, high = points(utility["difference"]["low"]), points(utility["difference"]["high"])
    return (
        f"{percent(utility['accuracy_before']['value'])} before, {percent(utility['accuracy_after']['value'])} after"
        f" on {count(utility['n_test'])} held-out rows (difference {low} to {high} points)"
    )


def comparison(summary: dict[str, Any]) -> Table:
    """One line per release, as a table for a rich console."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True, header_style="bold")
    for title in ("method", "promise", "k", "kept", "changed, suppressed", "accuracy (95 %)", "holds"):
        is_text = title in ("method", "promise")
        table.add_column(title, justify="left" if is_text else "right", no_wrap=title.startswith("accuracy"))
    utility = next((r["utility"] for r in summary["releases"] if r["utility"] is not None), None)
    original = "" if utility is None else _interval(utility["accuracy_before"])
    n_quasi = summary["releases"][0]["quasi_before"]
    table.add_row("original", "none", count(summary["risk_before"]["k"]), f"{n_quasi} of {n_quasi}", "", original, "")
    for release in summary["releases"]:
        changes = release["changes"]
        cells = max(changes["quasi_cells"], 1)
        n_columns = release["quasi_before"] - changes["columns_dropped"]
        verified = release["verified"] and release["verdict"]["holds"]
        table.add_row(
            release["method"],
            release["promise"],
            number(release["verdict"]["measured"]),
            f"{n_columns} of {release['quasi_before']}",
            f"{percent(changes['changed_cells'] / cells)}, {percent(changes['suppressed_cells'] / cells)}",
            "" if release["utility"] is None else _interval(release["utility"]["accuracy_after"]),
            "[green]yes[/green]" if verified else "[red]no[/red]",
        )
    return table


def baselines(summary: dict[str, Any]) -> str:
    """Baselines for the accuracies of the comparison; empty if none was measured."""
    utility = next((r["utility"] for r in summary["releases"] if r["utility"] is not None), None)
    if utility is None:
        return ""
    return (
        f"Accuracy on {count(utility['n_test'])} held-out rows ({utility['classifier']}). Without any quasi-identifier"
        f" it is {percent(utility['accuracy_without_quasi']['value'])}, guessing the commonest class"
        f" {percent(utility['majority']['value'])}."
    )


def _interval(share: dict[str, float]) -> str:
    return f"{percent(share['value'])} ({100 * share['low']:.1f}–{100 * share['high']:.1f})"
