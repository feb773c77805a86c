# SPDX-License-Identifier: Apache-2.0
"""The desk: a process of its own that holds the table and answers questions about it, one after another.

So a page answers at once, whatever is being counted: it shows what is known, and asks again for the rest. A question
that was asked before is not asked again; of several that wait under one topic only the last is asked. If the process
dies, the next question starts another.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from multiprocessing import get_all_start_methods, get_context
from multiprocessing.connection import Connection
from typing import Any

from discreet.errors import DiscreetError
from discreet.foundation.system import ignore_interrupts, let_others_first

DIED = (
    "The process that counts has ended, perhaps because the table does not fit into memory. Try fewer columns or rows."
)
_KEPT = 512  # answers


@dataclass(eq=False)
class Answer:
    """What became of a question: `value` when it is known, `refused` if it cannot be."""

    value: Any = None
    refused: str | None = None
    known: threading.Event = field(default_factory=threading.Event)

    def within(self, seconds: float) -> bool:
        """Whether it is known by then."""
        return self.known.wait(seconds)


@dataclass(frozen=True)
class _Asked:
    key: str
    topic: str
    message: bytes


class Desk:
    """Answers to questions, each a name of QUESTIONS (desk_questions.py) and its arguments."""

    def __init__(self) -> None:
        self._lock = threading.Condition()
        self._answers: dict[str, Answer] = {}
        self._waiting: list[_Asked] = []
        self._line: Connection | None = None
        self._process: Any = None
        self._closed = False
        threading.Thread(target=self._serve, daemon=True, name="desk").start()

    def ask(self, question: str, *, topic: str | None = None, **arguments: Any) -> Answer:
        """The answer, perhaps later; under a topic, an earlier question that still waits is dropped."""
        message = json.dumps([question, arguments], sort_keys=True).encode()
        key = message.decode()
        with self._lock:
            if key in self._answers:
                return self._answers[key]
            if topic is not None:
                for old in [asked for asked in self._waiting if asked.topic == topic]:
                    self._waiting.remove(old)
                    del self._answers[old.key]
            while len(self._answers) >= _KEPT:
                self._answers.pop(next(iter(self._answers)))
            answer = self._answers[key] = Answer()
            self._waiting.append(_Asked(key, topic or key, message))
            self._lock.notify()
        return answer

    def forget(self) -> None:
        """Drop all answers: they were about other data."""
        with self._lock:
            self._answers.clear()
            self._waiting.clear()
        self._stop()

    def close(self) -> None:
        """End the process."""
        with self._lock:
            self._closed = True
            self._lock.notify()
        self._stop()

    def _serve(self) -> None:
        while True:
            with self._lock:
                while not self._waiting and not self._closed:
                    self._lock.wait()
                if self._closed:
                    return
                asked = self._waiting.pop(0)
                answer = self._answers.get(asked.key)
            if answer is None:
                continue
            found = self._exchanged(asked.message)
            answer.value, answer.refused = found.get("value"), found.get("refused")
            if found.get("again"):  # what failed by accident may be asked again
                with self._lock:
                    self._answers.pop(asked.key, None)
            answer.known.set()

    def _exchanged(self, message: bytes) -> dict[str, Any]:
        try:
            line = self._connected()
            line.send_bytes(message)
            return json.loads(line.recv_bytes())
        except (EOFError, OSError, ValueError):
            self._stop()
            return {"refused": DIED, "again": True}

    def _connected(self) -> Connection:
        if self._process is None or not self._process.is_alive():
            context = _processes()
            self._line, theirs = context.Pipe()
            self._process = context.Process(target=work, args=(theirs,), daemon=True, name="discreet-desk")
            self._process.start()
            let_others_first(self._process.pid)  # pages come first
            theirs.close()
        assert self._line is not None
        return self._line

    def _stop(self) -> None:
        process, self._process = self._process, None
        if process is not None and process.is_alive():
            process.kill()
        if self._line is not None:
            self._line.close()


def _processes() -> Any:
    """How processes are started: from one that has read the library, where systems can, or it is read anew for each."""
    if "forkserver" not in get_all_start_methods():
        return get_context("spawn")
    context = get_context("forkserver")
    context.set_forkserver_preload(["discreet.studio.desk_questions"])
    return context


def work(line: Connection) -> None:
    """Answer until the other side is gone. Errors of discreet are answers; of others only the kind is told."""
    import warnings

    ignore_interrupts()  # the server ends this process
    warnings.simplefilter("ignore")
    from discreet.studio.desk_questions import QUESTIONS, Held

    held = Held()
    while True:
        try:
            question, arguments = json.loads(line.recv_bytes())
        except (EOFError, OSError):
            return
        line.send_bytes(json.dumps(_answer(QUESTIONS, question, held, arguments)).encode())


def _answer(questions: Mapping[str, Any], question: str, held: Any, arguments: dict[str, Any]) -> dict[str, Any]:
    try:
        return {"value": questions[question](held, **arguments)}
    except DiscreetError as error:
        return {"refused": str(error)}
    except MemoryError:
        return {"refused": "The table does not fit into memory. Try fewer columns or rows.", "again": True}
    except Exception as error:  # its text may hold cells
        return {"refused": f"An error in discreet itself ({type(error).__name__}).", "again": True}
