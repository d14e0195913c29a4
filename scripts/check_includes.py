"""Checks that includes only go down the layers, and that server headers stay in the adapters.

    {mariadb, mysql} -> adapter -> server -> exec -> {net, protocol, engine} -> mapping -> base
    {mariadb, mysql} -> in_server -> columns -> {adapter, engine, mapping, base}
    {adapter, loader} -> seam

net, protocol and engine never include each other, net knows nothing of mapping, exec knows nothing of net,
and testing (the fake engine) knows the engine interface alone, adapter that, exec and server. Each adapter
compiles columns with its own server_dialect.h and server_rows.h, and in_server with its own server_words.h,
server_tables.h and server_parts.h; the loader has a server_plugin.h for each server. The loader knows the
seam, and of the server public headers. Unit tests (*_test.cc), their fixtures (testing/fixtures), tools and
fuzzers may include any room but those that know a server's headers. Only the tools that run inside the
server (tools/floor, tools/moving_session) may include src/mariadb, and tools/audit_trail src/mysql. Run by
./test; exits with 1 and one line per wrong include.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
SOURCES = REPOSITORY / "src"
FIXTURES = SOURCES / "testing/fixtures"
SERVER_HEADERS = REPOSITORY / "build/server/current/headers"

ADAPTER = frozenset(
    {"adapter", "server", "exec", "net", "protocol", "engine", "mapping", "base"}
)
# What each room may include besides its own files.
ALLOWED: dict[str, frozenset[str]] = {
    "base": frozenset(),
    "mapping": frozenset({"base"}),
    "protocol": frozenset({"mapping", "base"}),
    "engine": frozenset({"mapping", "base"}),
    "net": frozenset({"base"}),
    "exec": frozenset({"protocol", "engine", "mapping", "base"}),
    "server": frozenset({"exec", "net", "protocol", "engine", "mapping", "base"}),
    "adapter": frozenset({"server", "exec", "protocol", "engine", "mapping", "base", "seam"}),
    "columns": frozenset({"adapter", "engine", "mapping", "base"}),
    "in_server": ADAPTER | {"columns", "seam"},
    "mariadb": ADAPTER | {"columns", "in_server", "seam"},
    "mysql": ADAPTER | {"columns", "in_server", "seam"},
    "seam": frozenset(),
    "loader": frozenset({"seam"}),
    "testing": frozenset({"engine", "mapping", "base"}),
}
ADAPTERS = frozenset({"mariadb", "mysql"})  # each on the headers of its server
ANY_ROOM = frozenset(ALLOWED) - ADAPTERS - {"columns", "in_server"}
# A header that a room is compiled with, and which each server has its own of.
DIALECT = {
    "server_dialect.h": "columns",
    "server_rows.h": "columns",
    "server_words.h": "in_server",
    "server_tables.h": "in_server",
    "server_parts.h": "in_server",
    "server_plugin.h": "loader",
}
# Of the server's headers, for the loader.
PUBLIC_HEADERS = frozenset({"mysql/plugin.h", "my_compiler.h", "typelib.h"})
# The tools that run inside a server, and the adapter that knows its headers.
IN_SERVER = {"tools/floor": "mariadb", "tools/moving_session": "mariadb", "tools/audit_trail": "mysql"}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def files() -> Iterator[Path]:
    """Every source file of ours."""
    for folder in (SOURCES, REPOSITORY / "tools", REPOSITORY / "fuzz"):
        for pattern in ("*.h", "*.cc"):
            yield from sorted(folder.rglob(pattern))


def server_headers() -> frozenset[str]:
    """The names by which server headers can be included."""
    names: set[str] = set()
    for folder in ("generated", "source/include", "source/sql"):
        root = SERVER_HEADERS / folder
        names.update(str(header.relative_to(root)) for header in root.rglob("*.h"))
    return frozenset(names)


def allowed_rooms(file: Path) -> frozenset[str]:
    """The rooms whose headers this file may include."""
    for tool, adapter in IN_SERVER.items():
        if file.is_relative_to(REPOSITORY / tool):
            return frozenset({adapter, "engine", "base"})
    if not file.is_relative_to(SOURCES):
        return ANY_ROOM
    room = file.relative_to(SOURCES).parts[0]
    is_test = file.name.endswith("_test.cc") or file.is_relative_to(FIXTURES)
    if room not in ADAPTERS and is_test:
        return ANY_ROOM
    return ALLOWED.get(room, frozenset()) | {room}


def problem(file: Path, mark: str, target: str, forbidden: frozenset[str]) -> str | None:
    """What is wrong with this include, if anything."""
    in_adapter = any(file.is_relative_to(SOURCES / adapter) for adapter in ADAPTERS)
    room = target.split("/")[0]
    if room in ALLOWED and (SOURCES / target).exists():
        if mark == "<":
            return "a header of ours is included in quotes"
        return None if room in allowed_rooms(file) else f"may not include {room}/"
    if target in forbidden:
        is_public = file.is_relative_to(SOURCES / "loader") and target in PUBLIC_HEADERS
        return None if in_adapter or is_public else "server headers belong to the adapters alone"
    if target in DIALECT and mark == '"':
        owner = DIALECT[target]
        return None if file.is_relative_to(SOURCES / owner) else f"only {owner} includes {target}"
    # MySQL's own headers are included by their paths from the root of its source.
    if mark == '"' and file.is_relative_to(SOURCES / "mysql") and room != "mysql":
        return None
    if mark == '"' and not (file.parent / target).exists():
        return "there is no such file of ours"
    if mark == '"' and file.is_relative_to(SOURCES):
        return "a header of ours is included by its path from src/"
    return None


def main() -> int:
    """Prints every wrong include and returns the exit code."""
    forbidden = server_headers()
    if not forbidden:
        print(f"error: no server headers in {SERVER_HEADERS}: scripts/provision gets them")
        return 1
    wrong = count = 0
    for file in files():
        where = file.relative_to(REPOSITORY)
        if where.parts[0] == "src" and len(where.parts) > 2 and where.parts[1] not in ALLOWED:
            print(f"{where}: src/{where.parts[1]} is no known layer")
            wrong += 1
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            match = INCLUDE.match(line)
            if match is None:
                continue
            count += 1
            complaint = problem(file, match[1], match[2], forbidden)
            if complaint is not None:
                print(f"{where}:{number}: {line.strip()}: {complaint}")
                wrong += 1
    print(f"{count} includes checked, {wrong} wrong")
    return 1 if wrong or not count else 0


if __name__ == "__main__":
    sys.exit(main())
