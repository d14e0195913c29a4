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
    "clients/perl/Changes": r"(\d\S+)",
    "clients/php/check": r"COMPOSER_ROOT_VERSION=(\S+)",
    "clients/python/pyproject.toml": r'version = "(.*)"',
    "clients/python/src/handlersocket2/__init__.py": r'__version__ = "(.*)"',
    "clients/ruby/lib/handlersocket2/version.rb": r'VERSION = "(.*)"',
    "clients/rust/Cargo.toml": r'version = "(.*)"',
    "debian/changelog": r"handlersocket2 \((.*)\)",
}
PERL_MODULES = sorted(str(path.relative_to(ROOT)) for path in ROOT.glob("clients/perl/lib/**/*.pm"))
PLACES |= dict.fromkeys(PERL_MODULES, r"VERSION = '(.*)'")
# Names of files and of packages in places that are read as text: each contains the version.
NAMES = {
    "clients/go/README.md": "handlersocket2.org/client/v2@v{version}",
    "clients/java/README.md": "handlersocket2-{version}.jar",
    "clients/java/check": "handlersocket2-{version}.jar",
    "clients/php/check": '"handlersocket2/client": "{version}"',
}


def _version(file: str, pattern: str) -> str:
    found = re.search(pattern, (ROOT / file).read_text(encoding="utf-8"))
    assert found is not None, file
    return found[1]


def _released() -> str:
    return _version("CHANGELOG.md", r"## \[(\d+\.\d+\.\d+)\]")


@pytest.mark.parametrize("file", PLACES)
def test_a_version_is_that_of_the_changelog(file: str) -> None:
    expected = _released()
    if file.startswith("clients/perl/"):  # Perl's form: three digits behind the point for each number
        major, minor, patch = map(int, expected.split("."))
        expected = f"{major}.{minor:03}" + (f"{patch:03}" if patch else "")
    assert _version(file, PLACES[file]) == expected


@pytest.mark.parametrize("file", NAMES)
def test_a_name_has_the_version_of_the_changelog(file: str) -> None:
    assert NAMES[file].format(version=_released()) in (ROOT / file).read_text(encoding="utf-8")


def test_symbols_of_the_c_library_are_of_its_major_version() -> None:
    major = _released().split(".")[0]
    assert _version("clients/c/exports.map", r"HANDLERSOCKET2_(\d+) ") == major
