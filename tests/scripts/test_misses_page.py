"""The page on rows that are not in memory, from figures that were made up."""

from __future__ import annotations

import re
from pathlib import Path

import bench_misses
import pytest
from bench import machine, misses_page

REPOSITORY = Path(__file__).resolve().parents[2]
ALONE: misses_page.Runs = {
    (target, share): [
        {"per_second": rate / (1 + share), "hits": 1 - share, "cpu": cpu, "p99": 1.5},
    ]
    for share in (0.0, 0.5)
    for target, rate, cpu in (("ours", 200.0, 5.0), ("stock", 150.0, 4.0), ("sql prepared", 50, 9))
}
BESIDE: misses_page.Runs = {
    ("stock", 0.5): [{"p50": 10.0, "p99": 20.0, "p99.9": 31.0}],
    ("ours", 0.5): [{"p50": 10.0, "p99": 21.0, "p99.9": 30.0}],
}


def test_the_summary_has_the_lead_over_sql_with_most_and_fewest_hits() -> None:
    lines = misses_page.summary(ALONE).splitlines()
    assert lines == [
        "With 100.0% hits there are 200 lookups per second, 4.00 times as many as with SQL.",
        "With 50.0% hits there are 133 lookups per second, 4.00 times as many as with SQL.",
    ]


def test_what_is_lost_is_listed_and_what_is_equal_or_won_is_not() -> None:
    assert misses_page.losses(ALONE, BESIDE).splitlines()[2:] == [
        "| CPU for a lookup, 100.0% hits | 5.0 µs | the stock plugin 4.0 µs |",
        "| CPU for a lookup, 50.0% hits | 5.0 µs | the stock plugin 4.0 µs |",
        "| p99 of cached rows, 50.0% of the others' lookups go to all rows, µs | 21"
        " | the stock plugin 20 |",
    ]


def test_a_busy_machine_gives_no_page(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    prepared = []
    monkeypatch.setattr(machine, "busy", lambda _: 0.8)
    monkeypatch.setattr(bench_misses, "prepare", lambda: prepared.append(True))
    assert bench_misses.main([]) == 1
    assert prepared == []
    assert "the machine is busy: other processes use 80 % of a core" in capsys.readouterr().err


def test_the_tables_have_ours_first() -> None:
    assert misses_page.latency_table(BESIDE).splitlines()[2].startswith("| HandlerSocket 2 |")
    assert "| SQL, prepared | 50.0% | 33 | 1.00 | 9.0 µs | 1.5 ms |" in misses_page.throughput_table(
        ALONE
    )


def test_the_page_in_the_repository_is_what_the_text_makes() -> None:
    page = (REPOSITORY / "docs/benchmarks-misses.md").read_text(encoding="utf-8")
    place = 0
    for words in re.split(r"\{[^}]+\}", misses_page.TEXT):
        found = page.find(words, place)
        assert found >= 0, words
        place = found + len(words)
