"""Servers in a Java process of their own, run from `Server.java`."""

from __future__ import annotations

import json
import queue
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Mapping
from pathlib import Path

from jars import jars
from jdk import find_jdk
from running import Servers

SOURCE = Path(__file__).with_name("Server.java")
HEAP = "1g"
STOP_SECONDS = 60
LAST_LINES = 30


class JvmServers(Servers):
    """They end with this process, however it ends, since the Java process waits for the end of its input."""

    def __init__(
        self,
        count: int,
        *,
        password: str | None,
        config: Mapping[str, str],
        folder: Path | None,
        port: int,
        http_port: int,
        seconds: float,
    ) -> None:
        """Raises `NoNeo4j`, and `RuntimeError` with what Java said if they don't start."""
        jdk = find_jdk()
        class_path = jars(jdk) / "*"
        self._temporary = folder is None
        self._folder = folder or Path(tempfile.mkdtemp(prefix="kgmem-neo4j-"))
        command = [str(jdk / "bin" / "java"), f"-Xmx{HEAP}", "-XX:+UseSerialGC", "--enable-native-access=ALL-UNNAMED"]
        command += ["-cp", str(class_path), str(SOURCE), "--folder", str(self._folder), "--count", str(count)]
        command += ["--bolt-port", str(port), "--http-port", str(http_port)]
        command += ["--password", password] if password is not None else []
        command += ["--temporary"] if self._temporary else []
        for name, value in config.items():
            command += ["--config", f"{name}={value}"]
        self._said = tempfile.TemporaryFile()  # noqa: SIM115 - closed in _ended
        # In a session of its own Ctrl+C does not reach it, so that it is stopped after the tests and not before.
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._said, start_new_session=True
        )
        self._lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self._open = True
        try:
            ready = self._wait(count, time.monotonic() + seconds)
        except BaseException:
            self.kill()
            raise
        super().__init__(tuple(one["bolt"] for one in ready), tuple(one["http"] for one in ready))

    @property
    def pid(self) -> int:
        return self._process.pid

    def close(self) -> None:
        """Raises `RuntimeError` if they had already ended by themselves."""
        if not self._open:
            return
        crashed = self._process.poll()
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            self._process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
        said = self._last_lines()
        self._ended()
        if crashed is not None:
            raise RuntimeError(f"Neo4j ended by itself, with exit code {crashed}; Java said last:\n{said}")

    def kill(self) -> None:
        if self._open:
            self._process.kill()
            self._ended()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line)
        self._lines.put(b"")

    def _wait(self, count: int, until: float) -> list[dict[str, str]]:
        ready: list[dict[str, str]] = []
        while len(ready) < count:
            try:
                line = self._lines.get(timeout=max(until - time.monotonic(), 0))
            except queue.Empty:
                raise RuntimeError(f"Neo4j took too long to start; Java said last:\n{self._last_lines()}") from None
            if not line:
                code = self._process.wait()
                raise RuntimeError(f"Neo4j did not start (exit code {code}); Java said last:\n{self._last_lines()}")
            ready.append(json.loads(line))
        return ready

    def _last_lines(self) -> str:
        self._said.seek(0)
        lines = self._said.read().decode("utf-8", "replace").splitlines()
        # What was called from where would leave no room for what went wrong.
        return "\n".join([line for line in lines if line.strip() and not line.startswith("\t")][-LAST_LINES:])

    def _ended(self) -> None:
        self._open = False
        self._process.wait()
        self._reader.join()
        for stream in (self._process.stdin, self._process.stdout, self._said):
            if stream is not None:
                stream.close()
        if self._temporary:
            shutil.rmtree(self._folder, ignore_errors=True)


def prepare() -> None:
    """Do beforehand what takes long: fetch the jars. Raises `NoNeo4j`."""
    jars(find_jdk())
