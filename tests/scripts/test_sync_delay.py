"""The library that makes the syncs of a server slower."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from bench.settings import sync_delay_environment

PROGRAM = r"""
import ctypes, os, resource, sys, time
file = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT, 0o600)
slack = ctypes.CDLL(None).prctl
before = slack(30)  # PR_GET_TIMERSLACK
def take(call):
    os.pwrite(file, b"x" * 4096, 0)
    begin = time.perf_counter()
    call(file)
    return time.perf_counter() - begin
def used():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime
began = used()
took = [take(call) for call in (os.fsync, os.fdatasync)]
cpu = used() - began
try:
    os.fdatasync(12345)
    error = 0
except OSError as raised:
    error = raised.errno
begin = time.perf_counter()
child = os.fork()
if child == 0:
    os._exit(int(take(os.fdatasync) >= 0.4))
_, status = os.waitpid(child, 0)
print(*took, cpu, error, os.waitstatus_to_exitcode(status), int(slack(30) == before))
"""


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library, built from its source alone."""
    built = tmp_path_factory.mktemp("sync_delay") / "hs_sync_delay.so"
    source = Path(__file__).resolve().parents[2] / "tools/sync_delay/sync_delay.cc"
    flags = ["-std=c++20", "-shared", "-fPIC", "-O2", "-fvisibility=hidden"]
    subprocess.run(["g++", *flags, str(source), "-o", str(built), "-ldl"], check=True)
    return built


def run(library: Path, delay: str, tmp_path: Path) -> list[float]:
    """The two syncs, CPU time, errno of a wrong call, the child's, and whether the slack is kept."""
    environment = {**os.environ, "LD_PRELOAD": str(library), "HS_SYNC_DELAY_MS": delay}
    command = [sys.executable, "-c", PROGRAM, str(tmp_path / "file")]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return [float(word) for word in done.stdout.split()]


def test_each_sync_is_delayed_by_a_sleep_and_nothing_else_changes(
    library: Path, tmp_path: Path
) -> None:
    fsync, fdatasync, cpu, error, child_waited, slack_kept = run(library, "400.5", tmp_path)
    assert fsync >= 0.4
    assert fdatasync >= 0.4
    assert cpu < 0.2
    assert error == 9  # EBADF, as without the library
    assert not child_waited
    assert slack_kept


@pytest.mark.parametrize("delay", ["0", "", "-9000", "9000 ms", "nan", "1e9"])
def test_what_is_no_delay_delays_nothing(library: Path, tmp_path: Path, delay: str) -> None:
    assert sum(run(library, delay, tmp_path)[:2]) < 9


def test_a_server_gets_the_library_and_the_delay_by_its_environment(tmp_path: Path) -> None:
    assert sync_delay_environment(tmp_path, 0.25) == {
        "LD_PRELOAD": str(tmp_path / "tools/sync_delay/hs_sync_delay.so"),
        "HS_SYNC_DELAY_MS": "0.25",
    }
