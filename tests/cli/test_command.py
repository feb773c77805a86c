# SPDX-License-Identifier: Apache-2.0
"""What holds for every command: help with all defaults, -h, one JSON document, no option without effect, completion."""

import json
import re
from types import SimpleNamespace

import pytest
import typer
from typer.testing import CliRunner

from cli.unused_options import ALWAYS_USED, is_always_used, refused
from cli.wrong_inputs import COMMANDS, MARK, ROLES, make_files, wrong_inputs
from discreet.cli.app import app
from discreet.cli.running import spelt

pytestmark = pytest.mark.usefixtures("patient")
ROOT = typer.main.get_command(app)


def commands(group=ROOT, path=()):
    """Every command with its path, and every group that does something itself."""
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, (*path, name))
        else:
            yield " ".join((*path, name)), command


ALL = dict(commands())


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("commands")
    make_files(place)
    return place


@pytest.fixture
def run(folder, monkeypatch):
    monkeypatch.chdir(folder)
    monkeypatch.setattr("typer.testing._get_command", lambda app: ROOT)

    def invoke(text, **settings):
        arguments = text.split() if isinstance(text, str) else text
        return CliRunner().invoke(app, arguments, prog_name="discreet", **settings)

    return invoke


def test_the_list_of_commands_is_complete():
    assert set(COMMANDS) == set(ALL)


# -- help --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ALL)
def test_every_option_says_what_it_is_if_it_is_not_given(name):
    command = ALL[name]
    context = typer.Context(command)
    silent = []
    for param in command.params:
        if param.param_type_name == "option":
            text = param.get_help_record(context)[1]
            if not re.search(r"\[.*(default: |required)|if not given", text):
                silent.append(spelt(param))
            assert param.help, spelt(param)
    assert not silent


@pytest.mark.parametrize("name", ["", *ALL, "data", "ledger", "recipe", "key", "cache"])
def test_h_is_help(run, name):
    short, long = run(f"{name} -h"), run(f"{name} --help")
    assert short.exit_code == 0
    assert short.stdout == long.stdout
    assert "Usage: discreet" in re.sub(r"\x1b\[[0-9;]*m", "", short.stdout)


# -- JSON --------------------------------------------------------------------------------------------------------------


def answer_of(done, status=0, *, of_published=False):
    assert done.exit_code == status, (done.stdout, done.stderr, done.exception)
    answer = json.loads(done.stdout)
    assert isinstance(answer, dict)
    assert next(iter(answer)) == "format"
    assert answer["format"] == 1
    assert of_published or MARK not in done.output
    return answer


ANSWERS = {  # arguments that succeed quickly, by command
    "inspect": "people.csv",
    "methods": "mondrian",
    "advise": "people.csv --no-try",
    "release": f"people.csv {ROLES} --method mondrian -o made",
    "verify": "out/release",
    "recode": "out/release people.csv -o recoded.csv",
    "evaluate": f"people.csv {ROLES} --method mondrian --classifiers tree --folds 5-fold --no-detail",
    "compare": "people.csv quick.toml -o compared",
    "report": "out -o report.html",
    "choose": "compared",
    "attack": "out/release --known people.csv --attacks prosecutor",
    "risk": "people.csv --quasi age,sex",
    "sketch": "--stream shop.dat --items items.txt --owner sketcher --out sketched --information 0.1",
    "audit": "geometric --runs 200 --seed 1",
    "clean": ".",
    "reproduce": "",
    "data list": "",
    "data write": "clinic --rows 20 -o clinic.csv",
    "ledger show": "ledger.db",
    "ledger set-limit": "ledger.db others --epsilon 1",
    "ledger check": "ledger.db",
    "ledger accept": "ledger.db --because why",
    "recipe init": "people.csv -o made.toml",
    "recipe check": "good.toml",
    "key new": "more-keys",
    "key show": "keys/discreet-public.pem",
    "cache show": "scores",
    "cache purge": "scores",
    "demo": "-o demo",
    "studio": "",
    "replay": "project.toml people.csv -o replayed",
}
QUICK = """
[[methods]]
name = "mondrian"
k = 5
[evaluation]
classifiers = ["tree"]
folds = "5-fold"
[run]
seed = 3
"""


def test_every_command_answers_in_json(run, folder, monkeypatch):
    """One after the other, since some read what others write."""
    from cli.wrong_inputs import RECIPE
    from discreet.evaluate.score_cache import Cache
    from discreet.study.replay import ProjectFile, hash_of

    (folder / "quick.toml").write_text(RECIPE + QUICK)
    Cache(folder / "scores")
    project = {"data": "people.csv", "sha256": hash_of(folder / "people.csv"), "chosen": "mondrian-k5"}
    (folder / "project.toml").write_text(ProjectFile(format=1, recipe=RECIPE + QUICK, **project).text())
    monkeypatch.setattr("discreet.studio.running.run_studio", lambda say, **_: say("http://127.0.0.1:1/open?token=x"))
    walked = SimpleNamespace(folder="demo", report="a", study_report="b", summary={}, study={})
    monkeypatch.setattr("discreet.cli.demo_walk.run", lambda *_, **__: walked)  # tests/cli/test_demo_walk.py runs it
    monkeypatch.setattr("discreet.cli.reproduce.checkout", lambda start: None)
    assert set(ANSWERS) == set(ALL)
    for name, arguments in ANSWERS.items():
        shows = name in ("release", "compare")  # figures of labels that are published
        answer_of(run(f"{name} {arguments} --json"), status=2 if name == "reproduce" else 0, of_published=shows)


def test_cache_answers_in_json(run, monkeypatch):
    monkeypatch.setattr("discreet.cli.cache_kernels.compile_kernels", lambda: None)
    assert set(answer_of(run("cache --json"))) == {"format", "compiled", "loaded", "folder"}


@pytest.mark.parametrize("name", ALL)
def test_an_error_is_json_too_and_one_sentence_for_people(run, name):
    done = run(f"{name} {COMMANDS[name]} --nonsense --json")
    error = answer_of(done, status=2)["error"]
    assert error["status"] == 2
    assert error["kind"] == "UsageError"
    assert error["message"] == done.stderr.strip()


def test_errors_of_all_kinds_are_json(run):
    kinds = {}
    for wrong in wrong_inputs()[::7]:
        if "--json" in wrong.arguments or "-" in wrong.arguments or wrong.status != 2:
            continue
        done = run([*wrong.arguments, "--json"])
        error = answer_of(done, status=2)["error"]
        assert (
            error["message"].split() == done.stderr.removeprefix("Warning: ").split()[-len(error["message"].split()) :]
        )
        kinds.setdefault(error["kind"], wrong)
    assert {"UsageError", "DataError", "ParameterError", "RolesError"} <= set(kinds)


def test_what_was_taken_by_default_is_said(run):
    done = run(f"release people.csv {ROLES} --method mondrian -o by-default")
    assert done.stderr == "--k was not given: mondrian takes k = 5.\n"
    done = run(f"release people.csv {ROLES} --method mondrian -o by-default --overwrite --json")
    assert answer_of(done, of_published=True)["defaults"] == {"k": 5}
    done = run(f"release people.csv {ROLES} --method mondrian --k 4 -o given --json")
    assert answer_of(done, of_published=True)["defaults"] == {}
    done = run(f"release people.csv {ROLES} --method km -o of-km")
    assert done.stderr == "--k and --m were not given: km takes k = 5 and m = 2.\n"


# -- unused options ----------------------------------------------------------------------------------------------------


def test_of_every_option_it_is_known_when_it_has_no_effect():
    """An option is always used, for a reason, or an invocation in which it would not be is refused."""
    pairs = {
        (name, spelt(param)) for name, command in ALL.items() for param in command.params if spelt(param)[:2] == "--"
    }
    told = refused()
    unknown = [pair for pair in sorted(pairs) if pair not in told and not is_always_used(*pair)]
    assert not unknown, "say in tests/cli/unused_options.py when these have no effect"
    assert {(name, option) for name, options in ALWAYS_USED.items() for option in options} <= pairs


# -- completion --------------------------------------------------------------------------------------------------------


def completed(run, line):
    words = line.split(" ")
    environment = {"_DISCREET_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1)}
    return run("", env=environment).stdout.split()


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("discreet rel", ["release"]),
        ("discreet ledger s", ["show", "set-limit"]),
        ("discreet release --max-f", ["--max-features"]),
        ("discreet release x --method mon", ["mondrian"]),
        ("discreet release x --as p", ["parquet"]),
        ("discreet release people.csv --quasi a", ["age", "again"]),
        ("discreet release people.csv --quasi age,t", ["age,town"]),
        ("discreet release people.parquet --target ag", ["age", "again"]),
        ("discreet release headless.csv --target ", []),
        ("discreet release shop.dat --target ", []),
        ("discreet release nowhere.csv --target ", []),
        ("discreet attack x --attacks prosecutor,jo", ["prosecutor,journalist"]),
        ("discreet evaluate x --classifiers c4", ["c45"]),
        ("discreet audit geo", ["geometric"]),
        ("discreet data write cl", ["clinic"]),
        ("discreet methods kac", ["kactus", "kactus2"]),
    ],
)
def test_a_shell_completes(run, line, expected):
    assert completed(run, line) == expected


def test_the_script_of_a_shell_is_shown_and_nothing_is_written(run, folder, monkeypatch):
    monkeypatch.setenv("HOME", str(folder / "home"))
    monkeypatch.setattr("typer.completion._get_shell_name", lambda: "bash")
    done = run("--show-completion")
    assert done.exit_code == 0
    assert "_DISCREET_COMPLETE" in done.stdout
    assert not (folder / "home").exists()
