"""Containerfile: the image is built from a bare Debian 12, and what it starts serves accounts, and keeps its rows."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import REPOSITORY, ROOTS
from machine import Machine, make_root, run

STORE = ROOTS / "images"
BUILDAH = ["buildah", "--root", str(STORE), "--runroot", str(STORE) + ".run", "--storage-driver", "vfs"]
BASE, IMAGE = "localhost/debian-bookworm", "localhost/handlersocket2"


def buildah(*words: str) -> str:
    return run([*BUILDAH, *words], cwd=REPOSITORY).strip().splitlines()[-1]


@pytest.fixture(scope="module")
def image() -> Iterator[tuple[Path, dict[str, list[str]]]]:
    """The root of the built image, and what it says of its process."""
    bare = ROOTS / "bookworm-bare"
    if not bare.exists():
        make_root(bare, "bookworm", [], {})
    shutil.rmtree(STORE, ignore_errors=True)
    base = buildah("from", "scratch")
    mounted = Path(buildah("mount", base))
    run(["cp", "-a", f"{bare}/.", str(mounted)])
    # As Debian's images have it: what is installed in a build starts no server, which would outlive the build.
    (mounted / "usr/sbin/policy-rc.d").write_text("#!/bin/sh\nexit 101\n")
    buildah("commit", "--rm", base, BASE)
    buildah("build", "--isolation", "chroot", "--build-arg", f"BASE={BASE}", "-t", IMAGE, ".")
    container = buildah("from", "--pull-never", IMAGE)
    config = json.loads(run([*BUILDAH, "inspect", "--type", "image", IMAGE]))["OCIv1"]["config"]
    try:
        yield Path(buildah("mount", container)), config
    finally:
        shutil.rmtree(STORE)


class Container(Machine):
    """The image's process in a machine of its own."""

    def __init__(self, image: tuple[Path, dict[str, list[str]]], root: Path) -> None:
        super().__init__(image[0], root)
        self.config = image[1]

    def starts(self, environment: str = "", arguments: str = "") -> None:
        """Starts it as a container's first process is started, and returns when SQL answers."""
        command = " ".join(self.config["Entrypoint"])
        self.sh(
            f"cd / && setpriv --reuid=mysql --regid=mysql --init-groups env {environment} {command} {arguments}"
            " >/tmp/log 2>&1 & server=$!\n"
            "for try in $(seq 600); do\n"
            "  setpriv --reuid=mysql --regid=mysql --init-groups mariadb -e 'SELECT 1' >/dev/null 2>&1 && exit\n"
            "  kill -0 $server || break; sleep 0.1\n"
            "done\ncat /tmp/log; exit 1"
        )

    def stops(self, signal: str) -> None:
        self.sh(f"server=$(pidof mariadbd) && kill -{signal} $server && while kill -0 $server 2>&-; do sleep 0.1; done")


@pytest.fixture
def container(image: tuple[Path, dict[str, list[str]]], tmp_path: Path) -> Iterator[Container]:
    machine = Container(image, tmp_path / "container")
    try:
        yield machine
    finally:
        machine.close()


APPLICATION = "MARIADB_DATABASE=a_b MARIADB_USER=app MARIADB_PASSWORD=\"it's \\\\ a secret\""


@pytest.mark.timeout(3600)
def test_an_account_writes_and_reads_rows_that_outlive_the_container(container: Container) -> None:
    container.starts(APPLICATION)
    assert container.config["User"] == "mysql"
    hs = "HS_PASSWORD=\"it's \\\\ a secret\" hs --user app"
    by_sql = "MYSQL_PWD=\"it's \\\\ a secret\" mariadb -h 127.0.0.1 -u app"
    container.sh(f"{by_sql} -e 'CREATE TABLE a_b.t (id INT PRIMARY KEY, v INT)'")
    container.sh(f"{hs} insert a_b.t id=1 v=10")
    assert "10" in container.sh(f"{hs} get a_b.t 1")
    container.stops("TERM")
    assert "Shutdown complete" in container.sh("cat /tmp/log")
    container.starts()
    container.stops("KILL")
    container.starts(arguments="--innodb-buffer-pool-size=32M")
    assert "10" in container.sh(f"{hs} get a_b.t 1")
    with pytest.raises(Exception, match="unauth"):
        container.sh("hs get a_b.t 1 2>&1")
    assert "a_b" in container.sh(f"{by_sql} -e 'SHOW DATABASES'")
    with pytest.raises(Exception, match="denied"):
        container.sh(f"{by_sql} -e 'CREATE DATABASE axb'")
    assert "secret" not in container.sh("tr '\\0' '\\n' < /proc/$(pidof mariadbd)/environ")


def test_a_data_directory_that_was_not_finished_is_made_anew(container: Container) -> None:
    container.sh("touch /var/lib/mysql/.unfinished && mkdir /var/lib/mysql/mysql && chown -R mysql: /var/lib/mysql")
    container.starts()
    assert "mysql" in container.sh("ls /var/lib/mysql")
    assert ".unfinished" not in container.sh("ls -A /var/lib/mysql")


@pytest.mark.parametrize(
    ("environment", "says"),
    [
        ("MARIADB_DATABASE=a MARIADB_USER=app", "MARIADB_USER needs a password: set MARIADB_PASSWORD"),
        ("MARIADB_USER=app MARIADB_PASSWORD=x", "MARIADB_USER needs a database: set MARIADB_DATABASE"),
        ("MARIADB_PASSWORD_FILE=/nowhere", "cannot read MARIADB_PASSWORD_FILE /nowhere"),
    ],
)
def test_what_is_missing_is_said_and_nothing_is_made(container: Container, environment: str, says: str) -> None:
    with pytest.raises(Exception, match=says):
        container.starts(environment)
    assert container.sh("ls -A /var/lib/mysql") == ""


def test_a_folder_that_belongs_to_another_is_told(container: Container) -> None:
    container.sh("chown root: /var/lib/mysql && chmod 755 /var/lib/mysql")
    with pytest.raises(Exception, match="user mysql .* cannot write to /var/lib/mysql: give it the volume's folder"):
        container.starts()
