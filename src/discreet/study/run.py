# SPDX-License-Identifier: Apache-2.0
"""Runs a study: open tasks are shared among processes, and each result is written to a file as soon as it is known.

Every process reads the data by itself, so private rows pass through no file and no pipe. When the one that was started
by a person dies, the others end too. A task whose process dies is tried once more, alone; so is the task that was
running when the study itself was killed.
"""

from __future__ import annotations

import os
import threading
import time
import warnings
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pyarrow as pa

from discreet.data.dataset import Dataset
from discreet.errors import DataError, ParameterError
from discreet.evaluate.fingerprint import digest
from discreet.evaluate.folds import Folds
from discreet.foundation import system
from discreet.foundation.displayed import Displayed, later
from discreet.foundation.frame_output import Framed
from discreet.foundation.progress import progress
from discreet.study import located
from discreet.study.deciding_measure import decided
from discreet.study.folder import StudyFolder
from discreet.study.measure import DIED, asked_of, failed, measured
from discreet.study.recipe import Recipe
from discreet.study.tasks import Task, tasks_of

Load = Callable[[], Dataset]
NOT_BEGUN = "It was not started: the study's time was over. The same command starts it."
# Bytes in memory: of a process, and for each cell while a classifier learns; what rows and columns are called.
_PROCESS = 400e6
_MEMORY = {"table": (350, "rows", "columns"), "baskets": (20, "baskets", "items")}


@dataclass(frozen=True, eq=False, repr=False)
class Study(Displayed, Framed):
    """A finished study: a result for each task, and why some tasks were skipped.

    Its recipe names the measure that the choice goes by; `why_measure` says why it is not accuracy, if nobody asked.
    """

    folder: Path
    recipe: Recipe
    dataset: Dataset
    results: dict[str, dict[str, Any]]
    skipped: dict[str, str] = field(default_factory=dict)
    why_measure: str = ""

    @property
    def released(self) -> dict[str, dict[str, Any]]:
        """The results that have scores."""
        return {name: result for name, result in self.results.items() if result["refused"] is None}

    def __repr__(self) -> str:
        counts = f"{len(self.results)} releases tried, {len(self.released)} measured, {len(self.skipped)} skipped"
        return f"Study({self.folder.name!r}, {counts})"

    def summary(self, *, name: str = "table") -> dict[str, Any]:
        """Everything that the report says, as plain data; `name` is what it calls the table."""
        summary: dict[str, Any] = later("report.pages:summary_of_study")(self, name=name)
        return summary

    def report(self, path: str | os.PathLike[str] | None = None, *, name: str = "table") -> Any:
        """The owner's report, as `discreet compare` writes it; `path` saves it."""
        page = later("report.pages:page_of_study")(self, name=name)
        if path is not None:
            page.save(path)
        return page

    def plot(self, what: str | int = 0) -> Any:
        """A chart of the report, by its title or place: the first one shows utility and privacy of all releases."""
        return later("report.pages:chart_of_study")(self, what)

    def to_arrow(self) -> pa.Table:
        """One row for each release that was measured, the best first, after the lines that they are compared with."""
        summary = self.summary()
        lines = [{"name": line["name"], "line": True, **_figures(line)} for line in summary["lines"]]
        lines += [{"name": line["name"], "line": False, **_figures(line)} for line in summary["candidates"]]
        kinds = {"name": pa.string(), "line": pa.bool_(), "method": pa.string(), "promise": pa.string()}
        names = ["name", "line", "method", "promise", *_FIGURES]
        return pa.Table.from_pylist(lines, schema=pa.schema([(one, kinds.get(one, pa.float64())) for one in names]))


_FIGURES = ("utility", "low", "high", "privacy", "detail", "size", "score")


def _figures(line: dict[str, Any]) -> dict[str, Any]:
    texts = {name: line.get(name) for name in ("method", "promise")}
    return texts | {name: line.get(name) for name in _FIGURES}


def run_study(load: Load, recipe: Recipe, folder: str | os.PathLike[str], *, text: str = "") -> Study:
    """Run what is left of a study. `load` reads the data, in other processes too; `text` is the recipe as written."""
    dataset = load()
    tasks, skipped = tasks_of(recipe, dataset)
    if not tasks:
        raise DataError(f"No method of the recipe can release this data. {' '.join(dict.fromkeys(skipped.values()))}")
    _enough_memory(dataset, recipe)
    try:
        Folds.of(recipe.evaluation.folds).split(dataset.labels, dataset.persons)
    except ParameterError as error:
        raise DataError(located(text, [(("evaluation", "folds"), str(error))])) from None
    place = StudyFolder(folder)
    data = _digest(dataset)
    with place.opened({"data": data, "recipe": digest(_judged(recipe))}, text) as secret:
        todo = [task for task in tasks if "failed" in (_recorded(task, place) or {"failed": ""})]
        run = _Run(load, recipe, place, secret if recipe.run.seed is None else recipe.run.seed, data)
        doing = run.in_process(todo, dataset) if recipe.run.jobs == 1 else run.in_pool(todo)
        with progress(f"Comparing {len(tasks)} releases", len(todo)) as bar, closing(doing):
            for done in doing:
                bar.advance(0 if done is None else 1)
        results = {task.name: result for task in tasks if (result := _recorded(task, place)) is not None}
    late = {task.name: NOT_BEGUN for task in tasks if task.name not in results}
    recipe, why = decided(recipe, results, dataset)
    return Study(Path(folder), recipe, dataset, results, skipped | late, why)


def _digest(dataset: Dataset) -> str:
    return digest(dataset.data, dataset.roles)


def _judged(recipe: Recipe) -> str:
    """The part of a recipe that every result depends on: not which releases it asks for, on how many cores it may run,
    nor how long."""
    parts = {"promises": {"k", "epsilon", "delta"}, "run": {"jobs", "minutes", "memory_gb"}}
    return recipe.model_dump_json(exclude={**parts, "source": True, "methods": True, "weights": True, "choice": True})


def _recorded(task: Task, place: StudyFolder) -> dict[str, Any] | None:
    """The stored result of a task; None if there is none, or if it belongs to another task of the same name."""
    result = place.result(task.name)
    return result if result is not None and asked_of(task).items() <= result.items() else None


def _enough_memory(dataset: Dataset, recipe: Recipe) -> None:
    """A guess, from the largest resident sizes that were measured: see tests/study/test_run_limits.py."""
    limit = recipe.run.memory_gb
    if limit is None:
        return
    per_cell, of_rows, of_columns = _MEMORY[dataset.shape]
    rows, columns = len(dataset), len(dataset.data.names)
    each = _PROCESS + per_cell * rows * columns
    needed = (recipe.run.jobs * each + (_PROCESS if recipe.run.jobs > 1 else 0)) / 1e9
    if needed > limit:
        raise DataError(
            f"{rows:,} {of_rows} of {columns:,} {of_columns} need about {needed:.1f} GB with {recipe.run.jobs}"
            f" {'job' if recipe.run.jobs == 1 else 'jobs'}; the recipe allows {limit:g}. Allow more, use fewer jobs, or"
            " compare on a sample of the rows."
        )


@dataclass
class _Run:
    load: Load
    recipe: Recipe
    place: StudyFolder
    secret: int
    data: str  # its digest
    started: float = field(default_factory=time.monotonic)

    def _late(self) -> bool:
        limit = self.recipe.run.minutes
        return limit is not None and time.monotonic() - self.started > 60 * limit

    def in_process(self, tasks: list[Task], dataset: Dataset) -> Generator[Task | None]:
        """Yield finished tasks. Tasks that killed a process before come last, each in a process of its own."""
        deadly = {task.name for task in tasks if self._deadly(task)}
        for task in sorted(tasks, key=lambda one: one.name in deadly):
            if self._late():
                return
            with self.place.marked(task.name):
                if task.name in deadly:
                    self._alone(task)
                else:
                    self.place.keep(task.name, measured(task, self.recipe, dataset, self.place, self.secret))
            yield task

    def _deadly(self, task: Task) -> bool:
        recorded = self.place.result(task.name) or {}
        return self.place.was_killed(task.name) or recorded.get("failed") == DIED

    def in_pool(self, tasks: list[Task]) -> Generator[Task | None]:
        """Yield finished tasks; None is a heartbeat."""
        waiting, alone = list(tasks), []
        while waiting and not self._late():
            running: dict[Any, Task] = {}
            try:
                with self._pool(min(self.recipe.run.jobs, len(waiting))) as submit:
                    while (waiting and not self._late()) or running:
                        while waiting and len(running) < self.recipe.run.jobs and not self._late():
                            running[submit(waiting[0])] = waiting[0]
                            waiting.pop(0)
                        for future in wait(running, timeout=1, return_when=FIRST_COMPLETED).done:
                            future.result()
                            yield running.pop(future)
                        yield None
            except BrokenProcessPool:
                alone += list(running.values())
        for task in alone:
            if self._late():
                return
            self._alone(task)
            yield task

    def _alone(self, task: Task) -> None:
        """In a process of its own, which may die without taking the study with it."""
        try:
            with self._pool(1) as submit:
                submit(task).result()
        except BrokenProcessPool:
            self.place.keep(task.name, failed(task, DIED))

    @contextmanager
    def _pool(self, workers: int) -> Iterator[Callable[[Task], Future[Any]]]:
        """A pool of processes; yields the function that submits a task. They end with the block, even within a task."""
        context = get_context("spawn")
        theirs, ours = context.Pipe(duplex=False)
        arguments = (self.load, self.recipe.model_dump_json(), str(self.place.path), self.secret, self.data, theirs)
        pool = ProcessPoolExecutor(workers, mp_context=context, initializer=_prepare, initargs=arguments)

        def submit(task: Task) -> Future[Any]:
            with system.interrupts_held():  # in its processes, too: Ctrl-C ends the study
                return pool.submit(_work, task)

        try:
            yield submit
        finally:
            ours.close()
            pool.shutdown(cancel_futures=True)
            theirs.close()


# -- in the other processes -------------------------------------------------------------------------------------------

_here: dict[str, Any] = {}


def _prepare(load: Load, recipe: str, folder: str, secret: int, data: str, study: Connection) -> None:
    system.ignore_interrupts()
    threading.Thread(target=_die_with, args=(study,), daemon=True).start()
    warnings.simplefilter("ignore")  # those of other libraries may quote cells, and would be printed
    _here.update(load=load, recipe=Recipe.model_validate_json(recipe), folder=StudyFolder(folder), secret=secret)
    _here["data"] = data


def _die_with(study: Connection) -> None:
    """The study closes its end of the pipe when it stops; so does the system when it is killed."""
    study.poll(None)
    os._exit(1)


def _work(task: Task) -> None:
    if "dataset" not in _here:
        _here["dataset"] = _here["load"]()
        if _digest(_here["dataset"]) != _here["data"]:
            raise DataError("The data changed while the study was running. Start it again in another folder.")
    result = measured(task, _here["recipe"], _here["dataset"], _here["folder"], _here["secret"])
    _here["folder"].keep(task.name, result)
