"""Checks that the titles of commits have at most 72 columns, since tools show no more of them.

Commits before SINCE are not checked. Where there is no git, no repository, or not that
commit (a tarball, a shallow clone), nothing is checked. Exits with 1 and one line for each title
that is too long.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
MOST_COLUMNS = 72
SINCE = "73694b92f054b9cefe6dde4f00d2a01b46bc3948"  # the last one with a longer title


def titles(repository: Path, since: str) -> list[tuple[str, str]] | None:
    """The short id and the title of each commit behind `since`; None when that is not known."""
    command = ["git", "-C", str(repository), "log", "--format=%h %s", f"{since}..HEAD"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return None
    if done.returncode != 0:
        return None
    pairs = (line.partition(" ") for line in done.stdout.splitlines())
    return [(commit, title) for commit, _, title in pairs]


def main(repository: Path = REPOSITORY, since: str = SINCE) -> int:
    """Prints every title that is too long and returns the exit code."""
    found = titles(repository, since)
    if found is None:
        print("the titles of commits are not checked: the history is not here")
        return 0
    wrong = [(commit, title) for commit, title in found if len(title) > MOST_COLUMNS]
    for commit, title in wrong:
        print(f"{commit}: {len(title)} columns instead of {MOST_COLUMNS}: {title}")
    print(f"{len(found)} titles of commits checked, {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
