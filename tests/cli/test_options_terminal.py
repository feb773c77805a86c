# SPDX-License-Identifier: Apache-2.0
"""Names from data and of files do not steer a terminal: over all commands, no escape, bell or sign of direction."""

import csv
import json
import random

import pandas as pd
import pytest
from typer.testing import CliRunner

from discreet.cli.app import GOOD, app
from discreet.cli.options import cell, emit, say
from discreet.errors import listing, plain, shown
from discreet.foundation import progress

EVIL = "\x1b[31mred\x1b]0;t\x07\u202e\x85\u2028"  # colours, sets a title, rings, turns the direction, breaks the line
BROKEN_LINE = f"{EVIL}\nForged: all is well"
RESULTS = "results.csv"
NAMES = [f"{EVIL}{name}" for name in ("age", "sex", "town", "ill", "again")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Tables and baskets with such names, and a release of each, in a folder with such a name."""
    here = tmp_path_factory.mktemp("evil")
    draw = random.Random(7)
    with open(here / f"{EVIL}.csv", "w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow([*NAMES[:-1], BROKEN_LINE])
        for _ in range(120):
            one = [draw.randint(20, 60), draw.choice("fm"), draw.choice(["a", "b"]), draw.choice(["flu", "gout", "no"])]
            rows.writerow([*one, draw.choice(["no", "yes"])])
    with open(here / "baskets.dat", "w", encoding="utf-8") as file:
        file.writelines(f"{EVIL}{draw.randint(0, 3)} milk{draw.randint(0, 3)} tea\n" for _ in range(120))
    (here / "baskets.labels").write_text("".join(f"{draw.choice('ab')}\n" for _ in range(120)))
    (here / "items").write_text("".join(f"{EVIL}{n}\nmilk{n}\n" for n in range(4)) + "tea\n", encoding="utf-8")
    measured = [{"name": f"{BROKEN_LINE}{n}", "utility": n / 10, "privacy": n, "size": 4 - n} for n in range(3)]
    pd.DataFrame(measured).to_csv(here / RESULTS, index=False)
    return here


@pytest.fixture(autouse=True)
def _here(folder, monkeypatch):
    monkeypatch.chdir(folder)
    monkeypatch.setattr(progress, "PATIENCE", 0.0)  # everything that would be said is said
    yield
    progress.show(False)


TABLE = f"{EVIL}.csv"
OUT = f"out{EVIL}"
QUASI = ["--quasi", NAMES[0], "--quasi", NAMES[1], "--quasi", NAMES[2]]
ROLES = ["--target", BROKEN_LINE, *QUASI, "--sensitive", NAMES[3]]
RELEASE = ["release", TABLE, *ROLES, "--method", "mondrian", "--k", "5", "--overwrite", "-o", OUT]
ITEMS = ["release", "baskets.dat", "--baskets", "transactions", "--labels", "baskets.labels", "--k", "5", "--overwrite"]
PAY = ["--ledger", f"ledger{EVIL}.db", "--data-set", BROKEN_LINE]
LIMIT = ["ledger", "set-limit", PAY[1], BROKEN_LINE, "--epsilon", "1"]
RECIPE = ["recipe", "init", TABLE, "--target", BROKEN_LINE, "--k", "5", "--overwrite", "-o", f"{EVIL}.toml"]

# Each is a list of commands, in order: what is made, then what looks at it.
COMMANDS = {
    "inspect": [
        ["inspect", TABLE],
        ["inspect", TABLE, "--quasi", "nothing"],
        ["inspect", TABLE, "--target", f"{EVIL}x"],
    ],
    "inspect baskets": [["inspect", "baskets.dat"], ["inspect", "baskets.dat", "--labels", "baskets.labels"]],
    "release": [RELEASE, [*RELEASE, "--evaluate"], [*RELEASE[:-3], "-o", OUT], [*RELEASE, "--identifiers", f"{EVIL}z"]],
    "release baskets": [[*ITEMS, "--method", "greedy", "-o", f"items{EVIL}"], ["verify", f"items{EVIL}/release"]],
    "verify": [RELEASE, ["verify", f"{OUT}/release"], ["verify", OUT], ["verify", f"nowhere{EVIL}"]],
    "recode": [RELEASE, ["recode", f"{OUT}/release", TABLE, "--overwrite", "-o", f"more{EVIL}.csv"]],
    "evaluate": [["evaluate", TABLE, *ROLES, "--method", "mondrian", "--k", "5"]],
    "attack": [RELEASE, ["attack", f"{OUT}/release", "--known", TABLE, "--owner", f"{OUT}/owner"]],
    "attack, wrongly": [
        RELEASE,
        ["attack", f"{OUT}/release", "--known", TABLE, "--person", f"{EVIL}p"],
        ["attack", OUT],
    ],
    "risk": [
        ["risk", TABLE, *QUASI],
        ["risk", TABLE, *QUASI, "--fraction", "0.1", "--household", NAMES[3], "--overwrite", "-o", f"risk{EVIL}.html"],
        ["risk", TABLE, *QUASI, "--population", TABLE],
    ],
    "risk of a release": [RELEASE, ["risk", f"{OUT}/release"], ["risk", f"{OUT}/release", *QUASI]],
    "risk, wrongly": [
        ["risk", TABLE],
        ["risk", TABLE, "--quasi", f"{EVIL}x"],
        ["risk", TABLE, *QUASI, "--weights", f"{EVIL}w"],
        ["risk", TABLE, *QUASI, "--person", BROKEN_LINE],
        ["risk", f"no{EVIL}"],
        ["risk", TABLE, *QUASI, "-o", f"risk{EVIL}.txt"],
    ],
    "report": [RELEASE, ["report", f"{OUT}/release", "--public", "-o", f"page{EVIL}.html", "--overwrite"]],
    "report, wrongly": [["report", f"no{EVIL}"], ["report", "."]],
    "choose": [["choose", RESULTS], ["choose", f"choice{EVIL}"]],
    "ledger": [LIMIT, [*RELEASE, *PAY], ["ledger", "show", PAY[1]], ["ledger", "check", PAY[1]], [*RELEASE, *PAY]],
    "ledger, wrongly": [LIMIT, ["ledger", "show", PAY[1], f"{EVIL}x"], ["ledger", "show", f"no{EVIL}"]],
    "recipe": [RECIPE, ["recipe", "check", f"{EVIL}.toml"], ["recipe", "check", TABLE]],
    "compare": [RECIPE, ["compare", TABLE, f"{EVIL}.toml", "-o", f"study{EVIL}"], ["compare", TABLE, "--target", EVIL]],
    "clean": [["clean", "."], ["clean", f"no{EVIL}"]],
    "sketch": [
        ["sketch", "--stream", "baskets.dat", "--owner", f"mine{EVIL}", "--items", "items", "-o", f"s{EVIL}"],
        ["sketch", "--stream", TABLE, "--owner", f"mine{EVIL}", "-o", f"no{EVIL}/s.parquet"],
    ],
    "data": [["data", "write", EVIL, "-o", "x.csv"], ["data", "write", "clinic", "-o", f"c{EVIL}.txt"]],
    "cache": [["cache", "show", EVIL], ["cache", "purge", f"no{EVIL}"]],
    "key": [["key", "new", f"key{EVIL}"]],
    "audit": [["audit", EVIL]],
    "methods": [["methods", EVIL], ["methods", "km"]],
    "advise": [
        ["advise", TABLE, "--target", BROKEN_LINE, "--again"],
        ["advise", TABLE, "--quasi", f"{EVIL}x"],
        ["advise", "baskets.dat", "--known-items", "1"],
    ],
}


def strange(text):
    return [sign for sign in text if not sign.isprintable() and sign != "\n"]


IN_JSON = ("inspect", "inspect baskets", "verify", "risk", "ledger", "clean")  # one function writes all of it


@pytest.mark.parametrize(("which", "as_json"), [*((one, False) for one in COMMANDS), *((one, True) for one in IN_JSON)])
def test_no_command_prints_a_sign_that_steers_the_terminal(which, as_json):
    for command in COMMANDS[which]:
        more = ["--json"] if as_json else []
        done = CliRunner().invoke(app, [*command, *more])
        assert done.exit_code in (0, 1, 2), done.output
        assert not strange(done.stdout + done.stderr), (command[0], strange(done.stdout + done.stderr))
        assert not [line for line in (done.stdout + done.stderr).splitlines() if line.startswith("Forged")]
        if more and done.exit_code == GOOD:
            json.loads(done.stdout)


def test_every_command_is_swept():
    groups = {"data", "ledger", "recipe", "key", "cache"}
    known = {command.name or command.callback.__name__ for command in app.registered_commands} | groups
    swept = {command[0] for commands in COMMANDS.values() for command in commands}
    assert known - swept == {"demo", "reproduce", "studio", "replay"}  # tests/studio, tests/study/test_replay.py


def test_text_is_made_plain_in_one_place(capsys):
    assert plain(EVIL) == "\\x1b[31mred\\x1b]0;t\\x07\\u202e\\x85\\u2028"
    assert plain("naïve 数据 – €") == "naïve 数据 – €"
    assert not strange(shown(EVIL) + listing([EVIL]) + str(cell(EVIL)))
    assert not strange(plain("\ud800 a\ud800"))
    say(f"one {BROKEN_LINE}", "two")
    emit({EVIL: [EVIL, "\U000e0001\x7f"]})
    printed = capsys.readouterr().out
    assert not strange(printed)
    first, second, *rest = printed.splitlines()
    assert (first.startswith("one "), second) == (True, "two")
    assert json.loads("\n".join(rest)) == {"format": 1, EVIL: [EVIL, "\U000e0001\x7f"]}
