"""The benchmark's section on accounts, counters and TLS, from results that were made up."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from bench import certificate, cost, cost_goals, lookups, machine, options, page, processes, settings
from bench.figures import Spread
from bench.goal import Goal
from bench.load import Place, command
from bench.results import Results
from bench.run import Run
from test_bench import ABOUT, a_measurement

CPU = {
    cost.PLAIN: 10.0,
    cost.ACCOUNT: 10.2,
    cost.UNCOUNTED_TARGET: 9.6,
    cost.TLS: 13.0,
    "redis": 20.0,
    "redis tls": 25.0,
}


@pytest.fixture
def results(tmp_path: Path) -> Results:
    made = Results.load(tmp_path / "results.json")
    made.begin("cost", ABOUT)
    for number in (1, 2):
        for case in cost.cases(uncounted=True):
            made.add("cost", a_measurement(case.name, case.target, number, CPU[case.target], 1))
    return made


def by_name(results: Results) -> dict[str, Goal]:
    return {goal.what: goal for goal in cost_goals.cost_goals(results)}


def test_each_cost_is_a_ratio_within_its_pass(results: Results) -> None:
    found = by_name(results)
    assert len(found) == 7
    for shape in cost.SHAPES:
        head = f"CPU for a lookup, {lookups.shape_name(*shape)}: "
        account = found[head + "an account with column grants, of no accounts"]
        assert account.measured is not None
        assert account.measured.median == pytest.approx(1.02)
        assert account.reached is True
        counters = found[head + "with counters and histograms, of without"]
        assert counters.measured is not None
        assert counters.measured.median == pytest.approx(10 / 9.6)
        assert counters.reached is False
        assert counters.held is not None
        assert counters.held.ours == Spread(10, 10, 10)
    assert found[head + "over TLS, of plain"].reached is False  # 1.3 at 32 × 32


def test_tls_is_held_against_what_it_costs_redis(results: Results) -> None:
    head = f"CPU for a lookup, {lookups.shape_name(100, 1)}: over TLS, of plain"
    found = by_name(results)
    assert found[head].limit is None
    beside = found[head + ", of that ratio of Redis"]
    assert beside.measured is not None
    assert beside.measured.median == pytest.approx(1.3 / 1.25)
    assert beside.reached is False
    assert beside.held is not None
    assert beside.held.floor == Spread(1.25, 1.25, 1.25)


def test_the_page_has_the_section_with_the_memory_of_idle_connections(results: Results) -> None:
    results.note("cost", "idle_connections", 12_000)
    results.note("cost", "idle_kib", 17.25)
    text = page.text(results, set())
    assert "[accounts, counters, TLS](#accounts-counters-tls)" in text
    part = text.partition("## Accounts, counters, TLS")[2].partition("## Machine")[0]
    assert "12,000 idle TLS connections took 17.2 KiB" in part
    assert "| Redis: 1.25 × plain | 1.30 × plain | 1.04 | **no** |" in part
    assert "HandlerSocket 2, without counters" in part
    assert "{" not in part


def test_what_was_not_measured_is_left_out(results: Results) -> None:
    del results.sections["cost"]
    assert "accounts-counters-tls" not in page.text(results, set())
    assert all(goal.measured is None for goal in cost_goals.cost_goals(results))


def test_without_the_other_build_the_rest_is_measured() -> None:
    all_cases, fewer = cost.cases(uncounted=True), cost.cases(uncounted=False)
    assert {case.target for case in all_cases} - {case.target for case in fewer} == {
        cost.UNCOUNTED_TARGET
    }


def test_each_target_comes_at_every_place_and_tls_now_and_then() -> None:
    found = cost.cases(uncounted=True)
    assert sorted(map(repr, cost.in_turns(found, 1))) == sorted(map(repr, found))
    without_tls = [cost.in_turns(found, number) for number in (2, 3, 4, 6, 7, 8)]
    for place in range(3):
        assert {turn[place].target for turn in without_tls} == {
            cost.PLAIN,
            cost.ACCOUNT,
            cost.UNCOUNTED_TARGET,
        }
        assert all(turn[place].name == turn[0].name for turn in without_tls)


def test_measurements_are_short_and_many(tmp_path: Path) -> None:
    parsed = options.parse([])
    brief = cost.briefly(Run(parsed, None, Results.load(tmp_path / "none.json")))  # type: ignore[arg-type]
    assert brief.options.seconds == cost.SECONDS < parsed.seconds
    assert brief.options.rounds == parsed.rounds


def test_hs_bench_is_told_of_accounts_and_tls() -> None:
    parsed = options.parse([])
    place = Place(7, 1000, tls_port=2000)
    for case in cost.cases(uncounted=True):
        words = command(case, place, parsed)
        assert ("--tls" in words) == ("tls" in case.target)
        assert ("--user" in words) == (case.target == cost.ACCOUNT)
        assert words[words.index("--port") + 1] == ("2000" if case.tls else "1000")
        assert words[words.index("--target") + 1] == (
            "redis" if case.target.startswith("redis") else "hs"
        )
        # All have the same warm-up, or the first ones behind a new plugin would be dearer.
        assert words[words.index("--warm-up") + 1] == "20000"


def test_the_server_of_the_section_has_a_certificate_and_changes() -> None:
    setting = settings.Setting.of(cost.SERVER, options.parse([]))
    assert setting.changes
    assert setting.variables["ssl_cert"] == certificate.CERTIFICATE
    assert not settings.Setting.of("ours", options.parse([])).changes
    assert "--tls-port" in processes.redis_command(1, Path("/d"), 2)
    assert "--tls-port" not in processes.redis_command(1, Path("/d"))


def test_a_certificate_is_made_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(certificate, "CERTIFICATE", tmp_path / "a/certificate.pem")
    monkeypatch.setattr(certificate, "KEY", tmp_path / "a/key.pem")
    certificate.make()
    made = certificate.CERTIFICATE.read_text()
    assert "BEGIN CERTIFICATE" in made
    certificate.make()
    assert certificate.CERTIFICATE.read_text() == made


def test_the_memory_of_a_process_is_known() -> None:
    assert 1_000 < machine.resident_kib(os.getpid()) < 10_000_000
