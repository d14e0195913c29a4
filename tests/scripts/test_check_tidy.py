"""check_tidy.py puts files together so that clang-tidy sees each line once, and tells of it by its own file and line."""

from __future__ import annotations

import json
from pathlib import Path

import check_tidy
import pytest

COMMAND = "clang++ -I{src} -Xclang -include-pch -Xclang h.pch -Winvalid-pch -O0 -o src/base/CMakeFiles/hs_base.dir/{name}.o -c {src}/base/{name}"


@pytest.fixture
def build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A build folder that knows of two files."""
    src = tmp_path / "src"
    (src / "base").mkdir(parents=True)
    (src / "base/once.h").write_text("#pragma once\n")
    (src / "base/again.h").write_text("int again;\n")
    includes = '#include <string>\n#include "base/once.h"\n#include "base/again.h"\n'
    for name in ("a.cc", "b.cc"):
        (src / "base" / name).write_text(f"// {name}\n{includes}int {name[0]};\n")
    monkeypatch.setattr(check_tidy, "SOURCES", src)
    commands = [
        {"file": str(src / "base" / name), "command": COMMAND.format(src=src, name=name)} for name in ("a.cc", "b.cc")
    ]
    (tmp_path / "compile_commands.json").write_text(json.dumps(commands))
    return tmp_path


def test_what_a_second_include_of_means_nothing_is_read_once(build: Path) -> None:
    (batch,) = check_tidy.batches(build)
    text, _ = batch.text()
    assert text.count("#include <string>") == text.count('"base/once.h"') == 1
    assert text.count('"base/again.h"') == 2


def test_each_line_knows_its_own_place(build: Path) -> None:
    (batch,) = check_tidy.batches(build)
    text, places = batch.text()
    source, number = places[text.splitlines().index("int b;")]
    assert (source.name, number) == ("b.cc", 5)


def test_the_flags_have_no_files_and_no_precompiled_header(build: Path) -> None:
    (batch,) = check_tidy.batches(build)
    assert batch.flags == [f"-I{check_tidy.SOURCES}", "-O0"]
