"""The wheel, in an environment that holds nothing of the checkout: it ingests, searches and serves.

The wheel is installed without its dependencies and without an index. They are lent by a `.pth` file that points at
the site-packages of the environment that runs the tests, since installing them again would take some 6 GB. What this
can't tell, whether all of them are declared, `tests/test_project.py` tests. A `.pth` file inside a folder that
another one names is not read, so the editable install of the checkout is not found through it.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import sysconfig
import venv
import zipfile
from importlib.util import find_spec
from pathlib import Path

import httpx
import pytest

ROOT = Path(__file__).parents[1]
QUESTION = "Which river flows through the town where Mirela Vantongeren founded her observatory?"
FILES = {
    "mirela.md": "# Mirela Vantongeren\n\nMirela Vantongeren founded the Brightwell Observatory in Tartu in 1931.",
    "tartu.txt": "Tartu lies on the river Emajõgi. Gustavus Adolphus founded its university in 1632.",
    "bergen.html": "<title>Bergen</title><h1>Bergen</h1><p>Bergen lies between seven mountains in Norway.</p>",
}

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not (find_spec("build") and find_spec("hatchling")), reason="build and hatchling are needed"),
]


def run(*command: str | Path, cwd: Path, env: dict[str, str] | None = None) -> str:
    done = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, timeout=250)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", out, ROOT, cwd=out)
    (built,) = out.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the environment's commands."""
    home = tmp_path_factory.mktemp("environment")
    venv.create(home, with_pip=False, symlinks=os.name != "nt")
    commands = home / ("Scripts" if os.name == "nt" else "bin")
    python = commands / Path(sys.executable).name
    pip = [sys.executable, "-m", "pip", "--python", python, "--disable-pip-version-check"]
    run(*pip, "install", "--quiet", "--no-deps", "--no-index", wheel, cwd=home)
    (site,) = run(python, "-I", "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=home).splitlines()
    lent = dict.fromkeys(sysconfig.get_path(name) for name in ("purelib", "platlib"))
    (Path(site) / "lent.pth").write_text("\n".join(lent), encoding="utf-8")
    return commands


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    """What a new user's shell has: an empty home, no settings, and here no network for models either."""
    home = tmp_path / "home"
    home.mkdir()
    kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT", "LANG") if name in os.environ}
    return {**kept, "HOME": str(home), "HF_HUB_OFFLINE": "1", "KGMEM_PROCESSES": "0", "KGMEM_ENCODER_THREADS": "1"}


def test_the_wheel_holds_the_package_and_its_schema(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        for path in (ROOT / "schema").iterdir():
            assert archive.read(f"kgmem/schema/{path.name}") == path.read_bytes()
    assert {p.relative_to(ROOT).as_posix() for p in (ROOT / "kgmem").rglob("*.py")} <= names
    tops = {name.partition("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"kgmem"}
    assert any(name.endswith("licenses/LICENSE") for name in names)


def test_it_ingests_searches_and_serves(installed: Path, env: dict[str, str], tmp_path: Path) -> None:
    python, kgmem = installed / Path(sys.executable).name, installed / "kgmem"
    cwd = tmp_path / "cwd"
    cwd.mkdir()
    where = Path(run(python, "-c", "import kgmem; print(kgmem.__file__)", cwd=cwd, env=env).strip())
    assert where.is_relative_to(installed.parent)
    assert not where.is_relative_to(ROOT)

    notes = tmp_path / "notes"
    notes.mkdir()
    for name, text in FILES.items():
        (notes / name).write_text(text, encoding="utf-8")
    report = json.loads(run(kgmem, "ingest", notes, "--json", cwd=cwd, env=env))
    assert (report["added"], report["failed"], report["skipped"]) == (3, [], [])
    hits = json.loads(run(kgmem, "search", QUESTION, "--json", "-k", "2", cwd=cwd, env=env))
    assert {Path(hit["source"]["uri"]).name for hit in hits} == {"mirela.md", "tartu.txt"}

    server = subprocess.Popen(
        [kgmem, "serve", "--port", "0"], cwd=cwd, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    with server:
        try:
            assert server.stdout is not None
            line = server.stdout.readline()
            url = re.search(r"http://127\.0\.0\.1:\d+/graphql", line)
            assert url, line + server.stdout.read()
            query = """query ($q: String!) { search(input: {query: $q, first: 2}) {
                ... on SearchResult { hits { source { title } } } ... on Error { code message } } }"""
            answer = httpx.post(
                url.group(), json={"query": query, "variables": {"q": QUESTION}}, timeout=120, trust_env=False
            ).json()
            assert {hit["source"]["title"] for hit in answer["data"]["search"]["hits"]} == {
                "Mirela Vantongeren",
                "tartu",
            }
        finally:
            server.terminate()
    assert not list((tmp_path / "home").rglob("*.db"))
