"""check_titles.py, on small repositories."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import check_titles
import pytest

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="there is no git")


def git(repository: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", "-c", "user.name=a", "-c", "user.email=a@example.com", *arguments],
        cwd=repository,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q")
    git(tmp_path, "commit", "-q", "--allow-empty", "-m", "x" * 90)
    return tmp_path


def test_a_title_of_72_columns_is_right_and_one_of_73_is_wrong(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    since = git(repository, "rev-parse", "HEAD")
    git(repository, "commit", "-q", "--allow-empty", "-m", "ä" * 72)
    assert check_titles.main(repository, since) == 0
    git(repository, "commit", "-q", "--allow-empty", "-m", "y" * 73, "-m", "z" * 99)
    assert check_titles.main(repository, since) == 1
    assert f"73 columns instead of 72: {'y' * 73}\n" in capsys.readouterr().out


def test_without_the_history_nothing_is_checked(
    repository: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    assert check_titles.main(repository, "0" * 40) == 0
    assert check_titles.main(tmp_path_factory.mktemp("tarball")) == 0
