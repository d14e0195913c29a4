"""A newcomer: each client's README is followed as it is written in a bare Debian 12, up to a first row.

From the archive and from the registries comes what the README's own commands fetch, and nothing else is there. The server
runs beside that Debian; only the ports are others.
"""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(REPOSITORY / "tests/package"), str(REPOSITORY / "scripts")]

import client_programs  # noqa: E402
import sample_table  # noqa: E402
from machine import Machine, make_root, run  # noqa: E402
from private_server import PrivateServer  # noqa: E402

BARE = REPOSITORY / "build/package_roots/bookworm-bare"

# What the README says of the program: its file, and what runs it, which may stand in its text or below the program.
SAID = {
    "c": ("first.c", None),
    "cpp": ("first.cc", None),
    "go": ("main.go", "go run ."),
    "java": ("First.java", None),
    "node": ("first.mjs", "node first.mjs"),
    "perl": ("first.pl", "perl first.pl"),
    "php": ("first.php", "php first.php"),
    "python": ("first.py", "python first.py"),
    "ruby": ("first.rb", "ruby first.rb"),
    "rust": ("src/main.rs", "cargo run"),
}
COMMANDS = re.compile(r"(?:^    .*\n)+", re.M)


@pytest.fixture(scope="session")
def server() -> Iterator[PrivateServer]:
    """A server with the sample table of ./run."""
    with PrivateServer() as running:
        sample_table.make(running, 1000, lambda _: None)
        yield running


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    """What an image of Debian has: the smallest set of packages, and no list of others. The repository is in /root."""
    if not BARE.exists():
        make_root(BARE, "bookworm", [], {})
    opened = Machine(BARE, tmp_path / "root")
    try:
        opened.sh("rm -rf /var/lib/apt/lists/* && echo 'APT::Get::Assume-Yes \"true\";' >/etc/apt/apt.conf.d/yes")
        # Where this machine has authorities of its own, registries are seen through them.
        authorities = opened.root / "usr/local/share/ca-certificates"
        authorities.mkdir()
        for authority in Path("/usr/local/share/ca-certificates").glob("*.crt"):
            shutil.copy(authority, authorities)
        home = opened.root / "root/handlersocket2"
        for name in run(["git", "ls-files", "-z", "--", "clients"], cwd=REPOSITORY).split("\0")[:-1]:
            (home / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(REPOSITORY / name, home / name)
        yield opened
    finally:
        opened.close()


def script(client: str, server: PrivateServer) -> str:
    """The README's commands, its program in the file that it names, and the command that runs it."""
    readme = (REPOSITORY / f"clients/{client}/README.md").read_text(encoding="utf-8")
    file, command = SAID[client]
    tag = client_programs.LANGUAGES[client].tag
    before, program, behind = re.split(rf"^```{tag}\n(.*?)^```$", readme, 1, re.M | re.S)
    installs = COMMANDS.findall(before)
    assert installs, "the README tells how to install"
    assert f"{file}`" in before, f"the README calls the program {file}"
    if command is None:
        command = COMMANDS.findall(behind)[0]
    else:
        assert f"`{command}`" in before, f"the README says {command}"
    program = program.replace("9998", str(server.port)).replace("9999", str(server.port_wr))
    folder = f"cd clients/{client}\n" if "in this folder" in before else ""
    return f"cd ~/handlersocket2\n{folder}{''.join(installs)}cat >{file} <<'END'\n{program}END\n{command}\n"


def test_every_client_is_followed() -> None:
    assert sorted(SAID) == sorted(client_programs.LANGUAGES)


@pytest.mark.parametrize("client", SAID)
def test_a_readme_leads_from_a_bare_debian_to_a_first_row(
    client: str, machine: Machine, server: PrivateServer
) -> None:
    (machine.root / "root/follow").write_text(script(client, server), encoding="utf-8")
    assert client_programs.FIRST_ROW in machine.online("bash -e /root/follow")
