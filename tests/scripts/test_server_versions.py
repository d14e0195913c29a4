"""scripts/lib/server.sh: what a version of Debian's says of the server, and of the file of its source."""

from __future__ import annotations

import random
import subprocess
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]


def says(command: str, home: Path) -> subprocess.CompletedProcess[str]:
    script = f"repository={home}; for name in messages server; do source {REPOSITORY}/scripts/lib/$name.sh; done; {command}"
    return subprocess.run(["bash", "-euc", script], capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize(
    ("version", "upstream"),
    [
        ("1:10.11.18-0+deb12u1", "10.11.18"),
        ("1:11.8.9+ds-0+deb13u1", "11.8.9"),
        ("1:11.8.9+maria~deb13", "11.8.9"),
        ("9.7.4-2", "9.7.4"),
        ("10.11.18", "10.11.18"),
    ],
)
def test_the_servers_own_version_is_what_debian_has_not_added(version: str, upstream: str, tmp_path: Path) -> None:
    assert says(f"upstream_of {version}", tmp_path).stdout == upstream


@pytest.mark.parametrize("added", ["", "+ds", "+ds1", "~rc1"])
def test_the_source_is_found_by_whatever_name_debian_gives_it(added: str, tmp_path: Path) -> None:
    downloads = tmp_path / "build/server/downloads"
    downloads.mkdir(parents=True)
    for name in ("mariadb_11.8.90.orig.tar.xz", "mariadb_11.8.9+ds-0+deb13u1.dsc", "mariadb_11.8.9.debian.tar.xz"):
        (downloads / name).touch()
    missing = says("downloaded_source 1:11.8.9+ds-0+deb13u1", tmp_path)
    assert (missing.returncode, missing.stdout) == (1, "")
    (downloads / f"mariadb_11.8.9{added}.orig.tar.xz").touch()
    found = says("downloaded_source 1:11.8.9+ds-0+deb13u1", tmp_path)
    assert found.stdout == str(downloads / f"mariadb_11.8.9{added}.orig.tar.xz")


def test_a_version_whose_packages_the_archive_has_no_longer_is_told_beside_those_that_it_has(tmp_path: Path) -> None:
    (tmp_path / "build").mkdir()
    libraries = "".join(f"source {REPOSITORY}/scripts/lib/{name}.sh; " for name in ("messages", "packages"))
    fakes = "read_package_lists() { :; }; candidates() { printf '%s\\n' 1:10.11.20-0+deb12u1 1:10.11.19-0+deb12u1; }; "
    script = f"repository={tmp_path}; {libraries}source {REPOSITORY}/scripts/lib/server.sh; {fakes}ensure_server 10.11.18"
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", script], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert "MariaDB 1:10.11.20-0+deb12u1 1:10.11.19-0+deb12u1, and none of 10.11.18" in done.stderr, done.stderr


def test_a_source_of_another_version_is_refused_and_none_is_what_no_version_says(tmp_path: Path) -> None:
    (tmp_path / "mariadb_11.8.9+ds.orig.tar.xz").touch()
    for name, complaint in [
        ("mariadb_11.8.9+ds.orig.tar.xz", "is not the source of MariaDB 10.11.18"),
        ("mariadb.tar.gz", "--source wants a file that is called mariadb_VERSION.orig.tar.gz"),
        ("mariadb_.orig.tar.gz", "--source wants a file that is called mariadb_VERSION.orig.tar.gz"),
    ]:
        done = subprocess.run(
            [REPOSITORY / "scripts/provision", "--mariadb", "10.11.18", "--source", str(tmp_path / name)],
            capture_output=True, text=True, timeout=60,
        )
        assert done.returncode == 1
        assert complaint in done.stderr, done.stderr


def test_a_source_that_is_cut_short_or_of_another_version_than_its_name_says_is_refused(tmp_path: Path) -> None:
    tree = tmp_path / "mariadb-10.11.17"
    tree.mkdir()
    (tree / "VERSION").write_text("MYSQL_VERSION_MAJOR=10\nMYSQL_VERSION_MINOR=11\nMYSQL_VERSION_PATCH=17\n")
    (tree / "random").write_bytes(random.Random(1).randbytes(100_000))
    file = tmp_path / "mariadb_10.11.17.orig.tar.gz"
    subprocess.run(["tar", "-C", tmp_path, "-czf", file, tree.name], check=True)
    assert says(f"check_source {file} 10.11.17", tmp_path).returncode == 0
    other = says(f"check_source {file} 10.11.18", tmp_path)
    assert (other.returncode, other.stderr) == (1, f"error: {file} has the source of MariaDB 10.11.17, and not of 10.11.18\n")
    whole = file.read_bytes()
    for bad in (whole[:-1000], b"", b"<html>not found</html>"):
        file.write_bytes(bad)
        damaged = says(f"check_source {file} 10.11.17", tmp_path)
        assert damaged.returncode == 1 and "no complete source of MariaDB" in damaged.stderr, damaged
