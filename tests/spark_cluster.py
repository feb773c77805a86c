# SPDX-License-Identifier: Apache-2.0
"""A real Spark cluster for tests, a standalone master and two workers of one core on loopback; and what disturbs it."""

import contextlib
import os
import resource
import signal
import socket
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pyspark

from discreet.engines import Spark

ROOT = Path(__file__).parent.parent
_JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"  # starts sooner
OPTIONS = {
    "spark.executor.memory": "512m",
    "spark.driver.memory": "512m",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.default.parallelism": "2",
    "spark.locality.wait": "0s",  # no task waits for the worker that has its rows: all are on this machine
    "spark.eventLog.compress": "false",  # what is compressed cannot be searched
    "spark.shuffle.compress": "false",
    "spark.broadcast.compress": "false",
    "spark.io.encryption.enabled": "false",  # nor what Spark encrypts: what discreet seals is sealed without it
    "spark.driver.extraJavaOptions": _JAVA,
    "spark.executor.extraJavaOptions": _JAVA,
}


class Cluster:
    """Processes of one cluster, with a folder for all that they write. Used in a `with` block."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.local, self.work = folder / "local", folder / "work"
        self.events = folder / "events"
        self._processes: dict[str, subprocess.Popen] = {}
        self._driver: Spark | None = None

    def connect(self) -> None:
        """Start Spark in this process, unless it runs."""
        if self._driver is None:
            events = {"spark.eventLog.enabled": "true", "spark.eventLog.dir": f"file://{self.events}"}
            os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
            self._driver = Spark(self.folder / "one.parquet", master=self.master, options={**OPTIONS, **events})

    def disconnect(self) -> None:
        if self._driver is not None:
            self._driver.close()
            self._driver = None

    def __enter__(self) -> "Cluster":
        self.events.mkdir(parents=True)
        pq.write_table(pa.table({"x": [1]}), self.folder / "one.parquet")
        ports = [_free_port() for _ in range(2)]
        self.master = f"spark://127.0.0.1:{ports[0]}"
        self._start(
            "master", "master.Master", "--host", "127.0.0.1", "--port", f"{ports[0]}", "--webui-port", f"{ports[1]}"
        )
        _wait(lambda: "I have been elected leader" in self.log("master"), self._processes["master"])
        self.start_workers("worker-0", "worker-1")
        return self

    def __exit__(self, *_: object) -> None:
        self.disconnect()
        for process in self._processes.values():
            for pid in _with_descendants(process.pid):
                _kill(pid)
            process.wait()

    def start_workers(self, *names: str) -> None:
        arguments = ("--host", "127.0.0.1", "--cores", "1", "--memory", "600m", "--work-dir", str(self.work))
        for name in names:
            self._start(name, "worker.Worker", *arguments, "--webui-port", f"{_free_port()}", self.master)
        for name in names:
            _wait(lambda name=name: "Successfully registered with master" in self.log(name), self._processes[name])

    def kill_worker(self, name: str) -> int:
        """Kill a worker, its executors and their Python at once; how many processes there were."""
        killed = _with_descendants(self._processes[name].pid)
        for pid in killed:
            _kill(pid)
        self._processes.pop(name).wait()
        return len(killed)

    def kill_python(self, name: str) -> int:
        """Kill what runs the tasks of a worker's executors, which starts anew with the next task."""
        daemons = [pid for pid in _with_descendants(self._processes[name].pid) if "pyspark.daemon" in _command(pid)]
        for pid in daemons:
            _kill(pid)
        return len(daemons)

    def kill_executor(self, name: str) -> int:
        executors = [
            pid for pid in _with_descendants(self._processes[name].pid) if "CoarseGrainedExecutor" in _command(pid)
        ]
        for pid in executors:
            _kill(pid)
        return len(executors)

    def is_busy(self) -> bool:
        """Whether an executor runs."""
        running = [pid for process in self._processes.values() for pid in _with_descendants(process.pid)]
        return any("CoarseGrainedExecutor" in _command(pid) or "pyspark.daemon" in _command(pid) for pid in running)

    def log(self, name: str) -> str:
        return (self.folder / f"{name}.log").read_text(errors="replace")

    def written(self) -> list[Path]:
        """All files of the cluster: logs of all processes, and temporary files of workers and executors."""
        return [path for path in self.folder.rglob("*") if path.is_file()]

    def _start(self, name: str, program: str, *arguments: str) -> None:
        home = Path(pyspark.__file__).parent
        environment = {
            **os.environ,
            "SPARK_HOME": str(home),
            "SPARK_LOCAL_IP": "127.0.0.1",
            "SPARK_LOCAL_DIRS": str(self.local),
            "SPARK_DAEMON_MEMORY": "128m",
            "SPARK_DAEMON_JAVA_OPTS": _JAVA,
            "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT / "tests")]),
        }
        command = [str(home / "bin" / "spark-class"), f"org.apache.spark.deploy.{program}", *arguments]
        with (self.folder / f"{name}.log").open("wb") as log:
            self._processes[name] = subprocess.Popen(command, env=environment, stdout=log, stderr=log)


def run_driver(cluster: Cluster, script: str, *arguments: str, **options: object) -> subprocess.Popen:
    """A program of its own that uses the cluster."""
    path = os.pathsep.join([str(ROOT / "src"), str(ROOT / "tests")])
    environment = {**os.environ, "PYTHONPATH": path, "SPARK_LOCAL_IP": "127.0.0.1", "MASTER": cluster.master}
    environment |= options.pop("env", {})  # type: ignore[arg-type]
    return subprocess.Popen([sys.executable, "-c", script, *arguments], env=environment, **options)  # type: ignore


# -- what disturbs -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Slowly:
    """An `Apply` that takes its time to write, and leaves a mark when it begins."""

    apply: object
    marks: Path
    seconds: float

    def __getattr__(self, name: str) -> object:
        return getattr(object.__getattribute__(self, "apply"), name)

    def __reduce__(self) -> tuple:
        return Slowly, (self.apply, self.marks, self.seconds)

    def published(self, compact: object) -> object:
        (self.marks / f"{os.getpid()}-{time.monotonic_ns()}").touch()
        time.sleep(self.seconds)
        return self.apply.published(compact)


@dataclass(frozen=True)
class OnAFullDisk:
    """An `Apply` in whose process no file grows beyond some bytes, as on a disk that is full."""

    apply: object
    most: int

    def __getattr__(self, name: str) -> object:
        return getattr(object.__getattribute__(self, "apply"), name)

    def __reduce__(self) -> tuple:
        return OnAFullDisk, (self.apply, self.most)

    def published(self, compact: object) -> object:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (self.most, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
        return self.apply.published(compact)


# -- processes ---------------------------------------------------------------------------------------------------------


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def _wait(happened, process: subprocess.Popen, seconds: float = 120) -> None:
    end = time.monotonic() + seconds
    while not happened():
        assert process.poll() is None, "a process of the cluster ended"
        assert time.monotonic() < end, "a process of the cluster did not start in time"
        time.sleep(0.1)


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""


def _with_descendants(pid: int) -> list[int]:
    """A process and all that it started, itself first."""
    parents: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            after_name = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        parents.setdefault(int(after_name[1]), []).append(int(stat.parent.name))
    found = [pid]
    for one in found:
        found += parents.get(one, [])
    return found


def _kill(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
