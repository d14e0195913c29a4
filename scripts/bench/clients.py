"""The load programs of the clients, by language: how they are built and started, and beside what."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from server_files import REPOSITORY, ServerError

PROGRAMS = REPOSITORY / "bench/clients"
BUILD = REPOSITORY / "build/bench-clients"
CLIENTS = REPOSITORY / "clients"


@dataclass(frozen=True)
class Language:
    """`build` is a shell script that runs in the folder of the program; `command` starts it."""

    name: str
    sql: str  # the driver beside it
    redis: str
    command: tuple[str, ...]
    build: str = ""
    environment: Mapping[str, str] = field(default_factory=dict)
    parallel: str = "threads"

    def prepare(self, folder: str) -> None:
        """Builds the program. Raises with what the compiler says."""
        if not self.build:
            return
        BUILD.mkdir(parents=True, exist_ok=True)
        done = subprocess.run(
            ["bash", "-euc", self.build],
            cwd=PROGRAMS / folder,
            env={**os.environ, "BUILD": str(BUILD), "CLIENTS": str(CLIENTS)},
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            raise ServerError(f"the program for {self.name} is not built", done.stderr[-2000:])


def _program(path: str) -> str:
    return str(PROGRAMS / path)


_LIBRARY = (  # for C and C++
    "cmake -S $CLIENTS/c -B $BUILD/c -DCMAKE_BUILD_TYPE=Release\n"
    "cmake --build $BUILD/c --target static\n"
)
_LIBRARIES = (
    "$(find $BUILD/c -name libhandlersocket2.a) -lhiredis "
    "$(mariadb_config --cflags --libs) -lssl -lcrypto -lm -pthread"
)

LANGUAGES = {
    "c": Language(
        "C",
        "libmariadb 3.3, prepared",
        "hiredis 0.14",
        (str(BUILD / "c/load"),),
        _LIBRARY + f"cc -O2 -I$CLIENTS/c/include load.c hs.c -o $BUILD/c/load {_LIBRARIES}",
    ),
    "cpp": Language(
        "C++",
        "libmariadb 3.3, prepared (a library for C)",
        "hiredis 0.14 (a library for C)",
        (str(BUILD / "c/load-cpp"),),
        _LIBRARY + "cc -O2 -c ../c/load.c -o $BUILD/c/load.o $(mariadb_config --cflags)\n"
        "c++ -std=c++17 -O2 -I$CLIENTS/c/include -I$CLIENTS/cpp/include "
        f"hs.cc $BUILD/c/load.o -o $BUILD/c/load-cpp {_LIBRARIES}",
    ),
    "go": Language(
        "Go",
        "go-sql-driver/mysql 1.7.1, prepared",
        "go-redis 9.0.5",
        (str(BUILD / "go-load"),),
        "PATH=/usr/lib/go-1.19/bin:$PATH GOROOT=/usr/lib/go-1.19 GOTOOLCHAIN=local "
        "go build -o $BUILD/go-load .",
        parallel="goroutines",
    ),
    "java": Language(
        "Java",
        "MariaDB Connector/J 3.3.4, prepared",
        "Jedis 5.1.5",
        ("java", "-cp", f"{BUILD / 'java/classes'}:{BUILD / 'java/lib'}/*", "Load"),
        "mvn -q -B org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies "
        "-DoutputDirectory=$BUILD/java/lib\n"
        "javac -d $BUILD/java/classes -cp \"$BUILD/java/lib/*\" "
        "$(find $CLIENTS/java/src/main -name '*.java') Load.java",
    ),
    "node": Language(
        "Node.js",
        "mysql2 3.6.5, prepared",
        "ioredis 5.3.2",
        ("node", _program("node/load.mjs")),
        "npm ci --silent\ncd $CLIENTS/node && HS_BUILD=$BUILD/node ./check --build",
        {"HS_CLIENT": str(BUILD / "node/out/src/index.js")},
        "tasks",
    ),
    "perl": Language(
        "Perl",
        "DBD::MariaDB 1.22, prepared (a native core)",
        "Redis 2.000",
        ("perl", f"-I{CLIENTS / 'perl/lib'}", _program("perl/load.pl")),
        parallel="processes",
    ),
    "php": Language(
        "PHP",
        "PDO with mysqlnd 8.2, prepared (a native core)",
        "Predis 1.1.10",
        ("php", _program("php/load.php")),
        environment={"HS_CLIENT": str(CLIENTS / "php")},
        parallel="processes",
    ),
    "python": Language(
        "Python",
        "PyMySQL 1.0.2, which prepares nothing",
        "redis-py 4.3.4",
        ("/usr/bin/python3", _program("python/load.py")),
        environment={"PYTHONPATH": str(CLIENTS / "python/src")},
    ),
    "ruby": Language(
        "Ruby",
        "mysql2 0.5.3, prepared (a native core)",
        "redis 4.8.0",
        ("/usr/bin/ruby", f"-I{CLIENTS / 'ruby/lib'}", _program("ruby/load.rb")),
    ),
    # Cargo of Debian 12 has the registry's index by single files only when it is asked for that.
    "rust": Language(
        "Rust",
        "mysql 23.0.1, prepared",
        "redis 0.22.3",
        (str(BUILD / "rust/release/load"),),
        "export PATH=/usr/bin:$PATH CARGO_HOME=$BUILD/cargo CARGO_TARGET_DIR=$BUILD/rust\n"
        "RUSTC_BOOTSTRAP=1 cargo build -q -Z sparse-registry --locked --release",
    ),
}
