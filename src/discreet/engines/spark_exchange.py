# SPDX-License-Identifier: Apache-2.0
"""Run Python beside the rows, and exchange what it returns between the workers of a Spark cluster.

Spark is asked for what it is good at: to start tasks near the data, to bring bytes from one stage to the next, and to
repeat what a lost worker did. It sees no cell: whatever leaves a process is sealed (AES-256-GCM), with a key that is
drawn for each job and travels with the code alone. So Spark's logs and events hold nothing that can be read, also when
a process is killed. Its temporary files neither, if Spark encrypts them (`spark.io.encryption.enabled`), as each Spark
that is started here does: it may write code to them, and with it the key. In a Spark that was started elsewhere without
that setting, whoever reads its temporary files may find the key beside what it seals.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from pyspark.serializers import CloudPickleSerializer

from discreet.errors import DataError, DiscreetError, plain, quietly

Piece = Any  # of the rows
Work = Callable[[Piece, Any], Any]  # of a piece and what all tasks share
Scatter = Callable[[Piece, Any], Iterable[tuple[int, bytes]]]  # numbered buckets, and bytes for them
Gather = Callable[[int, Iterator[bytes], Any], Any]  # of a bucket and the bytes for it

_BEGIN, _END = "discreet says: <<", ">>"
_CHUNK = 2**28  # bytes that are sealed at once
_PICKLE = CloudPickleSerializer()


@dataclass(frozen=True, repr=False)
class Seal:
    """Encrypts what passes through Spark.

    >>> seal = Seal.fresh()
    >>> seal.open(seal.close(b"cells")), b"cells" in seal.close(b"cells")
    (b'cells', False)
    """

    key: bytes

    @classmethod
    def fresh(cls) -> Seal:
        return cls(secrets.token_bytes(32))

    def close(self, content: bytes) -> bytes:
        nonce = secrets.token_bytes(12)
        return nonce + AESGCM(self.key).encrypt(nonce, content, None)

    def open(self, sealed: bytes) -> bytes:
        return AESGCM(self.key).decrypt(sealed[:12], sealed[12:], None)

    def close_object(self, content: Any) -> list[bytes]:
        plain = _PICKLE.dumps(content)
        return [self.close(plain[start : start + _CHUNK]) for start in range(0, len(plain), _CHUNK)]

    def open_object(self, sealed: Sequence[bytes]) -> Any:
        return _PICKLE.loads(b"".join(map(self.open, sealed)))


class Exchange:
    """Jobs on the workers of one Spark."""

    def __init__(self, context: Any):
        self._context = context

    def each(self, pieces: Sequence[Piece], work: Work, shared: Any = None) -> list[Any]:
        """What `work` returns for each piece, in their order."""
        with self._job(pieces, shared) as job:
            rows = self._context.parallelize(range(len(pieces)), len(pieces)).map(_Worker(job.terms, work))
            return [job.seal.open_object(sealed) for sealed in in_our_words(rows.collect)]

    def stream(self, pieces: Sequence[Piece], work: Work, shared: Any = None) -> Iterator[Any]:
        """As `each`, with the results of few pieces in memory at a time."""
        with self._job(pieces, shared) as job:
            rows = self._context.parallelize(range(len(pieces)), len(pieces)).map(_Worker(job.terms, work))
            results = in_our_words(lambda: rows.toLocalIterator(prefetchPartitions=True))
            while (sealed := in_our_words(lambda: next(results, None))) is not None:
                yield job.seal.open_object(sealed)

    def through(
        self, pieces: Sequence[Piece], scatter: Scatter, gather: Gather, *, n_buckets: int, shared: Any = None
    ) -> list[Any]:
        """What `gather` returns for each bucket that `scatter` filled from the pieces, in the order of buckets."""
        with self._job(pieces, shared) as job:
            numbers = self._context.parallelize(range(len(pieces)), len(pieces))
            scattered = numbers.flatMap(_Scatterer(job.terms, scatter)).partitionBy(n_buckets, _itself)
            gathered = scattered.mapPartitionsWithIndex(_Gatherer(job.terms, gather))
            return [job.seal.open_object(sealed) for sealed in in_our_words(gathered.collect)]

    def _job(self, pieces: Sequence[Piece], shared: Any) -> _Job:
        return _Job(self._context, pieces, shared)


class _Job:
    """The key of a job, and what its tasks share, sealed; forgotten when the block ends."""

    def __init__(self, context: Any, pieces: Sequence[Piece], shared: Any):
        self.seal = Seal.fresh()
        sealed = self.seal.close_object((tuple(pieces), shared))
        self._broadcast = in_our_words(lambda: context.broadcast(sealed))
        self.terms = _Terms(secrets.token_hex(8), self.seal, self._broadcast)

    def __enter__(self) -> _Job:
        return self

    def __exit__(self, *_: object) -> None:
        quietly(self._broadcast.unpersist)  # Spark may be stopped by now, if nobody read on


# -- on the workers ----------------------------------------------------------------------------------------------------

_opened: tuple[str, Any] = ("", None)  # what the tasks of the last job in this process share


@dataclass(frozen=True, repr=False)
class _Terms:
    """What a task needs to begin. This travels with the code."""

    job: str
    seal: Seal
    sealed: Any  # broadcast

    def opened(self) -> tuple[tuple[Piece, ...], Any]:
        """The pieces of the job and what its tasks share."""
        global _opened
        if _opened[0] != self.job:
            _opened = (self.job, self.seal.open_object(self.sealed.value))
        return _opened[1]


@dataclass(frozen=True, repr=False)
class _Worker:
    terms: _Terms
    work: Work

    def __call__(self, number: int) -> list[bytes]:
        def result() -> list[bytes]:
            pieces, shared = self.terms.opened()
            return self.terms.seal.close_object(self.work(pieces[number], shared))

        return guarded(result)


@dataclass(frozen=True, repr=False)
class _Scatterer:
    terms: _Terms
    scatter: Scatter

    def __call__(self, number: int) -> list[tuple[int, bytes]]:
        def buckets() -> list[tuple[int, bytes]]:
            pieces, shared = self.terms.opened()
            return [(bucket, self.terms.seal.close(part)) for bucket, part in self.scatter(pieces[number], shared)]

        return guarded(buckets)


@dataclass(frozen=True, repr=False)
class _Gatherer:
    terms: _Terms
    gather: Gather

    def __call__(self, bucket: int, parts: Iterator[tuple[int, bytes]]) -> list[list[bytes]]:
        def result() -> list[list[bytes]]:
            opened = (self.terms.seal.open(sealed) for _, sealed in parts)
            gathered = self.gather(bucket, opened, self.terms.opened()[1])
            return [self.terms.seal.close_object(gathered)]

        return guarded(result)


def _itself(bucket: int) -> int:
    return bucket


def guarded(build: Callable[[], Any]) -> Any:
    """What `build` returns. Messages of other libraries quote cells, and Spark logs them: ours take their place."""
    try:
        return build()
    except DiscreetError as error:
        said = str(error)
    except OSError as error:
        said = f"A worker of Spark could not read or write a file ({error.strerror or type(error).__name__})."
    except Exception as error:
        said = f"A worker of Spark failed ({type(error).__name__})."
    raise RuntimeError(f"{_BEGIN}{said}{_END}")


# -- on the driver -----------------------------------------------------------------------------------------------------


def in_our_words(action: Callable[[], Any]) -> Any:
    """What Spark returns, or a DataError in our words."""
    try:
        return action()
    except Exception as error:
        said = str(error)
    found = said.rpartition(_BEGIN)[2].partition(_END)
    if _BEGIN in said and found[1]:
        raise DataError(plain(found[0]))
    if "ModuleNotFoundError" in said:
        raise DataError("The workers of Spark cannot import discreet: install it in the Python that they start.")
    raise DataError("Spark gave up the work: its workers were lost, or stopped too often. Its log says more.")
