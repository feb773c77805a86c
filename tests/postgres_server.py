# SPDX-License-Identifier: Apache-2.0
"""A real PostgreSQL server for tests: a new cluster in a temporary folder, reached by a Unix socket alone, with
passwords required. It belongs to another user if the tests run as root, since PostgreSQL refuses root.
"""

import contextlib
import os
import pwd
import secrets
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import adbc_driver_postgresql.dbapi as adbc
import pyarrow as pa

USER = "owner"
PASSWORD = "sécret/p@ss:w%rd?" + secrets.token_hex(8)  # what a URL has to escape, and a word to search for
_SETTINGS = {"listen_addresses": "", "fsync": "off", "full_page_writes": "off", "shared_buffers": "32MB"}


class Server:
    """A running server; `url(table)` is how a user names one of its tables."""

    def __init__(self, folder: Path, programs: Path, user: str | None):
        self.folder, self._programs, self._user = folder, programs, user
        self._process: subprocess.Popen | None = None

    def start(self) -> None:
        settings = {**_SETTINGS, "unix_socket_directories": str(self.folder)}
        flags = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        with (self.folder / "log").open("ab") as log:
            self._process = self._popen("postgres", "-D", str(self.folder / "data"), *flags, stdout=log, stderr=log)
        for _ in range(600):
            try:
                adbc.connect(self.url(database="postgres")).close()
                return
            except adbc.Error:
                assert self._process.poll() is None, self.log()
                time.sleep(0.05)
        raise AssertionError("the server does not start")

    def stop(self) -> None:
        if self._process is not None:
            self._process.send_signal(signal.SIGINT)
            self._process.wait()
            self._process = None

    def kill(self) -> None:
        """Kill the server and all of its processes with -9, as a power failure would."""
        assert self._process is not None
        for process in [self._process.pid, *_children(self._process.pid)]:
            os.kill(process, signal.SIGKILL)
        self._process.wait()
        self._process = None

    def url(self, table: str = "", *, database: str = "people", password: str = PASSWORD) -> str:
        place = "".join(f"/{quote(part, safe='')}" for part in (database, table) if part)
        return f"postgresql://{USER}:{quote(password, safe='')}@{place or '/'}?host={self.folder}"

    def run(self, *statements: str, database: str = "people") -> list[tuple]:
        """Run statements one by one, each committed; the rows of the last."""
        with adbc.connect(self.url(database=database), autocommit=True) as connection, connection.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)
            return cursor.fetchall() if cursor.description else []

    def store(self, table: pa.Table, name: str) -> str:
        """Replace a table of the database; its URL."""
        with adbc.connect(self.url()) as connection, connection.cursor() as cursor:
            cursor.adbc_ingest(name, table, mode="replace")
            connection.commit()
        return self.url(name)

    def terminate_others(self) -> None:
        """Let the server end all connections to the database."""
        who = "pid <> pg_backend_pid() AND datname = 'people'"
        self.run(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {who}")

    def log(self) -> str:
        return (self.folder / "log").read_text(errors="replace")

    def initialise(self) -> None:
        given = self.folder / "given"
        given.write_text(PASSWORD, encoding="utf-8")
        if self._user:
            shutil.chown(given, self._user)
        flags = ["-U", USER, "-A", "scram-sha-256", f"--pwfile={given}", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync"]
        made = self._popen("initdb", "-D", str(self.folder / "data"), *flags, stderr=subprocess.PIPE)
        _, said = made.communicate()
        assert made.returncode == 0, said.decode()
        given.unlink()

    def _popen(self, program: str, *arguments: str, **options) -> subprocess.Popen:
        who = {"user": self._user, "extra_groups": []} if self._user else {}
        options = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, **who, **options}
        environment = {"PATH": os.environ.get("PATH", ""), "LC_ALL": "C.UTF-8"}
        command = [str(self._programs / program), *arguments]
        return subprocess.Popen(command, cwd=self.folder, env=environment, start_new_session=True, **options)


@contextmanager
def running_server(programs: Path) -> Iterator[Server]:
    """A server with an empty database `people`, stopped and removed afterwards."""
    user = _unprivileged() if os.getuid() == 0 else None
    with tempfile.TemporaryDirectory(prefix="discreet-pg-", dir="/tmp") as name:  # a socket's path must be short
        folder = Path(name)
        if user:
            shutil.chown(folder, user)
        server = Server(folder, programs, user)
        try:
            server.initialise()
            server.start()
            server.run("CREATE DATABASE people", database="postgres")
            yield server
        finally:
            server.stop()


def _unprivileged() -> str:
    known = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in known else "nobody"


def _children(parent: int) -> list[int]:
    """The processes that the server started; each leads a group of its own."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            if int(stat.read_text().rpartition(")")[2].split()[1]) == parent:
                found.append(int(stat.parent.name))
    return found
