"""One version, wherever it is written."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

PLACES = {
    "CMakeLists.txt": r"project\(handlersocket2 VERSION (\S+)",
    "clients/c/CMakeLists.txt": r"project\(handlersocket2 VERSION (\S+)",
    "clients/c/include/handlersocket2.h": r'HS_VERSION "(.*)"',
    "clients/go/options.go": r'const Version = "(.*)"',
    "clients/java/pom.xml": r"<version>(.*)</version>",
    "clients/java/src/main/java/org/handlersocket2/Version.java": r'NUMBER = "(.*)"',
    "clients/node/package.json": r'"version": "(.*)"',
    "clients/node/src/options.ts": r'VERSION = "(.*)"',
    "clients/perl/lib/HandlerSocket2.pm": r"VERSION = '(.*)'",
    "clients/python/pyproject.toml": r'version = "(.*)"',
    "clients/python/src/handlersocket2/__init__.py": r'__version__ = "(.*)"',
    "clients/ruby/lib/handlersocket2/version.rb": r'VERSION = "(.*)"',
    "clients/rust/Cargo.toml": r'version = "(.*)"',
}


def _version(file: str, pattern: str) -> str:
    found = re.search(pattern, (ROOT / file).read_text(encoding="utf-8"))
    assert found is not None, file
    return found[1]


@pytest.mark.parametrize("file", PLACES)
def test_a_version_is_that_of_the_changelog(file: str) -> None:
    expected = _version("CHANGELOG.md", r"## \[(\d+\.\d+\.\d+)\]")
    if file.endswith(".pm"):  # Perl's form: three digits behind the point for each number
        major, minor, patch = map(int, expected.split("."))
        expected = f"{major}.{minor:03}" + (f"{patch:03}" if patch else "")
    assert _version(file, PLACES[file]) == expected
