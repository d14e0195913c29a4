"""What ./run bench --server makes of figures."""

from __future__ import annotations

import argparse

import bench_servers
import pytest
from bench_servers import LOADS, SERVERS


def figures(rate: float) -> dict[str, object]:
    return {"per_second": rate, "server_cpu_us": 1e6 / rate, "errors": 0}


FOUND = {
    (name, load): [figures(1000.0 * (1 + place) * (1 if load.is_sql else factor)) for factor in (3, 4, 5)]
    for place, name in enumerate(SERVERS)
    for load in LOADS
}
PLACES = {name: {"version": f"version of {name}"} for name in SERVERS}
OPTIONS = argparse.Namespace(rounds=3, seconds=1.0, rows=1_000_000)


def test_each_server_has_a_column_and_each_load_a_line() -> None:
    made = bench_servers.tables(FOUND, SERVERS)
    rates = made["rates"].splitlines()
    assert rates[0] == "|  | mariadb-10.11 | mariadb-11.8 | mysql-9.7 |"
    assert rates[2] == f"| {LOADS[0].what} | 4,000 (3,500–4,500) | 8,000 (7,000–9,000) | 12,000 (10,500–13,500) |"
    assert len(rates) == len(made["costs"].splitlines()) == 2 + len(LOADS)
    assert made["ratios"].splitlines()[2] == f"| {LOADS[0].what} |" + " 4.00 (3.50–4.50) |" * 3


def test_one_round_has_no_middle_half() -> None:
    assert bench_servers.spread([2.0], ".1f") == "2.0 (2.0–2.0)"


def test_the_page_names_what_was_measured() -> None:
    page = bench_servers.page(FOUND, PLACES, OPTIONS)
    for name in SERVERS:
        assert f"{name} is version of {name}" in page
    assert "medians of\n3 rounds of 1 s" in page


def test_a_busy_machine_is_not_measured(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(bench_servers.machine, "too_busy", lambda limit: "the machine is busy")
    assert bench_servers.main(["--server", "all"]) == 1
    assert "the machine is busy; --force measures all the same" in capsys.readouterr().err
