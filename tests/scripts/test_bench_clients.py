"""The page on the clients, from figures that were made up; and the programs it is measured with."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import bench_clients
import pytest
from bench import clients, clients_page, machine


def one(rate: float, cpu: float = 1.0) -> dict[str, float]:
    return {"seconds": 2.0, "cpu": cpu, "lookups": 2 * rate}


def measured(ours: float, sql: float, redis: float, floor: float) -> dict[str, dict[str, float]]:
    return {"hs": one(ours), "sql": one(sql), "redis": one(redis), "floor": one(floor, 0.5)}


def results(**shapes: list[dict[str, dict[str, float]]]) -> dict[str, Any]:
    kept = {"date": "2026-01-02", "rounds": 3, "seconds": 2.0, "rows": 1000, "machine": {"A": "b"}}
    return {**kept, "languages": {"go": shapes}}


def test_a_ratio_is_the_median_of_the_ratios_within_each_round() -> None:
    rounds = [measured(200, 100, 1, 1), measured(900, 100, 1, 1), measured(30, 10, 1, 1)]
    assert clients_page.rate_ratio(rounds, "sql") == 3


def test_cpu_is_that_of_one_lookup() -> None:
    assert clients_page.cost(one(250_000, cpu=1.0)) == 2.0
    assert clients_page.cost_ratio([measured(200, 100, 50, 100)], "redis") == 4


def test_a_goal_that_is_missed_is_marked_with_what_the_socket_has() -> None:
    text = clients_page.text(results(single=[measured(150, 100, 100, 180)]))
    assert "| go-redis 9.0.5 | 100 | 5,000 µs | 1.50 | 1.50 |" in text
    assert "prepared | 100 | 5,000 µs | *1.50*, socket 1.80 | 1.50 |" in text
    assert "1 of 2 are\n  reached. 1 are missed by the bare socket" in text
    assert "The other 0 the socket reaches" in text


def test_a_goal_that_the_socket_reaches_is_marked_as_the_clients() -> None:
    text = clients_page.text(results(single=[measured(150, 100, 160, 210)]))
    assert "prepared | 100 | 5,000 µs | **1.50**, socket 2.10 | 1.50 |" in text
    assert "go-redis 9.0.5 | 160 | 3,125 µs | **0.94**, socket 1.31 | 0.94 |" in text
    assert "The other 2 the socket reaches" in text


def test_a_goal_that_is_just_reached_is_reached() -> None:
    assert list(clients_page.goals(results(single=[measured(200, 100, 200, 1)]))) == ["reached"] * 2


def test_a_pipeline_stands_beside_single_statements_of_its_own_round_too() -> None:
    single = [measured(150, 100, 100, 180), measured(150, 50, 100, 180)]
    pipeline = [measured(1000, 900, 100, 100), measured(1000, 900, 100, 100)]
    text = clients_page.text(results(single=single, pipeline=pipeline))
    singles = "| go-sql-driver/mysql 1.7.1, 100 statements | 75.0 | 7,500 µs | 15.0 | 15.0 |"
    assert text.index("100 lookups at a time") < text.index(singles)


def test_languages_that_were_not_measured_are_named() -> None:
    text = clients_page.text(results(single=[measured(150, 100, 100, 180)]))
    assert "- Not measured: C, C++, Java, " in text
    every = dict.fromkeys(clients.LANGUAGES, {"single": [measured(1, 1, 1, 1)]})
    assert "Not measured" not in clients_page.text({**results(), "languages": every})


def test_each_language_has_a_program() -> None:
    folders = {path.name for path in clients.PROGRAMS.iterdir() if path.is_dir()}
    assert folders == set(clients.LANGUAGES)


def test_the_page_alone_is_made_of_what_was_kept(tmp_path: Path) -> None:
    kept = results(pipeline=[measured(1000, 100, 100, 100)])
    (tmp_path / "page.json").write_text(json.dumps(kept), encoding="utf-8")
    page = tmp_path / "page.md"
    assert bench_clients.main(["--page-only", "--page", str(page)]) == 0
    assert page.read_text(encoding="utf-8") == clients_page.text(kept)


def test_a_page_of_nothing_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "page.md"
    assert bench_clients.main(["--page-only", "--page", str(page)]) == 1
    assert "nothing has been measured" in capsys.readouterr().err
    assert not page.exists()


def test_a_busy_machine_is_not_measured(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(machine, "busy", lambda _: 0.8)
    assert bench_clients.main(["--page", str(tmp_path / "page.md")]) == 1
    assert "other processes use 80 % of a core" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("program", "why"),
    [
        ("echo broken >&2; exit 3", "broken"),
        ('echo \'{"seconds": 1, "cpu": 1, "lookups": 9, "wrong": 1}\'', "wrong answers"),
    ],
)
def test_a_program_that_fails_or_has_wrong_answers_ends_the_run(
    monkeypatch: pytest.MonkeyPatch, program: str, why: str
) -> None:
    language = clients.Language("X", "sql", "redis", ("sh", "-c", program))
    monkeypatch.setitem(clients.LANGUAGES, "x", language)
    options = bench_clients.parse([])
    with pytest.raises(bench_clients.ServerError) as raised:
        bench_clients.run("x", "hs", "single", 1, options)
    assert why in f"{raised.value} {raised.value.args}"
