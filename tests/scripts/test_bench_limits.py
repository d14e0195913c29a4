"""The benchmark's goals beside their floors, from results that were made up."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench import (
    batches,
    floors,
    goal,
    huge_pages,
    limits,
    limits_goals,
    limits_page,
    lookups,
    options,
    page,
    settings,
    size,
    writes,
)
from bench.figures import Spread
from bench.goal import Bound, Goal
from bench.results import Results
from test_bench import ABOUT, a_measurement


def add(results: Results, section: str, case: str, target: str, *, cpu: float, rate: float) -> None:
    """The same figure in two rounds."""
    if section not in results.sections:
        results.begin(section, {**ABOUT, "cold_rows": 4000})
    for number in (1, 2):
        results.add(section, a_measurement(case, target, number, cpu, rate))


@pytest.fixture
def results(tmp_path: Path) -> Results:
    made = Results.load(tmp_path / "results.json")
    name = lookups.shape_name(100, 1)
    add(made, "lookups", name, "null", cpu=4.0, rate=1)
    add(made, "lookups", name, "ours", cpu=5.4, rate=1)
    add(made, "lookups", lookups.IN_PROCESS, "floor", cpu=1.0, rate=1)
    deep = lookups.shape_name(32, 32)
    add(made, "lookups", deep, "null", cpu=0.2, rate=1)
    add(made, "lookups", deep, "ours", cpu=1.5, rate=1)
    add(made, "lookups", deep, floors.INSIDE, cpu=1.44, rate=1)
    add(made, "ranges", lookups.PIPELINED, "ours", cpu=150, rate=1)  # a hundredth for a row
    add(made, "ranges", lookups.PIPELINED, "null", cpu=30, rate=1)
    add(made, "ranges", "IN 100", "ours", cpu=140, rate=1)
    for section in ("writes", "slow"):
        rate = 1000 if section == "writes" else 100
        one, many = (writes.case_name("insert", "on", count) for count in (1, 30))
        add(made, section, one, "ours", cpu=1, rate=rate)
        add(made, section, many, "ours", cpu=1, rate=rate * 24)
        add(made, section, many, "ours default", cpu=1, rate=rate * 12)
        add(made, section, many, "sql prepared", cpu=1, rate=rate * 5)
        add(made, section, many, "sql text", cpu=1, rate=rate * 6)
        inside = rate * (25 if section == "writes" else 27)
        add(made, section, many, floors.INSIDE, cpu=1, rate=inside)
    made.note("slow", "sync_delay_ms", 0.25)
    name = limits.in_process_name("insert")
    add(made, "limits", name, "floor", cpu=6.0, rate=1)
    return made


def by_name(results: Results) -> dict[str, Goal]:
    return {each.what: each for each in limits_goals.limits_goals(results)}


def test_a_lookup_is_held_against_the_sum_of_its_floors(results: Results) -> None:
    found = by_name(results)["CPU for a lookup, 100 connections, depth 1"]
    assert found.measured is not None
    assert found.measured.median == pytest.approx(5.4 / (4 + 1))
    assert found.held is not None
    assert found.held.floor == Spread(5.0, 5.0, 5.0)
    assert found.reached is True


def test_the_floors_in_one_process_say_what_is_possible_beside_their_sum(results: Results) -> None:
    found = by_name(results)["CPU for a lookup, 32 connections, depth 32"]
    assert found.reached is False
    assert found.bound is not None
    assert found.bound.ratio is not None
    assert found.bound.ratio.median == pytest.approx(1.44 / (0.2 + 1))
    assert found.closeness == pytest.approx(1.44 / 1.5)


def test_rows_by_one_request_are_held_against_the_floors_of_as_many_rows(results: Results) -> None:
    found = by_name(results)["rows per CPU second: IN with 100 keys, of pipelined finds"]
    assert found.measured is not None
    assert found.measured.median == pytest.approx(150 / 140)
    assert found.bound is not None
    assert found.bound.ratio is not None
    assert found.bound.ratio.median == pytest.approx(1.5 / (0.3 + 1))
    assert found.closeness == pytest.approx((150 / 140) / (1.5 / 1.3))


def test_durable_writes_are_held_against_the_time_of_one_commit(results: Results) -> None:
    head = "inserts per second, 30 connections, one write thread: "
    found = by_name(results)[head + "of connections ÷ time of one commit"]
    assert found.measured == Spread(0.8, 0.8, 0.8)
    assert found.held is not None
    assert found.held.floor == Spread(30_000, 30_000, 30_000)
    assert found.bound is not None
    assert found.bound.ratio is not None
    assert found.bound.ratio.median == pytest.approx(25 / 30)
    assert found.reached is False
    assert found.closeness == pytest.approx(24 / 25)


def test_the_same_writes_are_held_against_the_faster_sql(results: Results) -> None:
    found = by_name(results)
    head = "inserts per second, 30 connections, "
    assert found[head + "one write thread: of SQL's"].measured == Spread(4, 4, 4)
    default = found[head + "write threads by default: of SQL's"]
    assert default.reached is False
    assert default.closeness is None  # SQL's three times are below the null server inside


def test_a_slower_disk_has_goals_of_its_own(results: Results) -> None:
    found = by_name(results)
    head = "syncs 0.25 ms slower: inserts per second, 30 connections, one write thread: "
    slower = found[head + "of connections ÷ time of one commit"]
    assert slower.held is not None
    assert slower.held.floor == Spread(3000, 3000, 3000)
    # There the null server inside reaches more than the goal.
    assert slower.reached is False
    assert slower.closeness is None


@pytest.mark.parametrize(
    ("limit", "at_most", "measured", "bound", "closeness"),
    [
        (0.85, False, 0.75, 0.80, 0.75 / 0.80),
        (0.85, False, 0.75, 0.90, None),  # the floor allows it
        (0.85, False, 0.86, 0.80, None),  # it is reached
        (2.5, True, 3.0, 2.7, 2.7 / 3.0),
        (2.5, True, 3.0, 2.4, None),
        (None, True, 3.0, 2.7, None),
    ],
)
def test_a_goal_that_a_floor_forbids_says_how_close_it_comes(
    limit: float | None, at_most: bool, measured: float, bound: float, closeness: float | None
) -> None:
    spread, best = (Spread(value, value, value) for value in (measured, bound))
    made = goal.Goal("", limit, spread, at_most=at_most, bound=Bound("floors", best))
    assert made.closeness == closeness


def test_the_page_has_the_limits_with_their_floors(results: Results) -> None:
    text = page.text(results, set())
    assert "[limits](#limits)" in text
    part = text.partition("## Limits")[2].partition("## Machine")[0]
    assert (
        "| CPU for a lookup, 100 connections, depth 1 | ≤ 1.1 "
        "| null server + handler calls in process: 5.00 µs | 5.40 µs | 1.08 | yes |" in part
    )
    assert (
        "| inserts, 30 connections, one write thread | 24,000 | 30,000 "
        "| 0.80: no: 0.83 is the best by null server inside, with handler calls; 96 % of it |" in part
    )
    assert "| 25,000 | 0.96 | 6,000 | 4.00: yes |" in part
    assert "| syncs 0.25 ms slower: inserts, 30 connections, one write thread | 2,400 " in part
    assert "6.00 µs for an insert" in part
    assert "huge pages" not in part
    assert "{" not in part


def test_limits_that_were_not_measured_are_left_out(results: Results) -> None:
    del results.sections["limits"]
    text = page.text(results, set())
    assert "#limits" not in text
    assert "## Limits" not in text
    assert "not measured" in page.goals_text(results)


def test_huge_pages_are_shown_or_said_to_be_missing(results: Results) -> None:
    name = size.pages_name(1_000_000)
    add(results, "size", name, "ours again", cpu=2.0, rate=1)
    assert "could not reserve huge pages" in limits_page.text(results)
    add(results, "size", name, "ours large pages", cpu=1.8, rate=1)
    text = limits_page.text(results)
    assert "could not reserve" not in text
    assert "| 1,000,000 rows | 2.00 | 1.80 | – |" in text
    assert "| CPU for a lookup with 1,000,000 rows, large_pages: of those without | – |" in text


def test_each_server_of_the_limits_has_what_its_name_says() -> None:
    parsed = options.parse([])
    cold = settings.Setting.of("ours-cold", parsed)
    assert cold.rows == parsed.cold_rows
    assert not cold.pinned
    assert int(str(cold.variables["innodb_buffer_pool_size"])) < 32 * parsed.cold_rows
    assert settings.Setting.of("ours-nospin", parsed).variables["handlersocket_spin_us"] == 0
    again, huge, thp = (
        settings.Setting.of(name, parsed) for name in ("ours-again", "ours-huge", "ours-thp")
    )
    assert {each.directory for each in (again, huge, thp)} == {"ours"}
    assert {each.rows for each in (again, huge, thp)} == {0}  # they have the rows of ours
    assert huge.variables == {**again.variables, "large_pages": True}
    assert "hugetlb" in thp.environment["GLIBC_TUNABLES"]
    threads = settings.Setting.of("stock-threads2", parsed)
    assert (threads.plugin, threads.variables["handlersocket_threads"]) == ("stock", 2)
    with pytest.raises(ValueError, match="ours-typo"):
        settings.Setting.of("ours-typo", parsed)


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine with 10 huge pages of 2 MiB, 4 of them free. Returns the file with their number."""
    memory = "HugePages_Total:      10\nHugePages_Free:        4\nHugepagesize:       2048 kB\n"
    (tmp_path / "meminfo").write_text(memory)
    count = tmp_path / "nr_hugepages"
    count.write_text("10\n")
    monkeypatch.setattr(huge_pages, "MEMORY", tmp_path / "meminfo")
    monkeypatch.setattr(huge_pages, "COUNT", count)
    return count


def test_huge_pages_are_reserved_for_a_while_and_given_back(machine: Path) -> None:
    with huge_pages.reserved(8 * 2**20) as there:
        assert there
        assert machine.read_text() == "10\n"  # four were free
    with huge_pages.reserved(9 * 2**20) as there:
        assert not there  # the kernel found no room for a fifth
        assert machine.read_text() == "11\n"
    assert machine.read_text() == "10\n"


def test_a_machine_without_huge_pages_says_so(machine: Path) -> None:
    machine.unlink()
    with huge_pages.reserved(2**20) as there:
        assert not there
    assert not machine.exists()


def test_what_is_measured_has_a_name_that_the_goals_look_for() -> None:
    parsed = options.parse([])
    names = {case.name for case in limits.cases(parsed)}
    for mixed in (False, True):
        for shape in batches.SHAPES:
            assert batches.name(mixed, *shape) in names
    assert {limits.cold_name(share) for share in limits.COLD_SHARES} <= names
    assert limits.ALONE in names
