"""The sample table test.user: its definition, its row 101, and its generated rows.

Generated rows have the ids 1 to N without 101. How many there are is noted in a file of the
server's directory, so that a later start keeps, adds or removes rows, also after an interruption.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from private_server import PrivateServer

TABLE = """
CREATE TABLE IF NOT EXISTS test.user (
  user_id INT UNSIGNED PRIMARY KEY,
  user_name VARCHAR(50),
  user_email VARCHAR(255),
  created DATETIME
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4
"""
SAMPLE_ID = 101
SAMPLE_ROW = ("Yukari Takeba", "yukari.takeba@dena.jp", "2010-02-03 11:22:33")
GENERATED_CREATED = "2010-02-03 11:22:33"
CHUNK_ROWS = 100_000
# What a row takes on disk with its part of the undo log, rounded up.
BYTES_PER_ROW = 200

_FILL = """
INSERT IGNORE INTO user
SELECT seq, CONCAT('user name ', seq), CONCAT('user', seq, '@example.com'), %s
FROM seq_{first}_to_{last} WHERE seq <> %s
"""
_REMOVE = "DELETE FROM user WHERE user_id BETWEEN %s AND %s AND user_id <> %s"


@dataclass(frozen=True)
class Filled:
    """The note: generated ids reach up to `rows`; not complete: a change was interrupted."""

    rows: int
    complete: bool


def read_note(directory: Path) -> Filled | None:
    """What the directory says about its generated rows; None before the first start."""
    try:
        return Filled(**json.loads(_note_file(directory).read_text(encoding="ascii")))
    except (FileNotFoundError, ValueError, TypeError):
        return None


def make(server: PrivateServer, rows: int, report: Callable[[int], None]) -> None:
    """Makes the table with its row 101 and exactly the generated rows up to `rows`.

    Rows from elsewhere stay. `report` is called now and then with the number of rows that are done.
    """
    server.sql("CREATE DATABASE IF NOT EXISTS test CHARACTER SET utf8mb4")
    server.sql(TABLE)
    server.sql("REPLACE INTO test.user VALUES (%s, %s, %s, %s)", (SAMPLE_ID, *SAMPLE_ROW))
    note = read_note(server.directory) or Filled(0, complete=False)
    if note == Filled(rows, complete=True):
        return
    _write_note(server.directory, Filled(max(note.rows, rows), complete=False))
    first = note.rows + 1 if note.complete else 1
    for low, high in _chunks(first, rows):
        server.sql(
            _FILL.format(first=low, last=high), (GENERATED_CREATED, SAMPLE_ID), database="test"
        )
        report(high)
    for low, high in _chunks(rows + 1, note.rows):
        server.sql(_REMOVE, (low, high, SAMPLE_ID), database="test")
        report(note.rows - high + rows)
    _write_note(server.directory, Filled(rows, complete=True))


def _chunks(first: int, last: int) -> list[tuple[int, int]]:
    return [(low, min(low + CHUNK_ROWS - 1, last)) for low in range(first, last + 1, CHUNK_ROWS)]


def _note_file(directory: Path) -> Path:
    return directory / "rows.json"


def _write_note(directory: Path, note: Filled) -> None:
    new = directory / "rows.json.new"
    new.write_text(json.dumps(note.__dict__) + "\n", encoding="ascii")
    new.rename(_note_file(directory))
