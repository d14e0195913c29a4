"""A build looks for hs's libraries again when packages have been installed since: ./run needs none of them, ./test all.
It is configured anew when a preset has changed since.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from server_files import REPOSITORY

PACKAGES = "/var/lib/dpkg/status"  # changes whenever a package is installed


@pytest.mark.parametrize("lacks_a_library", [True, False])
def test_a_build_without_hs_depends_on_what_is_installed(tmp_path: Path, lacks_a_library: bool) -> None:
    disabled = f"-DCMAKE_DISABLE_FIND_PACKAGE_fmt={'ON' if lacks_a_library else 'OFF'}"
    command = ["cmake", "-G", "Ninja", "-S", str(REPOSITORY), "-B", str(tmp_path), disabled]
    subprocess.run(command, check=True, capture_output=True)
    assert (PACKAGES in (tmp_path / "build.ninja").read_text()) is lacks_a_library


def test_a_changed_preset_is_what_a_build_goes_by(tmp_path: Path) -> None:
    (tmp_path / "build").mkdir()
    (tmp_path / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.25)\nproject(small NONE)\n")
    lib = REPOSITORY / "scripts" / "lib"
    script = f"repository={tmp_path}; command_prefix=(); . {lib}/messages.sh; . {lib}/build.sh; configure_preset dev"

    def configured_with(value: str) -> bool:
        preset = {"name": "dev", "generator": "Ninja", "binaryDir": "build/dev", "cacheVariables": {"SET": value}}
        (tmp_path / "CMakePresets.json").write_text(json.dumps({"version": 6, "configurePresets": [preset]}))
        subprocess.run(["bash", "-euc", script], check=True, capture_output=True)
        return f"SET:UNINITIALIZED={value}" in (tmp_path / "build" / "dev" / "CMakeCache.txt").read_text()

    assert configured_with("one")
    assert configured_with("two")
