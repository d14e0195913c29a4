"""A build looks for hs's libraries again when packages have been installed since: ./run needs none of them, ./test all."""

from __future__ import annotations

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
