# SPDX-License-Identifier: Apache-2.0
"""The command that comes next, complete and quoted for a shell, with the roles and the reading that were found."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from typing import Any

from discreet.data.roles import Roles

METHOD, K = "tree-ladder", 5  # a release to begin with


def shell(words: Iterable[str]) -> str:
    """The words as a line to be copied into a shell. Signs that a terminal does not show, and bytes of file names that
    are no text, are spelt in the way that bash and zsh read.

    >>> print(shell(["--quasi", "zip\\xa0code", "caf\\udce9.dat", "it's"]))
    --quasi $'zip\\xc2\\xa0code' $'caf\\xe9.dat' 'it'"'"'s'
    """
    return " ".join(shlex.quote(word) if word.isprintable() else f"$'{''.join(map(_spelt, word))}'" for word in words)


def _spelt(sign: str) -> str:
    if sign.isprintable():
        return f"\\{sign}" if sign in "\\'" else sign
    escaped = "\udc80" <= sign <= "\udcff"  # how Python holds a byte that is no text
    held = bytes([ord(sign) - 0xDC00]) if escaped else sign.encode("utf-8", errors="replace")
    return "".join(f"\\x{byte:02x}" for byte in held)


def release_command(
    file: str,
    roles: Roles,
    *,
    reading: Mapping[str, Any] | None = None,
    method: str = METHOD,
    k: int = K,
    out: str = "out",
) -> str:
    """The command that releases a table with these roles.

    >>> release_command("my clinic.csv", Roles(target="ill", quasi=["age", "zip code"]))
    "discreet release 'my clinic.csv' --target ill --quasi 'age,zip code' --method tree-ladder --k 5 -o out"
    """
    words = [*_begin("release", file), *_roles(roles), *_reading(reading or {})]
    return shell([*words, "--method", method, "--k", str(k), "-o", out])


def recipe_command(command: str, file: str, recipe: str, *, method: str | None = None, out: str | None = None) -> str:
    """A command that takes roles and reading from a recipe.

    >>> recipe_command("compare", "clinic.csv", "recipe.toml", out="study")
    'discreet compare clinic.csv --recipe recipe.toml -o study'
    """
    words = [*_begin(command, file), *_option("--recipe", recipe)]
    words += [] if method is None else ["--method", method, "--k", str(K)]
    return shell([*words, *([] if out is None else ["-o", out])])


def inspect_command(
    file: str, roles: Roles, *, recipe: str | None = None, reading: Mapping[str, Any] | None = None
) -> str:
    """The command that inspects a table with these roles, of which it takes some, and writes a recipe."""
    words = [*_begin("inspect", file), *_roles(roles), *_reading(reading or {})]
    return shell([*words, *([] if recipe is None else _option("--recipe", recipe))])


def baskets_command(
    file: str,
    shape: str,
    *,
    labels: str | None = None,
    target: str | None = None,
    separator: str | None = None,
    out: str = "out",
) -> str:
    """The command that releases baskets against attackers who know two items of a person.

    >>> baskets_command("visits.dat", "transactions", labels="visits.labels")
    'discreet release visits.dat --baskets transactions --labels visits.labels --method km --m 2 --k 5 -o out'
    """
    words = [*_begin("release", file), "--baskets", shape]
    for option, value in (("--labels", labels), ("--target", target), ("--separator", separator)):
        words += [] if value is None else _option(option, value)
    return shell([*words, "--method", "km", "--m", "2", "--k", str(K), "-o", out])


def advised_command(
    file: str,
    method: str,
    parameters: Mapping[str, Any],
    *,
    data: Mapping[str, Any],
    roles: Roles | None = None,
    reading: Mapping[str, Any] | None = None,
    out: str = "out",
) -> str:
    """The command that releases a file with this method; `data` are options about the file, by their names.

    >>> advised_command("visits.dat", "km", {"k": 5, "m": 2}, data={"baskets": "transactions"})
    'discreet release visits.dat --baskets transactions --method km --k 5 --m 2 -o out'
    """
    words = [*_begin("release", file), *([] if roles is None else _roles(roles)), *_reading(reading or {})]
    words += [word for name, value in data.items() if value is not None for word in _option(f"--{name}", str(value))]
    words += ["--method", method]
    for name, value in parameters.items():
        option = f"--{name.replace('_', '-')}"
        if name in _SET:
            words += ["--set", f"{name}={value}"]
        else:
            words += [option] if value is True else [option, _number(value) if isinstance(value, float) else str(value)]
    return shell([*words, "-o", out])


_SET = ("domain", "labels", "hierarchies")  # parameters of methods without an option of their own


def limit_command(ledger: str, data_set: str, epsilon: float) -> str:
    """The command that opens the account of a data set.

    >>> limit_command("ledger.sqlite", "-odd", 1.0)
    'discreet ledger set-limit --epsilon 1 -- ledger.sqlite -odd'
    """
    ends = ["--"] if data_set.startswith("-") else []  # of the options
    return shell(["discreet", "ledger", "set-limit", "--epsilon", _number(epsilon), *ends, ledger, data_set])


def _number(value: float) -> str:
    return repr(value).removesuffix(".0")


def _begin(command: str, file: str) -> list[str]:
    return ["discreet", command, f"./{file}" if file.startswith("-") else file]


def _option(name: str, value: str) -> list[str]:
    return [f"{name}={value}"] if value.startswith("-") else [name, value]


def _roles(roles: Roles) -> Iterable[str]:
    for role in ("target", "quasi", "sensitive", "identifiers", "other", "person"):
        value = getattr(roles, role)
        if not value:
            continue
        if isinstance(value, str):
            yield from _option(f"--{role}", value)
        elif any("," in name or name != name.strip() for name in value):  # one by one, or it would be cut
            for name in value:
                yield from _option(f"--{role}", name)
        else:
            yield from _option(f"--{role}", ",".join(value))


_OPTIONS = {"kinds": "--kind"}


def _reading(reading: Mapping[str, Any]) -> Iterable[str]:
    for name, value in reading.items():
        option = _OPTIONS.get(name, f"--{name.replace('_', '-')}")
        if isinstance(value, bool):
            yield option if value else option.replace("--", "--no-", 1)
        elif isinstance(value, Mapping):
            for key, inner in value.items():
                yield from _option(option, f"{key}={inner}")
        elif name == "names":
            yield from _option(option, ",".join(value))
        elif isinstance(value, list):
            for one in value:
                yield from _option(option, str(one))
        else:
            yield from _option(option, "tab" if value == "\t" else str(value))
