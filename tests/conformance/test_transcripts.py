"""Every case of every transcript against ours, ours without a database, and the stock plugin."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import differences
import pytest
import server_files
from notation import to_text
from targets import DatabaseTarget, FakeTarget, Target
from transcript import Case, Transcript, load

FILES = sorted((Path(__file__).resolve().parent / "transcripts").glob("*.txt"))
TRANSCRIPTS = [load(path) for path in FILES]
CASES = {f"{t.name}/{case.name}": (t, case) for t in TRANSCRIPTS for case in t.cases}
TARGETS = ("ours", "fake", "stock")
LISTED = differences.listed()
Replies = list[bytes | None]


def group(name: str) -> list[str]:
    """What makes a case need a server of its own."""
    transcript = CASES[name][0]
    return [str(transcript.server), str(transcript.ours), transcript.fresh and transcript.name]


def parameters() -> Iterator[object]:
    """One for each target and case, in an order that keeps servers with the same options together."""
    bugs = differences.known_open()
    for target in TARGETS:
        for name in sorted(CASES, key=group):
            reason = bugs.get((target, name))
            marks = [pytest.mark.xdist_group(target)]
            if reason:
                marks.append(pytest.mark.xfail(strict=True, reason=reason))
            if target != "fake" or not CASES[name][0].fake_reason:
                yield pytest.param(target, name, id=f"{target}:{name}", marks=marks)


@pytest.fixture(scope="session")
def targets() -> Iterator[dict[str, Target]]:
    """The three servers; each is started when its first case asks for it."""
    found: dict[str, Target] = {
        "ours": DatabaseTarget("ours", TRANSCRIPTS),
        "fake": FakeTarget(),
        "stock": DatabaseTarget("stock", TRANSCRIPTS),
    }
    yield found
    for target in found.values():
        target.close()


@pytest.mark.parametrize(("target_name", "name"), parameters())
def test_a_transcript_is_answered_byte_for_byte(
    targets: dict[str, Target], target_name: str, name: str
) -> None:
    transcript, case = CASES[name]
    target = targets[target_name]
    if reason := case.skipped.get(target_name) or target.unable(transcript):
        pytest.skip(reason)
    replies = target.play(transcript, case)
    expected = case.expected if target_name == "fake" else case.expected_on(server_files.SERVER)
    if target_name == "stock":
        check_stock(name, case, expected, replies)
    elif replies != expected:
        pytest.fail(describe(transcript, case, expected, replies), pytrace=False)


@pytest.mark.parametrize("name", [t.name for t in TRANSCRIPTS if t.fake_reason])
def test_a_transcript_has_a_reason_not_to_run_without_a_database(name: str) -> None:
    pytest.skip(next(t.fake_reason for t in TRANSCRIPTS if t.name == name))


def check_stock(name: str, case: Case, expected: Replies, replies: Replies) -> None:
    """Fails unless the differences are exactly those of the list."""
    found = differences.between(name, replies, expected)
    usual = case.expected
    allowed = [
        d
        for d in LISTED.get(name, [])
        if d.server == server_files.SERVER
        or (not d.server and expected[d.reply - 1] == usual[d.reply - 1])
    ]
    if found == allowed:
        return
    new = "\n".join(d.entry() for d in found if d not in allowed)
    gone = "\n".join(d.entry() for d in allowed if d not in found)
    pytest.fail(
        f"differences.toml does not have what the stock plugin does.\nNot listed:\n{new}\n"
        f"Listed, but not (or not so) any more:\n{gone}",
        pytrace=False,
    )


def describe(
    transcript: Transcript, case: Case, expected: Replies, replies: Replies
) -> str:
    """Expected and received, reply by reply."""
    lines = [f"{transcript.path.name}:{case.line}: {case.name}"]
    for wanted, received in zip(expected, replies, strict=True):
        lines.append(f"  expected < {'EOF' if wanted is None else to_text(wanted)}")
        if wanted != received:
            lines.append(f"  received < {'EOF' if received is None else to_text(received)}")
    return "\n".join(lines)


def test_every_listed_difference_belongs_to_a_case_that_runs_on_the_stock_plugin() -> None:
    runs = {name for name, (_, case) in CASES.items() if "stock" not in case.skipped}
    assert sorted(set(LISTED) - runs) == []


def test_every_reason_is_a_row_of_the_compatibility_page() -> None:
    documented = differences.documented_rows()
    assert {row: row in documented for row in differences.rows()} == differences.rows()


def test_every_row_of_the_compatibility_page_has_an_id_of_its_own() -> None:
    documented = differences.documented_rows()
    assert [row for row in set(documented) if documented.count(row) > 1] == []


def test_every_known_bug_belongs_to_a_case() -> None:
    bugs = differences.known_open()
    assert sorted(name for _, name in bugs if name not in CASES) == []
    assert sorted(target for target, _ in bugs if target not in TARGETS[:2]) == []


def test_every_case_that_is_kept_from_the_stock_plugin_names_a_row() -> None:
    reasons = [case.skipped["stock"] for _, case in CASES.values() if "stock" in case.skipped]
    rows = {reason.partition(":")[0] for reason in reasons}
    assert sorted(rows.difference(differences.documented_rows())) == []
