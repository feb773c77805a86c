# SPDX-License-Identifier: Apache-2.0
"""Of every option of every command: when it has no effect, and is refused; or why it always has one."""

from cli.wrong_inputs import COMMANDS, wrong_inputs

_ANSWER = "it says where or how the answer goes"
_PERMITS = "it permits what would be refused, and asks for nothing"
_MEASURES = "every run measures by it"
_CHECKS = "it asks for a check, which is made or fails"
_ROLES = "baskets refuse all roles alike"
EVERYWHERE = {
    "--json": _ANSWER,
    "--quiet": _ANSWER,
    "--out": _ANSWER,
    "--overwrite": _PERMITS,
    "--method": "it names what is done",
    "--seed": "what is drawn depends on it",
    "--recipe": "every recipe has roles",
}
_ENGINE = dict.fromkeys(("--memory", "--threads", "--master"), "an engine refuses what it does not take") | {
    "--engine": "it says where rows are counted; baskets, and a release in one file, refuse it"
}
_ASKED = "it answers a question of the guide, which every advice rests on"
ALWAYS_USED = {
    "advise": dict.fromkeys(("--wants", "--cells", "--label-known", "--formal", "--again"), _ASKED)
    | dict.fromkeys(("--target", "--quasi", "--sensitive", "--identifiers", "--other", "--person"), _ROLES)
    | {"--allow-unique": _ROLES, "--baskets": "it says what the file holds"}
    | {"--labels": "it says that the file holds transactions", "--try": "it asks for a trial, or for none"},
    "attack": {"--attacks": "it names what is done", "--owner": _CHECKS, "--known": "as --control"}
    | {"--knows": "baskets and sketches refuse it"}
    | _ENGINE,
    "audit": dict.fromkeys(("--epsilon", "--sensitivity", "--claim", "--runs", "--false-alarm"), _MEASURES),
    "choose": {"--weights": _MEASURES, "--by": _MEASURES, "--plot": _ANSWER}
    | dict.fromkeys(("--lower", "--higher"), "a measure without a weight is refused"),
    "clean": {"--dry-run": "it always says what would be done"},
    "compare": {"--jobs": "it divides the work, whatever it is"},
    "studio": {"--port": "the next free one is sought from it", "--folder": "it says where the project is kept"}
    | {"--no-browser": _PERMITS},
    "data write": dict.fromkeys(("--rows", "--set"), "a data set refuses options that it does not have"),
    "demo": dict.fromkeys(("--rows", "--k"), _MEASURES),
    "evaluate": dict.fromkeys(
        ("--protocol", "--folds", "--classifiers", "--measure", "--detail", "--jobs", "--cache"), _MEASURES
    )
    | dict.fromkeys(("--sensitive", "--identifiers", "--other", "--person"), _ROLES)
    | {"--baskets": "it says what the file holds"}
    | _ENGINE,
    "inspect": {"--baskets": "it says what the file holds", "--labels": "it says that the file holds transactions"}
    | dict.fromkeys(("--target", "--quasi", "--person"), _ROLES)
    | dict.fromkeys(("--missing", "--kind", "--decimal", "--thousands", "--date-format"), "files of all kinds take it"),
    "ledger accept": {"--because": "it is recorded", "--key": _CHECKS},
    "ledger check": {"--receipt": _CHECKS, "--key": _CHECKS, "--epsilon": "it goes with a data set"},
    "ledger set-limit": dict.fromkeys(
        ("--epsilon", "--delta", "--accounting", "--neighbours", "--key"), "it is recorded"
    ),
    "ledger show": {"--key": _CHECKS},
    "recipe init": {"--k": "it is written", "--baskets": "it says what the file holds", "--target": _ROLES}
    | {"--labels": "0/1 columns refuse it"},
    "release": dict.fromkeys(("--sensitive", "--identifiers", "--other", "--person", "--quasi"), _ROLES)
    | dict.fromkeys(("--ledger", "--data-set"), "one without the other is refused")
    | dict.fromkeys(("--memory", "--threads", "--master", "--source"), "an engine refuses what it does not take")
    | {
        "--baskets": "it says what the file holds",
        "--engine": "it says where rows are counted",
        "--no-report": _PERMITS,
    }
    | {"--sign": _CHECKS, "--sink": _ANSWER, "--policy": _CHECKS, "--set": "a method refuses what it does not have"}
    | {"--item": "everything that does not fit is refused", "--row": "refused without --item"},
    "report": {"--edition": "it names what is written", "--plots": "it names what is written"},
    "risk": dict.fromkeys(("--household", "--fraction", "--weights", "--threshold", "--max-size"), _MEASURES)
    | {"--population": _MEASURES, "--quasi": "a release refuses it", "--owner": "a table refuses it"},
    "sketch": dict.fromkeys(("--stream", "--owner", "--items", "--delta", "--max-components"), _MEASURES)
    | {"--information": _MEASURES, "--counts": _MEASURES, "--allow-determined": _PERMITS},
    "recode": _ENGINE,
    "verify": {"--owner": _CHECKS, "--key": _CHECKS, "--id": _CHECKS, "--policy": _CHECKS, "--patient": _PERMITS}
    | {"--source": "an engine refuses what it does not take"}
    | _ENGINE,
}
_REFUSALS = ("no effect", "does not take", "takes no", "None of the methods takes", "Transactions have no columns")


def is_always_used(command: str, option: str) -> bool:
    return option in EVERYWHERE or option in ALWAYS_USED.get(command, {})


def refused() -> set[tuple[str, str]]:
    """The options that a wrong invocation refuses because they would have no effect, with their commands."""
    found = set()
    for wrong in wrong_inputs():
        line = " ".join(wrong.arguments)
        command = max((name for name in COMMANDS if line.startswith(name)), key=len, default="")
        options = [one for one in wrong.arguments if one.startswith("--")]
        found |= {(command, one) for one in options if _refuses(wrong.says, one)}
    return found


def _refuses(says: str, option: str) -> bool:
    """Whether the message is about this option having no effect, and nothing else."""
    named = says in (option, option.strip("-")) or says == _REFUSALS[-1]
    return named or (option in says and any(word in says for word in _REFUSALS))
