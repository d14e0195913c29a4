"""The benchmark's page, statistics and goals, from results that were made up."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import signal
import pytest
from bench import __main__ as program
from bench import figures, goals, lookups, markdown, options, page, size, writes
from bench.figures import Spread
from bench.load import Case, Measurement, Place, command
from bench.results import Results
from server_files import ServerError

ABOUT: dict[str, Any] = {
    "date": "2026-01-02",
    "revision": "abc1234",
    "machine": {"Processor": "one"},
    "versions": {"MariaDB": "10.11"},
    "variables": {"innodb_buffer_pool_size": "1G"},
    "binary_log": {"log_bin": "binlog"},
    "rows": 1000,
    "rounds": 2,
    "seconds": 1,
}


def a_measurement(case: str, target: str, number: int, cpu: float, rate: float) -> Measurement:
    latency = {"p50": 10.0, "p90": 15.0, "p99": 20.0, "p99.9": 30.0}
    return Measurement(
        case,
        target,
        100,
        1,
        number,
        {
            "per_second": rate,
            "server_cpu_us": cpu,
            "server_cpu_us_per_row": cpu / 100,
            "server_cpu_seconds": 0.5,
            "seconds": 1.0,
            "latency_us": latency,
            "percentiles": [[50.0, 10.0], [99.0, 20.0]],
            "rate": 5.0,
            "errors": 0,
        },
        ["taskset", "-c", "1", "hs-bench", "--target", "hs", "--port", "1234", "--json"],
        0.01 * number,
        0.5,
    )


@pytest.fixture
def results(tmp_path: Path) -> Results:
    made = Results.load(tmp_path / "results.json")
    made.begin("lookups", ABOUT)
    for number, cpu in ((1, 5.0), (2, 7.0)):
        name = lookups.shape_name(100, 1)
        made.add("lookups", a_measurement(name, "null", number, cpu - 1, 1000))
        made.add("lookups", a_measurement(name, "ours", number, cpu, 1000))
        made.add("lookups", a_measurement(name, "memcached", number, cpu * 2, 1000))
    made.end("lookups")
    made.begin("size", ABOUT)
    for rows, cpu in ((1_000_000, 1.0), (10_000_000, 1.25)):
        for workload in ("lookups", "inserts"):
            name = size.case_name(workload, rows)
            made.add("size", a_measurement(name, "ours", 1, cpu, 2000))
    return made


def test_results_are_kept_in_the_file_and_replaced_by_section(results: Results) -> None:
    again = Results.load(results.path)
    assert again.measurements("lookups") == results.measurements("lookups")
    again.begin("lookups", ABOUT)
    assert Results.load(results.path).measurements("lookups") == []
    assert len(Results.load(results.path).measurements("size")) == 4


def test_a_file_of_something_else_is_refused(tmp_path: Path) -> None:
    for content in ("[]", '{"version": 0, "sections": {}}', "{"):
        (tmp_path / "results.json").write_text(content)
        with pytest.raises(ServerError, match=r"results\.json"):
            Results.load(tmp_path / "results.json")


def test_a_ratio_is_the_median_of_the_rounds_ratios(results: Results) -> None:
    found = figures.groups(results, "lookups")
    name = lookups.shape_name(100, 1)
    measured = figures.ratio(found[name, "ours"], found[name, "null"], figures.cpu)
    assert measured is not None
    assert measured.median == (5 / 4 + 7 / 6) / 2
    assert figures.ratio(found[name, "ours"], None, figures.cpu) is None


def test_a_spread_is_the_middle_half_whatever_the_worst_round_was() -> None:
    assert Spread.of([3, 100, 1, 4, 2]) == Spread(3, 2, 4)
    assert Spread.of([7]) == Spread(7, 7, 7)


def test_goals_are_reached_missed_or_not_measured(results: Results) -> None:
    answers = {goal.what: goal.reached for goal in goals.goals(results)}
    head = "CPU for a lookup, 100 connections, depth 1: "
    assert answers[head + "of the null server's"] is False
    assert answers[head + "memcached's of ours"] is True
    assert answers[head + "Redis's of ours"] is None
    what = "lookups per CPU second with 10,000,000 rows, of those with 1,000,000"
    assert answers[what] is True


def test_a_goal_at_its_limit_is_reached_unless_it_must_be_passed() -> None:
    exactly = Spread(1, 1, 1)
    assert goals.Goal("", 1, exactly).reached
    assert goals.Goal("", 1, exactly, at_most=True).reached
    assert not goals.Goal("", 1, exactly, strict=True).reached


def test_the_page_says_what_was_measured_and_what_was_not(results: Results) -> None:
    text = page.text(results, {"lookups"})
    assert "| **HandlerSocket 2** | 1,000 | 6.00 (5.50–6.50) | 10.0 | 20.0 | 30.0 | 0 |" in text
    assert "plots/lookups.svg" in text
    assert "plots/writes.svg" not in text
    assert "| 1,000,000 rows | 2,000 (50 %) | – | – |  |" in text
    assert "size (interrupted)" in text
    assert f"*{markdown.NOTHING}*" in text
    assert "--port PORT" in text
    assert "{" not in text


def test_numbers_keep_three_digits() -> None:
    assert [markdown.number(value) for value in (0.1234, 12.34, 123.4, 1234567.8)] == [
        "0.12",
        "12.3",
        "123",
        "1,234,568",
    ]


def test_the_plots_are_the_same_bytes_again(results: Results, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    from bench import plots

    assert set(page.PLOTS) == set(plots.PLOTS)
    assert plots.draw(results, tmp_path / "one") == {"lookups", "size"}
    plots.draw(results, tmp_path / "two")
    for name in ("lookups", "size"):
        one, two = (tmp_path / folder / f"{name}.svg" for folder in ("one", "two"))
        assert one.read_bytes() == two.read_bytes()


def test_a_measurement_is_pinned_and_goes_to_the_right_port() -> None:
    parsed = options.parse([])
    place = Place(7, 100, 101, 102)
    name = writes.case_name("insert", "on", 1)
    insert = Case(name, "ours", 1, arguments=("--workload", "insert"), writes=True)
    words = command(insert, place, parsed)
    assert words[:2] == ["taskset", "-c"]
    assert words[words.index("--port") + 1] == "101"
    words = command(Case("", "sql prepared", 1), place, parsed)
    assert words[words.index("--port") + 1] == "102"
    assert "--prepared" in words


@pytest.mark.parametrize(
    "arguments",
    [
        ["--only", "lookups,none"],
        ["--rounds", "0"],
        ["--seconds", "nan"],
        ["--server-core", "-1"],
        ["--quick", "--page-only"],
        ["--page-only", "--no-page"],
        ["--page-only", "--results", "/nonexistent"],
        ["--build", "/nonexistent"],
        ["further"],
    ],
)
def test_wrong_options_end_with_one_sentence(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        options.parse(arguments)
    assert ended.value.code == 2
    assert capsys.readouterr().err.startswith("error: ")


def test_a_build_may_be_named_from_where_one_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "handlersocket2.so").touch()
    monkeypatch.chdir(tmp_path)
    assert options.parse(["--build", "."]).build == tmp_path


def test_a_quick_run_writes_no_page_unless_told_to(tmp_path: Path) -> None:
    assert options.parse(["--quick"]).page is None
    assert options.parse(["--quick", "--page", str(tmp_path / "page.md")]).page is not None
    assert options.parse(["--quick"]).results != options.parse([]).results


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_whatever_ends_a_run_ends_it_as_ctrl_c_does(
    number: signal.Signals, monkeypatch: pytest.MonkeyPatch
) -> None:
    def measure(_: object) -> int:
        signal.raise_signal(number)
        return 0

    monkeypatch.setattr(program, "prepare", lambda: None)
    monkeypatch.setattr(program, "measure", measure)
    ends = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = [signal.getsignal(each) for each in ends]
    try:
        # A shell starts its background jobs with SIGINT ignored, the tests among them.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        assert program.main(["--only", "lookups", "--no-page"]) == 130
    finally:
        for each, handler in zip(ends, before):
            signal.signal(each, handler)
