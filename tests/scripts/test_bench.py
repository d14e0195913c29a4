"""The benchmark's page, statistics and goals, from results that were made up."""

from __future__ import annotations

import re
import signal
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from bench import __main__ as program
from bench import (
    figures,
    front_ends,
    goal,
    goals,
    kept,
    lookups,
    machine,
    markdown,
    options,
    page,
    settings,
    size,
    slow,
    summary,
    writes,
)
from bench.figures import Spread
from bench.load import Case, Measurement, Place, command
from bench.machine import Usage
from bench.results import Results
from bench.run import Run
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
        ["taskset", "-c", "1", "hs", "bench", "--target", "hs", "--port", "1234", "--json"],
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


def test_what_is_kept_beside_the_page_redraws_it(results: Results, tmp_path: Path) -> None:
    rated = a_measurement("25 %", "ours", 1, 1.0, 1.0)
    without = {name: value for name, value in rated.figures.items() if name != "rate"}
    results.begin("rates", ABOUT)
    results.add("rates", rated)
    results.add("rates", replace(rated, target="stock", figures=without))
    beside = tmp_path / "page.json"
    kept.write(results, beside)
    again = kept.load(tmp_path / "none.json", tmp_path / "page.md")
    assert page.text(again, set()) == page.text(results, set())
    assert page.goals_text(again) == page.goals_text(results)
    assert again.measurements("rates")[0].figures["percentiles"] == [[50.0, 10.0], [99.0, 20.0]]
    assert options.parse(
        ["--page-only", "--results", str(tmp_path / "none.json"), "--page", str(tmp_path / "page.md")]
    ).page_only


def test_what_was_measured_here_goes_before_what_is_kept(results: Results, tmp_path: Path) -> None:
    (tmp_path / "page.json").write_text("{}")
    loaded = kept.load(results.path, tmp_path / "page.md")
    assert loaded.sections == results.sections
    with pytest.raises(ServerError, match="page.json cannot be read"):
        kept.load(tmp_path / "none.json", tmp_path / "page.md")


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


def test_a_spread_of_three_rounds_is_their_range() -> None:
    assert Spread.of([3, 9, 4]) == Spread(4, 3, 9)


def test_goals_are_reached_missed_or_not_measured(results: Results) -> None:
    answers = {each.what: each.reached for each in goals.goals(results)}
    head = "CPU for a lookup, 100 connections, depth 1"
    assert answers[head + ": memcached's of ours"] is True
    assert answers[head + ": Redis's of ours"] is None
    assert answers[head] is None  # the handler calls were not measured
    what = "lookups per CPU second with 10,000,000 rows, of those with 1,000,000"
    assert answers[what] is True


def test_a_goal_at_its_limit_is_reached_unless_it_must_be_passed() -> None:
    exactly = Spread(1, 1, 1)
    assert goal.Goal("", 1, exactly).reached
    assert goal.Goal("", 1, exactly, at_most=True).reached
    assert not goal.Goal("", 1, exactly, strict=True).reached


def test_the_page_says_what_was_measured_and_what_was_not(results: Results) -> None:
    text = page.text(results, {"lookups"})
    assert "| **HandlerSocket 2** | 1,000 | 6.00 (5.00–7.00) | 10.0 | 20.0 | 30.0 | 0 |" in text
    assert "plots/lookups.svg" in text
    assert "plots/writes.svg" not in text
    assert "| 1,000,000 rows | 2,000 (50 %) | – | – |\n" in text
    assert "size (interrupted)" in text
    assert f"*{markdown.NOTHING}*" in text
    assert "--port PORT" in text
    assert "{" not in text


def test_the_page_begins_with_the_numbers_and_with_what_is_lost(results: Results) -> None:
    name = lookups.shape_name(1, 1)
    results.add("lookups", a_measurement(name, "ours", 1, 9.0, 1000))
    results.add("lookups", a_measurement(name, "memcached", 1, 8.0, 1000))
    results.add("lookups", a_measurement(name, "redis", 1, 10.0, 1000))
    text = page.text(results, set())
    first, later = text.split("## Lookups")
    assert "one request at a time on each | **1,000** | – | – | 1,000 |" in first
    assert "| CPU for a lookup, 1 connection, µs | 9.00 | memcached 8.00 |" in first
    assert "binary log on; the stock" not in first  # not measured, so neither won nor lost
    assert later


def test_readme_gets_the_numbers_of_a_new_page(results: Results) -> None:
    readme = (options.REPOSITORY / "README.md").read_text(encoding="utf-8")
    new = summary.into(readme, results)
    assert summary.numbers(results) in new
    ours = [line for line in readme.splitlines() if line not in new.splitlines()]
    assert len(ours) == len(summary.HEADLINES)  # nothing else has changed
    assert "one request at a time on each | **1,000** | – | – | 1,000 |\n" in new


def test_more_is_not_better_where_time_is_measured() -> None:
    assert {c.more_is_better for c in summary.COMPARISONS if c.what.endswith("µs")} == {False}
    assert {c.more_is_better for c in summary.COMPARISONS if " per second" in c.what} == {True}


def test_each_comparison_and_headline_names_a_case_that_is_measured() -> None:
    """By the page of the last run: a case that no section has would never be seen as lost."""
    text = (options.REPOSITORY / "docs/benchmarks.md").read_text(encoding="utf-8")
    for each in (*summary.COMPARISONS, *summary.HEADLINES):
        assert f"| *{each.case}* |" in text


def test_what_falls_with_the_number_of_rows_is_told(results: Results) -> None:
    for rows, rate in ((size.SIZES[0], 100), (size.SIZES[-1], 50)):
        for target in ("ours", "sql prepared"):
            made = a_measurement(size.case_name("lookups", rows), target, 2, 1.0, rate)
            results.add("size", made)
    assert "With 50,000,000 rows instead of 1,000,000" in summary.weak_points(results)


def test_the_goals_are_on_a_page_of_their_own(results: Results) -> None:
    assert "| reached |" in page.goals_text(results)
    assert "| reached |" not in page.text(results, set())


def test_the_page_in_the_repository_is_what_the_template_makes() -> None:
    """A change of the template's words changes the page, too."""
    for template, path in (
        (page.TEMPLATE, options.PAGE),
        (page.GOALS_TEMPLATE, options.PAGE.with_name("benchmarks-goals.md")),
    ):
        text = path.read_text(encoding="utf-8")
        place = 0
        for words in re.split(r"\{\w+\}", template.read_text(encoding="utf-8")):
            found = text.find(words, place)
            assert found >= 0, words
            place = found + len(words)


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
    assert plots.draw(results, tmp_path / "one") == {"summary", "lookups", "size"}
    plots.draw(results, tmp_path / "two")
    for name in ("summary", "lookups", "size"):
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
        ["--page-only", "--results", "/nonexistent", "--page", "/nonexistent.md"],
        ["--build", "/nonexistent"],
        ["--only", "slow"],
        ["--sync-delay", "0"],
        ["--sync-delay", "1001"],
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


def test_slower_syncs_are_a_section_of_their_own() -> None:
    assert "slow" not in options.parse([]).only
    assert options.parse(["--sync-delay", "0.25"]).only == options.SECTIONS
    only = options.parse(["--sync-delay", "0.25", "--only", "lookups"])
    assert (only.only, only.sync_delay) == (("lookups", "slow"), 0.25)
    assert options.parse(["--quick"]).sync_delay == options.QUICK_DELAY_MS
    assert options.parse(["--quick", "--only", "writes"]).sync_delay is None


def test_only_a_slow_server_has_slower_syncs() -> None:
    parsed = options.parse(["--sync-delay", "0.25"])
    names = {case.place for case in slow.cases()}
    assert names == {"ours-binlog-slow", "ours-binlog-slow-default"}
    for name in names:
        made = settings.Setting.of(name, parsed)
        assert made.environment["HS_SYNC_DELAY_MS"] == "0.25"
        assert made.variables["sync_binlog"] == 1
        assert ("handlersocket_threads_wr" in made.variables) == ("default" not in name)
    for case in writes.cases("on", writes.LOGGED):
        assert not settings.Setting.of(case.place, parsed).environment


def test_a_slower_disk_has_its_own_section_of_the_page(results: Results) -> None:
    assert "-on-a-slower-disk" not in page.text(results, set())
    for section in ("writes", "slow"):
        results.begin(section, ABOUT)
        results.add(section, a_measurement(writes.case_name("insert", "on", 1), "ours", 1, 1, 1000))
    results.note("slow", "sync_delay_ms", 0.25)
    text = page.text(results, set())
    assert "(#durable-writes-on-a-slower-disk)" in text
    later = text.partition("## Durable writes on a slower disk")[2]
    assert "takes 0.25 ms longer" in later
    assert "takes 0.01 ms here in\nthe median, and 0.01 ms without the delay." in later
    assert "| One commit on this disk | 0.01 ms" in later


def test_a_quick_run_writes_no_page_unless_told_to(tmp_path: Path) -> None:
    assert options.parse(["--quick"]).page is None
    assert options.parse(["--quick", "--page", str(tmp_path / "page.md")]).page is not None
    assert options.parse(["--quick"]).results != options.parse([]).results


def usages(monkeypatch: pytest.MonkeyPatch, *used: float) -> None:
    """The machine's CPU seconds at each look, one second after the other."""
    seen = iter(
        Usage(float(second), total, 0.0, 0.0, 0.0) for second, total in enumerate(used)
    )
    monkeypatch.setattr(Usage, "now", staticmethod(lambda _: next(seen)))
    monkeypatch.setattr(machine.time, "sleep", lambda _: None)


def test_a_busy_machine_is_known_by_what_other_processes_use(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    usages(monkeypatch, 10.0, 11.5)
    assert machine.busy(1.0) == 1.5


@pytest.fixture
def prepared(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What a run does, instead of doing it."""
    done: list[str] = []
    monkeypatch.setattr(program, "prepare", lambda **_: None)
    monkeypatch.setattr(program, "measure", lambda _: done.append("measured") or 0)
    monkeypatch.setattr(program, "write_page", lambda _: done.append("page"))
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    return done


def test_a_busy_machine_measures_no_page(
    prepared: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(machine, "busy", lambda _: 0.8)
    assert program.main([]) == 1
    assert prepared == []
    said = capsys.readouterr().err
    assert "error: the machine is busy: other processes use 80 % of a core" in said
    assert "is kept" not in said
    assert program.main(["--force"]) == 0
    assert prepared == ["measured", "page"]


def test_a_run_without_a_page_goes_on_beside_others_and_says_so(
    prepared: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(machine, "busy", lambda _: 0.8)
    assert program.main(["--no-page"]) == 0
    assert prepared == ["measured"]
    assert "the machine is busy" in capsys.readouterr().err


def test_a_quiet_machine_is_measured_without_a_word(
    prepared: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(machine, "busy", lambda _: 0.1)
    assert program.main([]) == 0
    assert capsys.readouterr().err == ""


def test_a_section_that_was_busy_in_most_measurements_gives_no_page(
    results: Results, tmp_path: Path
) -> None:
    parsed = options.parse(["--page-only", "--results", str(results.path)])
    parsed.page = tmp_path / "page.md"
    for number in range(5):
        busy = replace(a_measurement("x", "ours", number, 1.0, 1.0), busy=True)
        results.add("size", busy)
    with pytest.raises(ServerError, match="busy with something else during size;"):
        program.write_page(parsed)
    assert not parsed.page.exists()


def test_a_run_writes_the_page_its_goals_its_plots_and_what_is_kept(
    results: Results, tmp_path: Path
) -> None:
    pytest.importorskip("matplotlib")
    (tmp_path / "docs").mkdir()
    parsed = options.parse(["--page-only", "--results", str(results.path)])
    parsed.page = tmp_path / "docs/page.md"
    program.write_page(parsed)
    written = sorted(path.name for path in (tmp_path / "docs").iterdir())
    assert written == ["page-goals.md", "page.json", "page.md", "plots"]
    assert "(plots/summary.svg)" in parsed.page.read_text(encoding="utf-8")


def test_a_measurement_that_never_was_quiet_is_marked(results: Results) -> None:
    parsed = options.parse(["--attempts", "2", "--pause", "0"])
    run = Run(parsed, None, results)  # type: ignore[arg-type]
    taken = iter(replace(a_measurement("x", "ours", 1, 1, 1), others=used) for used in (0.9, 0.5))
    run.quietest("size", lambda: next(taken), 0.15)
    last = results.measurements("size")[-1]
    assert (last.others, last.attempts, last.busy) == (0.5, 2, True)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_whatever_ends_a_run_ends_it_as_ctrl_c_does(
    number: signal.Signals, monkeypatch: pytest.MonkeyPatch
) -> None:
    def measure(_: object) -> int:
        signal.raise_signal(number)
        return 0

    monkeypatch.setattr(machine, "busy", lambda _: 0.0)
    monkeypatch.setattr(program, "prepare", lambda **_: None)
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


def test_clients_of_redis_and_memcached_have_their_own_section_of_the_page(results: Results) -> None:
    anchor = "(#clients-of-redis-and-memcached)"
    assert anchor not in page.text(results, set())
    results.begin("front_ends", ABOUT)
    for case in front_ends.cases() + front_ends.stores():
        results.add("front_ends", a_measurement(case.name, case.target, 1, 1, 1000))
    text = page.text(results, set())
    assert anchor in text
    section = text.partition("## Clients of Redis and memcached")[2].partition("\n## ")[0]
    for target in ("memcached ours", "redis ours", "redis ours unlogged", "redis always"):
        assert f"| {markdown.NAMES[target]} |" in section
    assert front_ends.MULTIGET in section


def test_both_sides_of_a_front_end_have_the_same_cases() -> None:
    for protocol in front_ends.PROTOCOLS:
        ours = [case.name for case in front_ends.cases() if case.target == front_ends.ours(protocol)]
        theirs = [case.name for case in front_ends.cases() if case.target == protocol]
        assert ours == theirs
        assert len(ours) == 1 + len(front_ends.SHAPES)


def test_front_ends_are_held_against_redis_and_memcached(results: Results) -> None:
    results.begin("front_ends", ABOUT)
    deep, store = lookups.shape_name(32, 8), front_ends.store_name(30)
    for target, cpu in (("memcached", 3.0), ("memcached ours", 2.0)):
        results.add("front_ends", a_measurement(deep, target, 1, cpu, 1))
    for target, rate in (("redis always", 100), ("redis ours", 150), ("redis ours unlogged", 300)):
        results.add("front_ends", a_measurement(store, target, 1, 1, rate))
    found = {one.what: one for one in goals.goals(results)}
    cpu = next(one for what, one in found.items() if deep in what and "memcached's" in what and "clients" in what)
    assert cpu.measured == Spread(1.5, 1.5, 1.5) and cpu.reached is False
    assert [(one.measured, one.reached) for what, one in found.items() if what.startswith(store)] == [
        (Spread(1.5, 1.5, 1.5), False),
        (Spread(3.0, 3.0, 3.0), True),
    ]
    # The disk allows 30 connections 150 a second with two syncs of 100 ms: the goal cannot be reached.
    results.note("front_ends", "sync_us", 100_000)
    logged = next(one for one in goals.goals(results) if one.what.startswith(store))
    assert logged.bound and logged.bound.ratio == Spread(1.5, 1.5, 1.5) and logged.closeness == 1


def test_the_ports_of_front_ends_are_driven_by_the_protocol_of_their_clients() -> None:
    for case in front_ends.stores():
        words = command(case, Place(1, 2, 3), options.parse([]))
        assert words[words.index("--target") + 1] == "redis"
        assert words[words.index("--port") + 1] == "3"
