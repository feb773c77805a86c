# SPDX-License-Identifier: Apache-2.0
"""Wrong invocations of every command, in a folder of good and bad files whose cells carry a mark.

Each is a line: the arguments, and what the message must say, such as the option at fault. A few end with status 1, as
documented: a release that cannot be verified, a ledger that was changed.
"""

import json
import shutil
import sqlite3
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from discreet import Baskets, GreedySelector, Mondrian, Roles
from discreet.release.signature import new_key

MARK = "Quux-7319"  # stands in cells; no message may repeat it
ROLES = "--target again --quasi age,sex,town --sensitive ill --identifiers name"
SHOP = "--baskets transactions --labels shop.labels"
GOOD = f"{ROLES} --method mondrian --k 4"


@dataclass(frozen=True)
class Wrong:
    """A wrong invocation: its arguments, words that the message must hold, and the exit status."""

    arguments: tuple[str, ...]
    says: str = ""
    status: int = 2

    def __str__(self) -> str:
        return " ".join(self.arguments)[:80]


def people(rows: int = 120) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    age = rng.integers(20, 80, rows)
    town = rng.choice(["North", "South", f"{MARK}-town"], rows)
    return pd.DataFrame(
        {
            "name": [f"{MARK}-{i}" for i in range(rows)],
            "age": age,
            "sex": rng.choice(["f", "m"], rows),
            "town": town,
            "ill": rng.choice(["flu", "gout", f"{MARK}-ill"], rows),
            "again": np.where(age + rng.normal(0, 10, rows) > 50, "yes", "no"),
        }
    )


def make_files(folder: Path) -> None:
    """Everything that the invocations name."""
    frame = people()
    frame.to_csv(folder / "people.csv", index=False)
    frame.to_parquet(folder / "people.parquet")
    (folder / "parts").mkdir()
    frame.to_parquet(folder / "parts/a.parquet")
    (folder / "nothing").mkdir()
    _bad_tables(folder, frame)
    _baskets(folder)
    roles = Roles(target="again", quasi=["age", "sex", "town"], sensitive=["ill"], identifiers=["name"])
    Mondrian(k=4, random_state=1).release(frame, roles).save(folder / "out")
    (folder / "out/owner/report.html").write_text("<p>")
    shutil.copytree(folder / "out", folder / "changed")
    with (folder / "changed/release/data.csv").open("a") as file:
        file.write("30,f,North,flu,yes\n")
    shutil.copytree(folder / "out", folder / "edited")
    certificate = folder / "edited/release/certificate.json"
    certificate.write_text(certificate.read_text().replace('"k": 4', '"k": 9'))
    shutil.copytree(folder / "out", folder / "lost")
    (folder / "lost/release/data.csv").unlink()
    (folder / "fake").mkdir()
    (folder / "fake/certificate.json").write_text(f'{{"note": "{MARK}"}}')
    new_key(folder / "keys")
    (folder / "fake.pem").write_text(MARK)
    _recipes(folder)
    _ledgers(folder)
    (folder / "study").mkdir()
    (folder / "study/results.json").write_text(f'{{"{MARK}": 1}}')


def _bad_tables(folder: Path, frame: pd.DataFrame) -> None:
    texts = {
        "empty.csv": "",
        "header.csv": "name,age,sex,town,ill,again\n",
        "ragged.csv": f"age,sex,town,ill,again\n1,{MARK},a,b,yes\n1,{MARK},no\n",
        "twice.csv": f"age,age,town,ill,again\n1,{MARK},a,b,yes\n",
        "nameless.csv": f"age,,town,ill,again\n1,{MARK},a,b,yes\n",
        "headless.csv": f"31,{MARK},0.5,1999-01-01,-3\n" * 3,
        "quote.csv": f'age,again\n1,"{MARK}\n2,no\n3,yes\n',
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "zeros.csv").write_bytes(b"\x00\x01\x02" * 50)
    (folder / "broken.parquet").write_bytes(b"PAR1" + MARK.encode() * 9)
    frame.assign(again="yes").to_csv(folder / "oneclass.csv", index=False)
    frame.head(3).to_csv(folder / "few.csv", index=False)
    frame.rename(columns={"town": "\x1b[31mtown", "ill": "a" * 300}).to_csv(folder / "hostile.csv", index=False)
    pq.write_table(pa.table({"items": [["tea", MARK]]}), folder / "lists.parquet")


def _baskets(folder: Path) -> None:
    rng = np.random.default_rng(1)
    lines = [" ".join(f"{MARK}-i{item}" for item in np.flatnonzero(rng.random(6) < 0.5)) for _ in range(60)]
    (folder / "shop.dat").write_text("\n".join(lines) + "\n")
    labels = rng.choice(["a", "b"], 60)
    (folder / "shop.labels").write_text("\n".join(labels) + "\n")
    (folder / "short.labels").write_text("a\nb\n")
    (folder / "items.txt").write_text("".join(f"{MARK}-i{item}\n" for item in range(6)))
    (folder / "flags.csv").write_text("milk,tea,y\n" + "1,0,a\n0,1,b\n" * 20)
    (folder / "noflags.csv").write_text(f"milk,tea,y\n{MARK},0,a\n0,1,b\n")
    given = Baskets.from_transactions(folder / "shop.dat", labels)
    GreedySelector(k=3, random_state=1).release(given).save(folder / "items")


RECIPE = """format = 1
[roles]
target = "again"
quasi = ["age", "sex", "town"]
sensitive = ["ill"]
identifiers = ["name"]
"""


def _recipes(folder: Path) -> None:
    texts = {
        "good": RECIPE,
        "syntax": RECIPE + "[[[",
        "unknown": RECIPE + "[promise]\nk = [5]\n",
        "method": RECIPE + '[[methods]]\nname = "mondrain"\n',
        "range": RECIPE + '[[methods]]\nname = "mondrian"\nk = 1\n',
        "parameter": RECIPE + '[[methods]]\nname = "mondrian"\nutility = "cm"\n',
        "typed": RECIPE.replace('"again"', "7"),
        "absent": RECIPE.replace('"town"', '"towns"'),
        "empty": "",
        "weights": RECIPE + "[weights]\nutility = -3\n",
        "kinds": RECIPE + '[source]\nshape = "tabel"\n',
    }
    for name, text in texts.items():
        (folder / f"{name}.toml").write_text(text, encoding="utf-8")
    (folder / "binary.toml").write_bytes(b"\xff\xfe\x00" * 20)


def _ledgers(folder: Path) -> None:
    from discreet.release.ledger import Ledger

    Ledger(folder / "ledger.db").set_limit("visits", epsilon=1)
    for name in ("ledger.db", "ledger.db.key"):
        shutil.copy(folder / name, folder / name.replace("ledger", "tampered"))
    with sqlite3.connect(folder / "tampered.db") as book:
        for (name,) in book.execute("select name from sqlite_master where type = 'trigger'").fetchall():
            book.execute(f'drop trigger "{name}"')
    (folder / "text.db").write_text(MARK * 50)
    (folder / "receipt.json").write_text(json.dumps({"receipts": MARK}))
    shutil.copy(folder / "ledger.db", folder / "keyless.db")


def wrong_inputs() -> list[Wrong]:
    """All of them, each once."""
    lines = [*_usage(), *_release(), *_files(), *_reading(), *_roles(), *_others(), *_books(), *_unused()]
    found = {line.arguments: line for line in lines}
    assert len(found) == len(lines), [str(line) for line in lines if lines.count(line) > 1]
    return list(found.values())


def w(text: str, says: str = "", status: int = 2) -> Wrong:
    return Wrong(tuple(text.split()), says, status)


COMMANDS = {  # every command, with arguments that would be right
    "demo": "",
    "studio": "",
    "replay": "project.toml -o x",
    "inspect": "people.csv",
    "methods": "",
    "advise": "people.csv",
    "release": f"people.csv {GOOD} -o x",
    "verify": "out/release",
    "recode": "out/release people.csv -o x.csv",
    "evaluate": f"people.csv {ROLES} --method mondrian",
    "compare": "people.csv good.toml -o x",
    "report": "out",
    "choose": "study",
    "attack": "out/release --known people.csv",
    "risk": "people.csv --quasi age,sex",
    "sketch": "--stream shop.dat --owner x --out y",
    "audit": "geometric",
    "clean": ".",
    "reproduce": "",
    "data list": "",
    "data write": "clinic -o x.csv",
    "ledger show": "ledger.db",
    "ledger set-limit": "ledger.db visits --epsilon 1",
    "ledger check": "ledger.db",
    "ledger accept": "ledger.db --because why",
    "recipe init": "people.csv -o x.toml",
    "recipe check": "good.toml",
    "key new": "x",
    "key show": "keys/discreet-public.pem",
    "cache show": "x",
    "cache purge": "x",
}


def _usage() -> list[Wrong]:
    """What no command takes: an unknown option, too many arguments, too few, an option without its value."""
    lines = [w("releas", "Did you mean 'release'?"), w("--nonsense", "--nonsense"), w("x" * 300, "no command")]
    lines += [w("ledger shw", "Did you mean 'show'?"), w("data lst", "Did you mean 'list'?")]
    for name, rest in COMMANDS.items():
        lines.append(w(f"{name} {rest} --nonsense", f"`discreet {name}` has no option --nonsense."))
        lines.append(w(f"{name} {rest} --jsno", "Did you mean --json?"))
        if name != "attack":  # which takes any number of releases
            lines.append(w(f"{name} {rest} one two three four", "unexpected"))
        if rest.strip() and name not in ("compare",):
            lines.append(w(name, f"`discreet {name}` needs"))
    for name, option in (
        *(("demo", "--rows"), ("demo", "--k"), ("demo", "--seed"), ("evaluate", "--jobs"), ("evaluate", "--seed")),
        *(("audit", "--runs"), ("attack", "--targets"), ("release", "--seed"), ("risk", "--max-size")),
        *(("data write", "--rows"), ("release", "--m"), ("release", "--threads"), ("compare", "--jobs")),
    ):
        lines.append(w(f"{name} {COMMANDS[name]} {option} many", f"{option} takes a whole number"))
        lines.append(w(f"{name} {COMMANDS[name]} {option}", f"{option} needs a value"))
    for name, option in (
        *(("release", "--epsilon"), ("release", "--t"), ("risk", "--fraction"), ("risk", "--threshold")),
        *(("attack", "--share"), ("audit", "--epsilon"), ("audit", "--delta"), ("sketch", "--delta")),
        *(("ledger check", "--epsilon"), ("ledger set-limit", "--delta"), ("reproduce", "--under")),
    ):
        lines.append(w(f"{name} {COMMANDS[name]} {option} some", f"{option} takes a number"))
    for name, option, near in (
        ("release", "--baskets", "column"),
        ("evaluate", "--protocol", "holdoud"),
        ("evaluate", "--measure", "acuracy"),
        ("choose", "--by", "rnk"),
        ("report", "--plots", "pgn"),
        ("ledger set-limit", "--accounting", "basik"),
        ("ledger set-limit", "--neighbours", "replace"),
    ):
        lines.append(w(f"{name} {COMMANDS[name]} {option} {near}", f"{option} takes"))
    return lines


def _release() -> list[Wrong]:
    def of(options: str, says: str) -> Wrong:
        return w(f"release people.csv {ROLES} {options} -o x", says)

    lines = [
        of("--method mondrain", "Did you mean 'mondrian'?"),
        of("--method ?", "There is no method"),
        of("--method mondrian --k 1", "--k must be a whole number of at least 2. Got 1."),
        of("--method mondrian --k -3", "--k must be a whole number of at least 2"),
        of("--method mondrian --k 100000", "100000"),
        of("--method mondrian --l 1", "--l must be a number above 1"),
        of("--method mondrian --t 2", "--t must be a number of at least 0 and at most 1"),
        of("--method mondrian --split best", "--split must be information or median"),
        of("--method mondrian --set splitt=median", "Did you mean 'split'?"),
        of("--method mondrian --set split", "--set takes name=value"),
        of("--method mondrian --set =3", "--set takes name=value"),
        of("--method mondrian --k 5 --set k=7", "--k and --set k both give 'k'"),
        of("--method mondrian --set k=5 --set k=7", "--set gives 'k' two values"),
        of("--method mondrian --seed 3 --set random_state=4", "--seed and --set random_state"),
        of("--method mondrian --set relaxed=perhaps", "--set relaxed must be true or false"),
        of("--method mondrian --set labels=x", "--set labels must be"),
        of("--method mondrian --set distance=ordered", "Give --t"),
        of("--method mondrian --t 0.3 --set distance=ordered", "--set distance=equal"),
        of("--method mondrian --set diversity=entropy", "Give --l"),
        of("--method mondrian --set c=2", "Give --l"),
        of("--method mondrian --l 2 --set c=2", "--set c"),
        of("--method mondrian --set population=0.5 --label-known", "--label-known counts persons"),
        of("--method mondrian --set grids=[1]", "--set grids"),
        of("--method mondrian --max-suppressed few", "--max-suppressed takes a share"),
        of("--method mondrian --max-suppressed 7", "--max-suppressed must be"),
        of("--method mondrian --max-suppressed rows=x", "--max-suppressed takes a share"),
        of("--method tree-ladder --set detail=-1", "--set detail must be"),
        of("--method tree-ladder --set bins=0", "--set bins must be"),
        of("--method kactus2 --set swap=3", "--set swap must be"),
        of("--method kactus2 --k 40 --max-suppressed 0", "By --max-suppressed"),
        of("--method tds --set recoding=sideways", "--set recoding must be global or local"),
        of("--method tds --set quasi_sets=[]", "--set quasi_sets"),
        of("--method greedy --k 119", "No feature can be kept"),
        of("--method greedy --utility hamdst", "--utility must be"),
        of("--method greedy --on-infeasible go", "--on-infeasible must be"),
        of("--method greedy --absences -1", "--absences must be"),
        of("--method greedy --set cuts=7", "--set cuts must be"),
        of("--method km --m 0", "--m must be a whole number of at least 1"),
        of("--method random-flip --set vector=x", "--set vector must be"),
        of("--method private-table --epsilon 0", "--epsilon must be a number above 0"),
        of("--method private-table --epsilon -1", "--epsilon must be a number above 0"),
        of("--method private-table", "--set 'domain="),
        of("--method laplace-select --epsilon 1", "--set 'domain="),
        of("--method laplace-select --set n_features=0", "--set n_features must be"),
        of("--method breach-aware --set learner=c54", "Did you mean 'c45'?"),
        of("--method breach-aware --set attackers=x", "--set attackers"),
        of("--method breach-aware --set folds=1", "--set folds must be"),
        of("--method item-groups", "baskets"),
        of("--method delta-sketch", "baskets"),
    ]
    options = {  # an option of its own, and a method that does not take it
        "--k 5": "private-table",
        "--l 2": "greedy",
        "--t 0.3": "greedy",
        "--m 2": "mondrian",
        "--label-known": "kactus",
        "--population 0.1": "tree-ladder",
        "--epsilon 1": "mondrian",
        "--split median": "tds",
        "--utility cm": "mondrian",
        "--constraint containment": "mondrian",
        "--absences 1": "maximal",
        "--on-infeasible skip": "mondrian",
        "--max-features 3": "tree-ladder",
        "--max-suppressed 0.2": "greedy",
    }
    lines += [
        of(f"--method {method} {option}", f"'{method}' does not take {option.split()[0]}: it is for")
        for option, method in options.items()
    ]
    more = {
        "--format csv --engine duckdb": "--as",
        "--as parqet": "Did you mean 'parquet'?",
        "--as parquet --numbers middle": "--numbers takes",
        "--evaluate --engine duckdb": "--evaluate",
        "--engine duckbd": "Did you mean 'duckdb'?",
        "--engine postgres": "--source",
        "--memory 4GB": "--memory",
        "--source postgresql://x/y/z": "--source",
        "--engine duckdb --master local": "--master",
        "--engine duckdb --memory lots": "",
        "--engine duckdb --threads 0": "",
        "--engine duckdb --labels shop.labels": "--engine takes tables",
        "--dry-run": "--dry-run",
        "--item ill": "--item",
        "--row age": "--row",
        "--item ill --evaluate": "--evaluate",
        "--ledger ledger.db": "--data-set",
        "--data-set visits": "--ledger",
        "--ledger-key keys": "--ledger-key has no effect",
        "--ledger text.db --data-set visits": "ledger",
        "--ledger tampered.db --data-set visits": "ledger",
        "--sign no.pem": "private key",
        "--sign fake.pem": "private key",
        "--sign keys/discreet-public.pem": "private key",
        "--sink nowhere": "",
        "--sink postgresql://nobody@127.0.0.1:1/d/t": "",
        "--labels shop.labels": "--labels has no effect",
        "--separator ;": "--separator has no effect",
        "--allow-unique nope": "'nope'",
    }
    lines += [of(f"--method mondrian --k 4 {options}", says) for options, says in more.items()]
    lines += [
        w(f"release people.csv {GOOD} -o people.csv", "exists already"),
        w(f"release people.csv {GOOD} -o nothing/../people.csv/below", "cannot be written"),
        w(f"release people.csv {GOOD} -o .", "exists already"),
        w(f"release people.csv {GOOD} -o . --overwrite", ""),
        w(f"release {GOOD} -o x", "Nothing says where the rows are"),
        w(f"release people.csv {ROLES} --method kadet --as csv -o x", "--as has no effect"),
        w(f"release people.csv {ROLES} --method kadet --numbers midpoint -o x", "--numbers has no effect"),
    ]
    return lines


def _files() -> list[Wrong]:
    """Files that cannot be read, given to every command that reads one."""
    bad = {
        "nowhere.csv": "no file",
        "nothing": "",
        "empty.csv": "empty",
        "header.csv": "no rows",
        "ragged.csv": "ragged",
        "twice.csv": "more than once",
        "nameless.csv": "no name",
        "headless.csv": "",
        "quote.csv": "quote",
        "zeros.csv": "",
        "broken.parquet": "not a readable Parquet",
    }
    commands = {
        "inspect {}": bad,
        f"release {{}} {GOOD} -o x": bad,
        f"evaluate {{}} {ROLES} --method mondrian": bad,
        "risk {} --quasi age,sex": bad,
        "recode out/release {} -o x.csv": bad,
        "compare {} good.toml -o x": bad,
        "recipe init {} -o x.toml": bad,
        "attack out/release --attacks prosecutor --known {}": bad,
    }
    lines = [w(text.format(name), says) for text, files in commands.items() for name, says in files.items()]
    lines += [
        w(f"release oneclass.csv {GOOD} -o x", "one class only"),
        w(f"release few.csv {GOOD} -o x", "only 3 persons"),
        w(f"release hostile.csv {GOOD} -o x", "Did you mean"),
    ]
    return lines


def _reading() -> list[Wrong]:
    wrong = {
        "--kind age=numbr": "Did you mean 'number'?",
        "--kind agee=number": "Did you mean 'age'?",
        "--kind age": "--kind takes name=value",
        "--kind name=number": "Column 'name' was declared a number",
        "--date-format age=day-first": "Column 'age' is to be read as day-first",
        "--date-format sometimes": "--date-format must be day-first",
        "--decimal town=,": "Column 'town' is to be read as numbers with these marks",
        "--decimal x": "--decimal must be one of",
        "--thousands age=;": "--thousands must be one of",
        "--kind age=number --kind age=category": "--kind gives 'age' two values",
        "--encoding utf-99": "encoding",
        "--delimiter ::": "",
        "--quote ab": "",
        "--names a,b": "2 names",
        "--table people": "",
    }
    lines = [w(f"inspect people.csv {option}", says) for option, says in wrong.items()]
    lines += [w(f"release people.csv {GOOD} -o x {option}", says) for option, says in wrong.items()]
    return lines


def _roles() -> list[Wrong]:
    method = "--method mondrian --k 4"
    return [
        w(f"release people.csv --quasi age {method} --evaluate -o x", "Name it with --target"),
        w("release people.csv --quasi age --method tds -o x", "target"),
        w(f"release people.csv --quasi age {method} --split information -o x", "target"),
        w(f"release people.csv --target again {method} -o x", "quasi-identifiers"),
        w(f"release people.csv --target agian --quasi age {method} -o x", "Did you mean 'again'?"),
        w(f"release people.csv --target again --quasi agee {method} -o x", "Did you mean 'age'?"),
        w(f"release people.csv --target again --quasi age {method} --other age -o x", "two roles"),
        w(f"release people.csv {ROLES} {method} --person sex -o x", "two roles"),
        w(f"release people.csv --target again --quasi age --other name {method} -o x", "--allow-unique name"),
        w(f"release people.csv --target again --quasi age --other \x1b[31m {method} -o x", "\\x1b[31m"),
        w(f"release shop.dat --baskets transactions {method} -o x", "--labels"),
        w("release shop.dat --baskets transactions --labels shop.labels --quasi a --method greedy -o x", "--quasi"),
        w("release shop.dat --baskets transactions --labels short.labels --method greedy -o x", ""),
        w("release shop.dat --baskets transactions --labels nowhere --method greedy -o x", "nowhere"),
        w("release shop.dat --baskets transactions --labels shop.labels --target y --method greedy -o x", "--target"),
        w("release shop.dat --baskets transactions --labels shop.labels --delimiter ; --method greedy -o x", "--delim"),
        w(f"release shop.dat --target again --quasi age {method} -o x", "transactions"),
        w("release flags.csv --baskets columns --method greedy -o x", "--target"),
        w("release flags.csv --baskets columns --target z --method greedy -o x", "'z'"),
        w("release flags.csv --baskets columns --target y --labels shop.labels --method greedy -o x", "--labels"),
        w("release flags.csv --baskets columns --target y --separator ; --method greedy -o x", "--separator"),
        w("release noflags.csv --baskets columns --target y --method greedy -o x", "0/1"),
        w("inspect people.csv --quasi agee", "Did you mean 'age'?"),
        w("inspect people.csv --target agian", "Did you mean 'again'?"),
        w("inspect people.csv --person nobody", "'nobody'"),
        w("inspect flags.csv --baskets columns --quasi tea", "--quasi"),
        w("risk people.csv", "--quasi"),
        w("risk people.csv --quasi agee", "Did you mean 'age'?"),
        w("risk people.csv --quasi age --person nobody", "'nobody'"),
        w("risk people.csv --quasi age --household home", "'home'"),
        w("risk people.csv --quasi age --weights sex", "weights"),
        w("risk people.csv --quasi age --weights nope", "'nope'"),
        w("risk people.csv --quasi age --fraction 2", "--fraction is a share"),
        w("risk people.csv --quasi age --fraction 0.1 --weights age", "--population, --fraction and --weights"),
        w("risk people.csv --quasi age --threshold 3", "--threshold"),
        w("risk people.csv --quasi age --max-size 0", "--max-size"),
        w("risk people.csv --quasi age -o x.txt", ".html or .json"),
        w("risk people.csv --quasi age -o people.csv/x.json", "cannot be written"),
        w("risk people.csv --quasi age -o out/owner/trace.json", "exists already"),
        w("risk people.csv --quasi age --population nowhere.csv", "no file"),
    ]


def _others() -> list[Wrong]:
    """Commands on releases, studies, keys and recipes."""
    known = "--known people.csv"
    return [
        w("verify nowhere", "no release folder"),
        w("verify out", "Did you mean out/release?", 1),
        w("verify nothing", "", 1),
        w("verify fake", "", 1),
        w("verify changed/release", "changed after they were certified", 1),
        w("verify edited/release", "", 1),
        w("verify lost/release", "missing", 1),
        w(f"verify out/release --id {'0' * 32}", "not the expected release", 1),
        w("verify out/release --id 0000", "32 hexadecimal digits", 1),
        w("verify out/release --key keys/discreet-public.pem", "sign", 1),
        w("verify out/release --key fake.pem", "key"),
        w("verify out/release --key nowhere.pem", "key"),
        w("verify out/release --owner nowhere", "--owner names 'nowhere', which does not exist"),
        w("verify out/release --owner nothing", "--owner names 'nothing', which holds none of its files"),
        w("verify out/release --owner out", "Did you mean out/owner?"),
        w("recode nowhere people.csv -o x.csv", ""),
        w("recode out/release people.csv -o x.txt", ".parquet"),
        w("recode out/release people.csv -o people.csv", "exists already"),
        w("recode out/release flags.csv -o x.csv", ""),
        w("recode items/release shop.dat -o x.csv", ".dat"),
        w(f"attack nowhere {known}", "not a release folder"),
        w(f"attack out {known}", "Did you mean out/release?"),
        w(f"attack changed/release {known}", "certified", 1),
        w("attack out/release", "Give --known"),
        w(f"attack out/release {known} --attacks prosecuter", "Did you mean 'prosecutor'?"),
        w(f"attack out/release {known} --attacks sparse", "applies to baskets"),
        w(f"attack out/release {known} --attacks intersection", "Give --other"),
        w(f"attack out/release {known} --attacks differencing", "Give --gone and --other"),
        w(f"attack out/release {known} --attacks membership", "Give --control"),
        w(f"attack out/release {known} --share 2", "--share must be a number above 0 and at most 1"),
        w(f"attack out/release {known} --share 0", "--share must be"),
        w(f"attack out/release {known} --targets 0", "--targets must be a whole number of at least 1"),
        w(f"attack out/release {known} --aux-items 0", "--aux-items must be"),
        w(f"attack out/release {known} --aux-items 3", "--aux-items has no effect"),
        w(f"attack out/release {known} --sensitive nope", "--sensitive names columns"),
        w(f"attack out/release {known} --sensitive il", "Did you mean 'ill'?"),
        w(f"attack out/release {known} --knows nope", "'nope'"),
        w(f"attack out/release {known} --person nobody", "'nobody'"),
        w(f"attack out/release {known} --owner nowhere", "--owner names 'nowhere'"),
        w(f"attack out/release {known} --other nothing", "not a release folder"),
        w(f"attack out/release {known} --gone people.csv", "--gone has no effect"),
        w(f"attack out/release nothing {known}", "not a release folder"),
        w(f"attack out/release {known} --explain --json", "--explain has no effect"),
        w("attack items/release --known shop.dat --knows age", "--aux-items"),
        w("risk out --quasi age", "A release has its own roles"),
        w("risk out --owner nowhere", "--owner names 'nowhere'"),
        w("risk people.csv --quasi age --owner out/owner", "--owner"),
        w("risk fake", "not a certificate", 1),
        w("report nowhere", "neither a study nor a release"),
        w("report nothing", "neither a study nor a release"),
        w("report nothing --plots svg", "not a finished study"),
        w("report out --public --release x -o x.html", "--release"),
        w("report out -o out/owner/trace.json", "exists already"),
        w("report fake --public -o x.html", "nothing to report on", 1),
        w("choose nowhere", "no study"),
        w("choose study", ""),
        w("choose nothing", ""),
        w("choose out --weights utility", "--weights takes name=value"),
        w("choose out --weights utility=much", "not a number"),
        w("choose out --weights utility=1,utility=0", "utility"),
        w("choose out --weights privacy=2", "sum to 1"),
        w("choose out --plot people.csv", "exists already"),
        w("compare people.csv nowhere.toml -o x", "recipe"),
        w("compare people.csv absent.toml -o x", "Did you mean 'town'?"),
        w("compare people.csv good.toml --target again -o x", "--target"),
        w("compare people.csv --target agian -o x", "'agian'"),
        w("compare shop.dat --target y --labels shop.labels -o x", "--labels"),
        w("compare people.csv good.toml --jobs 0 -o x", "--jobs"),
        *(
            w(f"recipe check {name}.toml", "")
            for name in (
                "syntax",
                "unknown",
                "method",
                "range",
                "parameter",
                "typed",
                "empty",
                "weights",
                "binary",
                "kinds",
                "nowhere",
            )
        ),
        w("recipe init people.csv -o good.toml", "exists already"),
        w("recipe init people.csv --k 1 -o x.toml", "--k takes whole numbers of at least 2"),
        w("recipe init people.csv --k five -o x.toml", "--k takes whole numbers"),
        w("recipe init people.csv --target agian -o x.toml", "'agian'"),
        w("recipe init shop.dat --target y -o x.toml", "--target"),
        w("evaluate people.csv --target again --method mondrian", "quasi-identifiers"),
        w(f"evaluate people.csv {ROLES} --method mondrain", "Did you mean 'mondrian'?"),
        w(f"evaluate people.csv {ROLES} --method mondrian:k", "name=value"),
        w(f"evaluate people.csv {ROLES} --method mondrian:spit=median", "Did you mean 'split'?"),
        w(f"evaluate people.csv {ROLES} --method mondrian --k 1", "--k must be"),
        w(f"evaluate people.csv {ROLES} --method mondrian --method mondrian", "same"),
        w(f"evaluate people.csv {ROLES} --method mondrian --folds 1-fold", "--folds must be"),
        w(f"evaluate people.csv {ROLES} --method mondrian --classifiers c54", "Did you mean 'c45'?"),
        w(f"evaluate people.csv {ROLES} --method mondrian --jobs 0", "--jobs takes a whole number of at least 1"),
        w(f"evaluate people.csv {ROLES} --method mondrian --sample 5", "--sample takes a whole number of at least 100"),
        w("key new keys", "never overwritten"),
        w("key new people.csv", ""),
        w("key show nowhere.pem", ""),
        w("key show people.csv", ""),
        w("cache show nothing", ""),
        w("cache purge nowhere", ""),
        w("cache --json show nothing", "--json"),
        w("clean nowhere", "no folder"),
        w("clean people.csv", "no folder"),
        w("data write clinik -o x.csv", "Did you mean 'clinic'?"),
        w("data write clinic -o x.pdf", ""),
        w("data write clinic -o people.csv", "exists already"),
        w("data write clinic --rows -5 -o x.csv", ""),
        w("data write quest --rows 50 -o x.csv", ".dat"),
        w("data write tic_tac_toe --rows 50 -o x.csv", "option"),
        w("data write clinic --set nope=3 -o x.csv", "option"),
        w("audit geometrick", "Did you mean 'geometric'?"),
        w("audit geometric --delta 1e-6", "does not take --delta"),
        w("audit geometric --picks 2", "does not take --picks"),
        w("audit gaussian", "--delta"),
        w("audit geometric --epsilon 0", "--epsilon must be"),
        w("audit geometric --sensitivity -1", "--sensitivity must be"),
        w("audit geometric --runs 5", "100 runs"),
        w("audit geometric --false-alarm 2", "false-alarm"),
        w("methods mondrain", "Did you mean 'mondrian'?"),
        w("reproduce containmint", ""),
        w("demo -o people.csv", ""),
        w("demo --rows 0 -o x", ""),
        w("demo --k 1 -o x", ""),
    ]


def _books() -> list[Wrong]:
    """Ledgers and streams."""
    return [
        w("ledger show text.db", "ledger"),
        w("ledger show nothing", "ledger"),
        w("ledger show ledger.db nope", "'nope'"),
        w("ledger show tampered.db", "", 1),
        w("ledger show ledger.db --key people.csv", "key", 1),
        w("ledger check ledger.db visits", "--epsilon"),
        w("ledger check ledger.db --epsilon 1", "--epsilon"),
        w("ledger check ledger.db visits --epsilon 9", "too little"),
        w("ledger check ledger.db visits --epsilon -1", "--epsilon must be"),
        w("ledger check ledger.db --receipt receipt.json", "not a receipt"),
        w("ledger check ledger.db --receipt nowhere.json", "not a receipt"),
        w("ledger check tampered.db", "changed", 1),
        w("ledger set-limit ledger.db visits --epsilon -1", "--epsilon must be"),
        w("ledger set-limit ledger.db visits --epsilon inf", "--epsilon"),
        w("ledger set-limit ledger.db visits --epsilon 1 --delta 2", "--delta must be"),
        w("ledger set-limit ledger.db visits --epsilon 1 --accounting zcdp", "delta"),
        w("ledger set-limit nothing visits --epsilon 1", "ledger"),
        w("sketch --stream nowhere --owner x --out y", "no file"),
        w("sketch --stream shop.dat --owner x --out y", ""),
        w("sketch --stream shop.dat --items nowhere --owner x --out y", "no file"),
        w("sketch --stream shop.dat --items items.txt --delta -1 --owner x --out y", "--delta must be"),
        w("sketch --stream shop.dat --items items.txt --information -1 --owner x --out y", "--information must be"),
        w("sketch --stream shop.dat --items shop.labels --owner x --out people.csv", ""),
        w("sketch --stream shop.dat --owner x --out - --json", "--json"),
        w("sketch --stream broken.parquet --items shop.labels --owner x --out y", "damaged"),
    ]


READING = {  # options of reading, each with a value that would be right
    "--delimiter": ";",
    "--quote": "'",
    "--encoding": "utf-8",
    "--names": "a,b",
    "--header": "",
    "--missing": "x",
    "--kind": "age=number",
    "--decimal": ",",
    "--thousands": ".",
    "--date-format": "day-first",
    "--table": "people",
}
_CELLS = ("--missing", "--kind", "--decimal", "--thousands", "--date-format")  # which Parquet does not state


def _not_read(option: str, value: str) -> list[Wrong]:
    """The same option of reading where no file is read by it."""
    says = f"{option} has no effect"
    lines = [
        w(f"recode out/release parts -o x.csv {option} {value}", says),
        w(f"recode items/release shop.dat -o x.dat {option} {value}", says),
        w(f"risk out {option} {value}", says),
        w(f"attack out/release --owner out/owner {option} {value}", says),
        w(f"release shop.dat {SHOP} --method greedy -o x {option} {value}", says),
        w(f"evaluate shop.dat {SHOP} --method greedy {option} {value}", says),
        w(f"advise shop.dat --baskets transactions --labels shop.labels {option} {value}", says),
        w(f"recipe init shop.dat --labels shop.labels -o x.toml {option} {value}", "Transactions have no columns"),
    ]
    if option not in _CELLS:
        lines += [
            w(f"evaluate parts {ROLES} --method mondrian {option} {value}", says),
            w(f"inspect people.parquet {option} {value}", option.strip("-")),
        ]
    return lines


def _unused() -> list[Wrong]:
    """Options that would have no effect, and those that contradict each other."""
    evaluate = f"evaluate people.csv {ROLES}"
    signing = ("--approver", "--date", "--prepared-by", "--purpose", "--recipient")
    metadata = ("--license", "--publisher", "--title", "--url")
    return [
        *(line for option, value in READING.items() for line in _not_read(option, value)),
        *(w(f"report out {option} x -o x.html", option) for option in (*signing, *metadata)),
        *(
            w(f"attack out/release --known people.csv --attacks prosecutor {line}", f"{line.split()[0]} has no effect")
            for line in (
                *("--targets 5", "--seed 0", "--share 0.1", "--sensitive ill", "--population people.csv"),
                *("--other items/release", "--hierarchies x", "--aux-items 2"),
            )
        ),
        w("attack out/release --known people.csv --attacks journalist --control people.csv", "--control has no effect"),
        w("report out --edition dcat --pdf -o x.json", "--pdf"),
        w("report out --edition dcat --public -o x.json", "--public"),
        w("report out --edition dcat --policy policy.toml -o x.json", "--policy"),
        w("risk out --person who", "--person"),
        w("risk out --identifiers who", "--identifiers"),
        w("inspect people.csv --overwrite", "--overwrite replaces the file that --recipe names"),
        w("inspect people.csv --separator ;", "--separator has no effect"),
        w("advise people.csv --separator ;", "--separator has no effect"),
        w("advise people.csv --known-items 2", "--known-items has no effect"),
        w("advise people.csv --texts", "--texts has no effect"),
        w("advise people.csv --epsilon 2", "--epsilon has no effect"),
        w("advise people.csv --formal --target again --k 3", "--k has no effect"),
        w("audit geometric --dimension 3", "does not take --dimension"),
        w(f"release people.csv {GOOD} --allow-unique age -o x", "--allow-unique has no effect"),
        w(f"release people.csv {GOOD} --allow-unique name -o x", "--allow-unique has no effect"),
        w(f"{evaluate} --method mondrian --allow-unique name", "--allow-unique has no effect"),
        w(f"evaluate shop.dat {SHOP} --method greedy --target y", "--target has no effect"),
        w(f"evaluate shop.dat {SHOP} --method greedy --quasi y", "--quasi"),
        w(
            "attack items/release --known shop.dat --knows age --attacks sparse",
            "Known columns can be named",
        ),
        w(f"{evaluate} --method private-table --k 5", "None of the methods takes --k"),
        w(f"{evaluate} --method mondrian --epsilon 1", "None of the methods takes --epsilon"),
        w(f"{evaluate} --method mondrian:k=5 --k 7", "None of the methods takes --k"),
        w(f"{evaluate} --method mondrian --k 5 --set k=7", "--k and --set k both give 'k'"),
        w(f"{evaluate} --method mondrian --set utility=cm", "None of the methods takes --set utility"),
        w(f"{evaluate} --method mondrian --sample 500", "--sample has no effect"),
        w(f"{evaluate} --method mondrian --labels shop.labels", "--labels has no effect"),
        w(f"{evaluate} --method mondrian --separator ;", "--separator has no effect"),
        w("choose out --overwrite", "--overwrite has no effect"),
        w("choose out --baseline original", "--baseline has no effect"),
        w("choose out --lower utility --higher utility", "utility"),
        w("risk people.csv --quasi age --overwrite", "--overwrite has no effect"),
        w("attack out/release --owner out/owner --person who", "--person has no effect"),
        w("ledger check ledger.db --delta 0.1", "--delta has no effect"),
        w("sketch --stream lists.parquet --owner x --out y --separator ;", "--separator has no effect"),
        w("sketch --stream lists.parquet --owner x --out y --label-first", "--label-first has no effect"),
        w("sketch --stream shop.dat --owner x --out - --overwrite", "--overwrite has no effect"),
        w("report out --release x -o x.html", "--release"),
        w("report out --public --plots svg -o x", "--plots"),
        w("report out --pdf --plots svg -o x", "--plots"),
        w("reproduce --quick", "--quick has no effect"),
        w("reproduce --table 5", "--table has no effect"),
        w("reproduce containment --quick --again", "--again has no effect"),
        w("reproduce --under 60", "--under has no effect"),
        w("data write clinic --rows 20 --set rows=30 -o x.csv", "--rows"),
        w("compare people.csv good.toml --labels shop.labels -o x", "--labels"),
        w(
            f"release shop.dat {SHOP} --method delta-sketch --evaluate -o x",
            "--eva",
        ),
        w(f"release people.csv {ROLES} --method mondrian --set split=median --split median -o x", "--split and --set"),
    ]
