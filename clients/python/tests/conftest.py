"""The server on which live tests run; without one they are left out."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))


@pytest.fixture
def url() -> str:
    read, write = os.environ.get("HS_TEST_READ_PORT"), os.environ.get("HS_TEST_WRITE_PORT")
    if not read or not write:
        pytest.skip("HS_TEST_READ_PORT and HS_TEST_WRITE_PORT name no server")
    return f"hs://127.0.0.1:{read}/test?write_port={write}"
