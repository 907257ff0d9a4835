"""Processes that analyse text, as a script without any guard starts them."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

SCRIPT = """
from kgmem.ingest.workers import Workers

print("the script begins")
workers = Workers(None, "en_core_web_sm", "", 1, 1)
workers.start_processes()
(analysis,) = workers.analyse(["Marta Quillfeather lives in Oslo."]).result()
print(*[(name.start, name.end) for name in analysis.names])
workers.close()
"""


@pytest.mark.parametrize("given", ["file", "stdin"])
def test_a_script_without_a_main_guard_runs_once(tmp_path: Path, given: str) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    run = subprocess.run(
        [sys.executable, str(script) if given == "file" else "-"],
        input=SCRIPT if given == "stdin" else None,
        capture_output=True,
        text=True,
        timeout=120,
        cwd=tmp_path,
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.splitlines()[0] == "the script begins"
    assert run.stdout.count("begins") == 1
    assert "(0, 18)" in run.stdout
    assert "Traceback" not in run.stderr


_PARENT = """
import os
from kgmem.ingest.workers import Workers
workers = Workers(None, "en_core_web_sm", "", 1, 1)
workers.start_processes()
print(workers.analyse(["x"]).result() is not None and next(iter(workers._pool._processes)), flush=True)
input()
"""


def test_a_process_ends_with_a_parent_that_was_killed() -> None:
    parent = subprocess.Popen(
        [sys.executable, "-c", _PARENT],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert parent.stdout is not None
    worker = int(parent.stdout.readline())
    parent.kill()
    parent.communicate()
    deadline = time.monotonic() + 60
    while Path(f"/proc/{worker}").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not Path(f"/proc/{worker}").exists()
