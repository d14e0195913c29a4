"""A short run of the fuzzer on a real server; fuzz_server.py runs longer."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

from fuzz_server import VARIABLES, Fuzz  # noqa: E402
from private_server import PrivateServer  # noqa: E402

SECONDS = 7


@pytest.mark.parametrize("administrator", [False, True], ids=["clients alone", "amid SQL"])
def test_any_bytes_leave_the_server_and_its_tables_in_order(administrator: bool) -> None:
    seed = 1 + administrator
    print(f"seed {seed}")
    with PrivateServer(variables=VARIABLES) as server:
        Fuzz(server, seed, administrator).run(SECONDS)
        assert server.stop() == 0
