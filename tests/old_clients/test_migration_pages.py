"""docs/migrating-from-*.md: the programs before and after print what stands below them.

A program before runs with the old client, a program after with the new one, as they stand there; only the
ports are others. php-handlersocket cannot be built any more, so of its program only the syntax is checked.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parents[1]
sys.path[:0] = [str(HERE), str(REPOSITORY / "scripts")]

import sample_table  # noqa: E402
import test_old_clients as old_clients  # noqa: E402
from private_server import PrivateServer  # noqa: E402

NEW = REPOSITORY / "clients"
OLD = old_clients.CLIENTS
PROGRAM_SECONDS = 60
BUILD_SECONDS = 600
PART = re.compile(r"^### (Before|After|Both print)\n\n```\w*\n(.*?)^```$", re.M | re.S)


@contextlib.contextmanager
def sampled() -> Iterator[PrivateServer]:
    """A server with the sample table of ./run."""
    with PrivateServer() as running:
        sample_table.make(running, 1000, lambda _: None)
        yield running


@pytest.fixture(scope="module")
def server() -> Iterator[PrivateServer]:
    with sampled() as running:
        yield running


@pytest.fixture
def parts(server: PrivateServer, page: str) -> dict[str, str]:
    """The page's programs and what they print, by their headings, with the server's ports."""
    text = (REPOSITORY / f"docs/migrating-from-{page}.md").read_text(encoding="utf-8")
    found = dict(PART.findall(text))
    assert sorted(found) == ["After", "Before", "Both print"]
    ports = {"9998": str(server.port), "9999": str(server.port_wr)}
    return {name: re.sub("9998|9999", lambda m: ports[m[0]], part) for name, part in found.items()}


def command(*words: object, seconds: int = PROGRAM_SECONDS, **environment: object) -> str:
    """What a command prints; it must end well."""
    done = subprocess.run(
        [str(word) for word in words],
        capture_output=True,
        text=True,
        env={**os.environ, **{name: str(value) for name, value in environment.items()}},
        check=False,
        timeout=seconds,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def written(folder: Path, name: str, text: str) -> Path:
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


def run_old(page: str, folder: Path, program: str) -> str:
    """Runs a program with the old client, which is installed first."""
    client = {"pyhs": "python", "hs4j": "java", "node-handlersocket": "node", "net-handlersocket": "perl"}[page]
    old_clients.install(client)
    home = OLD / client
    if client == "python":
        modules = home / "modules"
        interpreter = (home / "interpreter").read_text().strip()
        file = written(folder, "before.py", program)
        return command(interpreter, file, PYTHONPATH=modules, JYTHONPATH=modules, PYTHONDONTWRITEBYTECODE=1)
    if client == "java":
        return command("java", "-cp", f"{home}/lib/*", written(folder, "Before.java", program))
    if client == "node":
        return command("node", written(folder, "before.js", program), NODE_PATH=home / "node_modules")
    return command("perl", f"-Mblib={home}/module", written(folder, "before.pl", program))


def java_classes(folder: Path) -> Path:
    sources = sorted((NEW / "java/src/main").rglob("*.java"))
    command("javac", "--release", 11, "-d", folder / "classes", *sources, seconds=BUILD_SECONDS)
    return folder / "classes"


def node_package(folder: Path) -> None:
    """Makes the package in the folder's node_modules."""
    if not (NEW / "node/node_modules").exists():
        command("npm", "--prefix", NEW / "node", "ci", "--silent", seconds=BUILD_SECONDS)
    package = folder / "node_modules/handlersocket2"
    package.mkdir(parents=True)
    command(NEW / "node/compile", package, seconds=BUILD_SECONDS)
    shutil.copy(NEW / "node/package.json", package)


def run_new(page: str, folder: Path, program: str) -> str:
    """Runs a program with the new client of the same language."""
    if page == "pyhs":
        file = written(folder, "after.py", program)
        return command(sys.executable, "-B", file, PYTHONPATH=NEW / "python/src")
    if page == "hs4j":
        return command("java", "-cp", java_classes(folder), written(folder, "After.java", program))
    if page == "node-handlersocket":
        node_package(folder)
        return command("node", written(folder, "after.mjs", program))
    if page == "net-handlersocket":
        return command("perl", "-I", NEW / "perl/lib", written(folder, "after.pl", program))
    program = program.replace("'vendor/autoload.php'", f"'{NEW}/php/src/autoload.php'")
    return command("php", written(folder, "after.php", program))


PAGES_THAT_RUN = ["pyhs", "hs4j", "node-handlersocket", "net-handlersocket"]
PAGES = [*PAGES_THAT_RUN, "php-handlersocket"]


@pytest.mark.parametrize("page", PAGES_THAT_RUN)
def test_the_program_before_runs_with_the_old_client(page: str, parts: Mapping[str, str], tmp_path: Path) -> None:
    assert run_old(page, tmp_path, parts["Before"]) == parts["Both print"]


@pytest.mark.parametrize("page", PAGES)
def test_the_program_after_runs_with_the_new_client(page: str, parts: Mapping[str, str], tmp_path: Path) -> None:
    assert run_new(page, tmp_path, parts["After"]) == parts["Both print"]


@pytest.mark.parametrize("page", ["net-handlersocket"])
def test_the_new_module_of_the_old_name_runs_the_old_program(
    page: str, parts: Mapping[str, str], tmp_path: Path
) -> None:
    assert run_new(page, tmp_path, parts["Before"]) == parts["Both print"]


@pytest.mark.parametrize("page", ["php-handlersocket"])
def test_the_program_before_is_good_php(page: str, parts: Mapping[str, str], tmp_path: Path) -> None:
    command("php", "-l", written(tmp_path, "before.php", parts["Before"]))


def test_each_page_of_an_old_client_is_run() -> None:
    pages: Sequence[Path] = sorted((REPOSITORY / "docs").glob("migrating-from-*.md"))
    # The plugin for memcached had no client of its own; tests/e2e/test_redis_page.py runs its page.
    clients = [*PAGES, "innodb-memcached"]
    assert [page.stem.removeprefix("migrating-from-") for page in pages] == sorted(clients)
