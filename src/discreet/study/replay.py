# SPDX-License-Identifier: Apache-2.0
"""A project file: what was decided in the studio, so that the same release can be made again from the same data.

It names the release that was chosen, the data by a hash, and holds the recipe with its secret seed: it stays with the
owner. Hashes are compared before anything is made.
"""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from tomllib import TOMLDecodeError
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from discreet.data.dataset import Dataset
from discreet.errors import DataError, did_you_mean, listing, shown
from discreet.foundation.atomic_files import scratch_folder
from discreet.foundation.plain_files import check_plain
from discreet.foundation.toml_text import read_toml
from discreet.foundation.toml_values import toml_value
from discreet.release.release import Release
from discreet.study import recipe_from
from discreet.study.loading import load_dataset
from discreet.study.measure import release_of
from discreet.study.recipe import MethodSection, Recipe
from discreet.study.tasks import tasks_of

FILE = "project.toml"
_LONGEST = 1 << 20


class ProjectFile(BaseModel):
    """The content of a project file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    format: Literal[1]
    data: str = Field(min_length=1, max_length=400)
    sha256: str = Field(pattern="^[0-9a-f]{64}$")
    chosen: str = Field(min_length=1, max_length=400)
    recipe: str
    labels_sha256: str = Field(default="", pattern="^([0-9a-f]{64})?$")
    policy: str = Field(default="", max_length=1 << 16)
    hierarchies: dict[str, str] = Field(default={}, max_length=1000)

    @classmethod
    def read(cls, path: Path) -> ProjectFile:
        """The project in a file; DataError if it is none."""
        if not path.is_file():
            raise DataError(f"There is no project file {shown(path.name)}. Check the path.")
        check_plain(path)
        if path.stat().st_size > _LONGEST:
            raise DataError(f"{shown(path.name)} is too long to be a project file.")
        try:
            return cls.model_validate(read_toml(path.read_text(encoding="utf-8")))
        except (UnicodeDecodeError, TOMLDecodeError):
            raise DataError(f"{shown(path.name)} is not TOML, as project files are.") from None
        except ValidationError as error:
            places = listing(sorted({".".join(map(str, one["loc"])) or "the file" for one in error.errors()}))
            raise DataError(f"{shown(path.name)} is not a project file of the studio: see {places}.") from None

    def text(self) -> str:
        """The file's text."""
        plain = self.model_dump(exclude={"hierarchies"})
        lines = [f"{name} = {toml_value(value)}" for name, value in plain.items()]
        lines += ["", "[hierarchies]"] if self.hierarchies else []
        lines += [f"{toml_value(column)} = {toml_value(text)}" for column, text in self.hierarchies.items()]
        return "\n".join(
            ["# Keep it: with the seed in the recipe, random choices of the release can be undone.", *lines, ""]
        )

    def release(self, data: Path) -> tuple[Release, Dataset]:
        """The chosen release, made again from the data, and what it was made from."""
        if hash_of(data) != self.sha256:
            raise DataError(
                f"{shown(data.name)} is not the file of the project, {shown(self.data)}: its bytes differ. A release of"
                " other data would be another one. Name the same file."
            )
        recipe = recipe_from(self.recipe, name=FILE)
        if recipe.source.labels is not None:
            self._check_labels(data.parent / Path(recipe.source.labels).name)
        with scratch_folder() as place:
            return self._made(data, self._with_hierarchies(recipe, place))

    def _check_labels(self, labels: Path) -> None:
        if not labels.is_file():
            raise DataError(f"The labels of the transactions are not beside them: put {shown(labels.name)} there.")
        if hash_of(labels) != self.labels_sha256:
            raise DataError(f"{shown(labels.name)} holds not the labels of the project: its bytes differ.")

    def _with_hierarchies(self, recipe: Recipe, place: Path) -> Recipe:
        """The recipe with the hierarchies of this file in place of those that it names."""
        files = {}
        for number, (column, text) in enumerate(self.hierarchies.items()):
            files[column] = str(place / f"{number}.csv")
            Path(files[column]).write_bytes(text.encode())
        methods = tuple(
            MethodSection.model_validate(one.model_dump() | {"hierarchies": files})
            if "hierarchies" in (one.model_extra or {})
            else one
            for one in recipe.methods
        )
        return recipe.model_copy(update={"methods": methods})

    def _made(self, data: Path, recipe: Recipe) -> tuple[Release, Dataset]:
        dataset = load_dataset(str(data), recipe.model_dump_json(), self.recipe, FILE)
        tasks, skipped = tasks_of(recipe, dataset)
        by_name = {task.name: task for task in tasks}
        if self.chosen not in by_name:
            why = skipped.get(self.chosen) or did_you_mean(self.chosen, by_name)
            raise DataError(f"The recipe of the project makes no release {shown(self.chosen)}. {why}".strip())
        if recipe.run.seed is None:
            raise DataError("The recipe of the project has no seed, so its release cannot be made again.")
        return release_of(by_name[self.chosen], recipe, dataset, recipe.run.seed), dataset


def hash_of(path: Path) -> str:
    """The SHA-256 of a file's bytes."""
    found = sha256()
    with path.open("rb") as file:
        while piece := file.read(1 << 20):
            found.update(piece)
    return found.hexdigest()
