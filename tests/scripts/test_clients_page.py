"""docs/clients.md: it has every client, a program of each, and the matrix that the acceptance script writes."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import client_programs
import test_clients as suite

REPOSITORY = Path(__file__).resolve().parents[2]
CLIENTS = REPOSITORY / "clients"
BEGIN, END = "<!-- matrix -->", "<!-- /matrix -->"


def drivers() -> list[str]:
    """The clients that the acceptance script drives."""
    return sorted(file.parent.name for file in CLIENTS.glob("*/driver"))


def behaviours() -> Iterator[str]:
    """What the acceptance script tests, as the matrix calls it."""
    for file in sorted(CLIENTS.glob("acceptance/test_*.py")):
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                yield node.name.removeprefix("test_").replace("_", " ")


def matrix() -> list[list[str]]:
    """The rows of the page's matrix, its heading first."""
    text = client_programs.PAGE.read_text(encoding="utf-8").split(BEGIN)[1].split(END)[0]
    rows = [line.strip("|").split("|") for line in text.split("\n") if line.startswith("| ")]
    return [[cell.strip() for cell in row] for row in rows]


def test_the_matrix_has_every_client_and_every_behaviour() -> None:
    heading, *rows = matrix()
    assert heading == ["behaviour", *drivers()]
    assert sorted(row[0] for row in rows) == sorted(behaviours())
    assert {cell for row in rows for cell in row[1:]} == {"yes"}


def test_every_client_has_a_program_in_the_page_and_its_readme() -> None:
    for client in drivers():
        assert client in client_programs.LANGUAGES, client
        for page in client_programs.pages(client).values():
            assert client_programs.first_block(page, client_programs.LANGUAGES[client].tag), (client, page)


def test_the_suite_finds_clients_by_their_checks() -> None:
    assert set(drivers()) <= set(suite.languages())
    assert sorted(suite.languages()) == sorted(file.parent.name for file in CLIENTS.glob("*/check"))


def test_a_check_is_counted_by_its_last_line() -> None:
    assert suite.totals("failed: lint\n12 passed, 1 failed\n") == (12, 1)
    assert suite.totals("12 passed, 1 failed\nkilled\n") is None
    assert suite.totals("") is None


def test_a_check_that_says_nothing_or_ends_badly_has_failed() -> None:
    for said, status in (("killed\n", 137), ("0 passed, 0 failed\n", 0), ("5 passed, 0 failed\n", 1)):
        outcome = suite.Outcome("go")
        suite.count_check(outcome, said, status)
        assert len(outcome.failed) == 1
