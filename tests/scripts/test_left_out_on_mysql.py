"""What does not run on MySQL is named as it is: a test that was renamed would run there again."""

from __future__ import annotations

import re
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TESTS / "e2e"))

import on_mysql  # noqa: E402


def test_each_file_and_test_that_is_left_out_is_there() -> None:
    assert [name for name in on_mysql.FILES_LEFT_OUT if not (TESTS / name).exists()] == []
    files = [*TESTS.glob("e2e/test_*.py"), *TESTS.glob("durability/test_*.py")]
    there = {name for file in files for name in re.findall(r"^def (test_\w+)\(", file.read_text(), re.M)}
    assert [name for name in on_mysql.LEFT_OUT if name.split("[")[0] not in there] == []
