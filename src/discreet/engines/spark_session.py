# SPDX-License-Identifier: Apache-2.0
"""Find or start Spark. It needs the package pyspark and Java; what is missing is said before any work."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import warnings
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from discreet.errors import DataError, plain, quietly
from discreet.foundation.atomic_files import scratch_folder

_SETTINGS = {
    "spark.app.name": "discreet",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.io.encryption.enabled": "true",  # of temporary files: keys travel with code, which may go through them
    "spark.driver.maxResultSize": "0",  # the distinct rows come to the driver, however many
}


class Session:
    """A running Spark. `close` stops it if it was started here, and removes its temporary files."""

    def __init__(self, spark: Any, until_closed: ExitStack | None = None):
        self.spark, self.context = spark, spark.sparkContext
        self._until_closed = until_closed

    @classmethod
    def start(cls, master: str | None, options: Mapping[str, str]) -> Session:
        """The Spark that runs in this process, or a new one."""
        check_installed()
        from pyspark import SparkContext
        from pyspark.sql import SparkSession

        running = SparkContext._active_spark_context
        if running is not None:
            if (master is not None and running.master != master) or options:
                raise DataError(
                    f"Spark runs in this process already, with the master {plain(running.master)}: stop it first, or"
                    f" leave out master and options."
                )
            return cls(SparkSession(running))
        until_closed = ExitStack()
        local = until_closed.enter_context(scratch_folder())
        settings = {**_SETTINGS, "spark.local.dir": str(local), **options}
        builder = SparkSession.builder.master(master or "local[*]")
        for name, value in settings.items():
            builder = builder.config(name, str(value))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # pyspark's own
            spark, failure = quietly(builder.getOrCreate)
        if spark is None:
            until_closed.close()
            raise DataError(
                f"Spark did not start ({failure}). Is the master {plain(master or 'local[*]')} running, and does it run"
                f" the same version of Spark as this process?"
            )
        spark.sparkContext.setLogLevel("ERROR")
        python = options.get("spark.pyspark.python") or os.environ.get("PYSPARK_PYTHON")
        spark.sparkContext.pythonExec = python or sys.executable  # that of the workers
        until_closed.callback(spark.stop)
        return cls(spark, until_closed)

    @classmethod
    def of_frame(cls, frame: Any) -> Session:
        """The Spark of a DataFrame."""
        if not hasattr(frame.sparkSession, "sparkContext") or "connect" in type(frame).__module__:
            raise DataError(
                "This DataFrame belongs to a session of Spark Connect, which runs no Python of ours beside the rows."
                " Use a session with a master, or write the rows to Parquet files and name them."
            )
        return cls(frame.sparkSession)

    @property
    def parallelism(self) -> int:
        return max(int(self.context.defaultParallelism), 1)

    def close(self) -> None:
        if self._until_closed is not None:
            self._until_closed.close()
            self._until_closed = None


def is_frame(data: Any) -> bool:
    """Whether the data are a DataFrame of Spark, found without loading Spark."""
    return type(data).__module__.startswith("pyspark.") and hasattr(data, "sparkSession")


def check_installed() -> None:
    """DataError with what to install, unless pyspark and Java are here."""
    if importlib.util.find_spec("pyspark") is None:
        raise DataError("The Spark engine needs the package pyspark: pip install 'discreet[spark]'.")
    home = os.environ.get("JAVA_HOME")
    java = Path(home) / "bin" / "java" if home else shutil.which("java")
    said, _ = quietly(lambda: subprocess.run([str(java), "-version"], capture_output=True)) if java else (None, "")
    if said is None or said.returncode:
        where = f"JAVA_HOME names {plain(home)}, where there is none" if home else "there is no java on the PATH"
        raise DataError(
            f"Spark needs Java 17 or newer, and {where}. Install it (in Debian and Ubuntu: apt install"
            f" openjdk-17-jre-headless)."
        )
