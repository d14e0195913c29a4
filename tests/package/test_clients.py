"""The packages of the clients, on a bare Debian: each reads a row with what its package brings along."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import package_file
from machine import Machine

C = r"""
#include <handlersocket2.h>
#include <stdio.h>

int main(void) {
  hs_error error = {0};
  hs_client *client = hs_connect("hs://127.0.0.1:9998", &error);
  const char *columns[] = {"name"};
  hs_table *table = client ? hs_table_new(client, "shop.user", NULL, columns, 1, 0, &error) : NULL;
  hs_reply *reply = hs_reply_new();
  hs_value key = hs_text("1");
  if (!table || !reply || hs_get(table, &key, 1, reply, &error) != 0) {
    fprintf(stderr, "%s\n", error.text);
    return 1;
  }
  hs_value name = hs_reply_value(reply, 0, 0);
  printf("%.*s\n", (int)name.len, name.data);
  return 0;
}
"""

CPP = r"""
#include <handlersocket2.hpp>
#include <iostream>

int main() {
  hs::Client client("hs://127.0.0.1:9998");
  auto row = client.table("shop.user", {"name"}).get({1});
  std::cout << row->get<std::string>("name") << "\n";
}
"""

CMAKE = """
cmake_minimum_required(VERSION 3.25)
project(first LANGUAGES CXX)
find_package(handlersocket2 2 REQUIRED)
add_executable(first first.cc)
target_link_libraries(first handlersocket2::cpp)
"""

PROGRAMS = {
    "libhandlersocket2-perl": (
        "perl -w",
        "use HandlerSocket2; my $db = HandlerSocket2->connect('hs://127.0.0.1:9998');"
        "print $db->table('shop.user', columns => ['name'])->get(1)->{name}, qq(\\n);",
    ),
    "php-handlersocket2": (
        "php",
        "<?php require 'HandlerSocket2/autoload.php';"
        "$db = HandlerSocket2\\Client::connect('hs://127.0.0.1:9998');"
        "echo $db->table('shop.user', ['name'])->get(1)['name'], PHP_EOL;",
    ),
    "python3-handlersocket2": (
        "python3",
        "import handlersocket2\n"
        "print(handlersocket2.connect('hs://127.0.0.1:9998').table('shop.user', ['name']).get(1)['name'])\n",
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_client_reads_a_row_and_is_purged(machine: Machine, package: Path, name: str) -> None:
    machine.install(package)
    machine.install(package_file(name))
    # Without the folders that it shares with packages that it has brought along.
    brought = {path for path in machine.sh(f"dpkg -L {name}").splitlines() if "handlersocket" in path.lower()}
    interpreter, program = PROGRAMS[name]
    assert machine.sh(interpreter, stdin=program) == "one\n"
    machine.apt(f"purge {name}")
    assert brought and not brought & machine.files(), "what the package brought is gone with it"


def test_programs_are_built_against_the_libraries(machine: Machine, package: Path) -> None:
    machine.install(package, package_file("libhandlersocket2-2"), package_file("libhandlersocket2-dev"))
    tools = "gcc g++ cmake make pkg-config"
    machine.fetch(f"--no-install-recommends {tools}")
    machine.apt(f"install --no-install-recommends {tools}")
    machine.sh("mkdir /root/first")
    for name, text in {"first.c": C, "first.cc": CPP, "CMakeLists.txt": CMAKE}.items():
        (machine.root / "root/first" / name).write_text(text)
    build = "cd /root/first; flags=$(pkg-config --cflags --libs handlersocket2);"
    assert machine.sh(f"{build} cc first.c $flags -o c && ./c") == "one\n"
    assert machine.sh(f"{build} c++ -std=c++17 first.cc $flags -o cpp && ./cpp") == "one\n"
    machine.sh("cd /root/first && cmake -B build && cmake --build build")
    assert machine.sh("/root/first/build/first") == "one\n"
    machine.apt("remove libhandlersocket2-dev")
    assert machine.sh("/root/first/c") == "one\n", "the shared library is all that a program needs to run"
