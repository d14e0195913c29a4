"""docs/migrating-from-*.md: each new call of the tables runs, in the page's order, on a row that the calls make themselves.

So does each old call of Net::HandlerSocket, with the new module of that name. Code in a table that is no whole call, such as an
option, is left out.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

import test_migration_pages as programs  # noqa: E402
from private_server import PrivateServer  # noqa: E402

# Of each page: how a whole call begins, and a program around the calls.
AROUND = {
    "pyhs": (
        r"user\.|db\.",
        """import handlersocket2
db = handlersocket2.connect("hs://127.0.0.1:9998?write_port=9999")
columns = ["user_id", "user_name"]
user = db.table("test.user", columns)
{calls}
""",
    ),
    "hs4j": (
        r"users\.|client\.(?!close)",
        """import org.handlersocket2.*;
class After {{
  public static void main(String[] arguments) {{
    try (Client client = Client.connect("hs://127.0.0.1:9998?write_port=9999")) {{
      Table users = client.table("test.user").columns("user_id", "user_name");
      {calls};
    }}
  }}
}}
""",
    ),
    "node-handlersocket": (
        r"await |client\.",
        """import {{ connect }} from "handlersocket2";
const client = connect("hs://127.0.0.1:9998?write_port=9999");
const columns = ["user_id", "user_name"];
const users = client.table("test.user", {{ columns }});
{calls}
""",
    ),
    "php-handlersocket": (
        r"\$user->|\$db->",
        """<?php
require 'vendor/autoload.php';
$db = HandlerSocket2\\Client::connect('hs://127.0.0.1:9998?write_port=9999');
$columns = ['user_id', 'user_name'];
$user = $db->table('test.user', $columns);
{calls};
""",
    ),
    "net-handlersocket": (
        r"\$user->",
        """use 5.030; use warnings; use HandlerSocket2;
my $db = HandlerSocket2->connect('hs://127.0.0.1:9998?write_port=9999');
my $user = $db->table('test.user', columns => ['user_id', 'user_name']);
{calls};
""",
    ),
}
OLD_PERL = (
    r"\$hs->(?:open|execute)",
    """use strict; use warnings; use Net::HandlerSocket;
my $hs = Net::HandlerSocket->new({{ host => '127.0.0.1', port => 9999 }});
sub good {{
    my ($code, @values) = ref $_[0] ? @{{ $_[0] }} : @_;
    die $hs->get_error if $code != 0;
}}
good({calls});
""",
)
SEPARATORS = {"pyhs": "\n", "node-handlersocket": ";\n"}


@pytest.fixture(scope="module")
def server() -> Iterator[PrivateServer]:
    """The sample table with what the pages' calls name beside its columns: a counter and an index."""
    with programs.sampled() as running:
        running.sql("ALTER TABLE test.user ADD n INT NOT NULL DEFAULT 0, ADD KEY by_name (user_name)")
        yield running


@pytest.fixture(autouse=True)
def without_the_row(server: PrivateServer) -> None:
    server.sql("DELETE FROM test.user WHERE user_id = 7")


def whole_calls(page: str, column: int, beginning: str) -> list[str]:
    """The calls in a column of the page's first table. What is abbreviated by three dots is none."""
    text = (programs.REPOSITORY / f"docs/migrating-from-{page}.md").read_text(encoding="utf-8")
    table = text.split("\n## Calls\n")[1].split("\n## ")[0]
    cells = [row.split(" | ")[column] for row in re.findall(r"^\| (.*) \|$", table, re.M)]
    found = [code for cell in cells for code in re.findall("`([^`]*)`", cell)]
    return [code for code in found if re.match(beginning, code) and "…" not in code and "..." not in code]


def around(server: PrivateServer, program: str, separator: str, calls: list[str]) -> str:
    text = program.format(calls=separator.join(calls))
    return text.replace("9998", str(server.port)).replace("9999", str(server.port_wr))


def moved(server: PrivateServer) -> list[tuple[object, ...]]:
    """The row that the calls insert, change and delete."""
    return server.sql("SELECT * FROM test.user WHERE user_id = 7")


@pytest.mark.parametrize("page", AROUND)
def test_the_new_calls_run(page: str, server: PrivateServer, tmp_path: Path) -> None:
    beginning, program = AROUND[page]
    calls = whole_calls(page, 1, beginning)
    assert {name for call in calls for name in re.findall(r"insert|update|delete|find|\bget\b", call)} == {
        "insert", "update", "delete", "find", "get"
    }, calls
    programs.run_new(page, tmp_path, around(server, program, SEPARATORS.get(page, ";\n      "), calls))
    assert moved(server) == [], "inserted, changed and deleted again"


def test_the_old_calls_run_with_the_new_module_of_the_old_name(server: PrivateServer, tmp_path: Path) -> None:
    beginning, program = OLD_PERL
    calls = whole_calls("net-handlersocket", 0, beginning)
    assert len(calls) >= 6
    programs.run_new("net-handlersocket", tmp_path, around(server, program, ");\ngood(", calls))
    assert moved(server) == []
