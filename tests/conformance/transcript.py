"""The transcript files: their format is described in README.md."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from notation import to_bytes

SECTIONS = ("server", "ours", "fresh", "tables", "rows", "fake", "open", "cases")
CLOSED = None  # an expected "reply": the server closes the connection

_LINE = re.compile(r"(?P<connection>[RW]\d?)(?P<kind>>>|>|\|)(?: (?P<text>.*))?")
_ON_SERVER = re.compile(r"<(?P<server>mariadb-[\d.]+) (?P<reply>.*)")
_SKIP = re.compile(r"@(?P<target>ours|fake|stock) never: (?P<reason>.+)")
_TABLE = re.compile(r"^CREATE TABLE (\w+|`[^`]+`)", re.MULTILINE)


@dataclass
class Send:
    """Bytes for one connection: R, W, or a further one such as R2; its letter is the port."""

    connection: str
    data: bytes
    half_close: bool = False  # no bytes: the client's sending side is shut


@dataclass
class Expect:
    """The next reply on the connection that was written to last; None: the server closes it."""

    reply: bytes | None
    on_server: dict[str, bytes] = field(default_factory=dict)  # where a server answers otherwise


@dataclass
class Case:
    """One named case: what is sent and expected, in order."""

    name: str
    line: int
    steps: list[Send | Expect] = field(default_factory=list)
    skipped: dict[str, str] = field(default_factory=dict)  # target: reason

    @property
    def expected(self) -> list[bytes | None]:
        """The replies of the default server, in order."""
        return [step.reply for step in self.steps if isinstance(step, Expect)]

    def expected_on(self, server: str) -> list[bytes | None]:
        """The replies of a server, in order."""
        steps = (step for step in self.steps if isinstance(step, Expect))
        return [step.on_server.get(server, step.reply) for step in steps]

    @property
    def writes(self) -> bool:
        """Whether it may change rows."""
        return any(isinstance(step, Send) and step.connection[0] == "W" for step in self.steps)


@dataclass
class Transcript:
    """One file."""

    path: Path
    server: dict[str, str] = field(default_factory=dict)  # variables of every target
    ours: dict[str, str] = field(default_factory=dict)  # variables that only ours knows
    fresh: str = ""  # why the stock plugin must have seen no other file before
    tables: str = ""
    rows: str = ""
    fake: list[str] = field(default_factory=list)  # options of the server on the fake engine
    fake_reason: str = ""  # why that server cannot take part
    open: list[bytes] = field(default_factory=list)
    cases: list[Case] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The file's name, and that of its database."""
        return self.path.stem

    @property
    def table_names(self) -> list[str]:
        """The tables that are emptied and filled again between cases."""
        return _TABLE.findall(self.tables)


class FormatError(Exception):
    """A line of a transcript that is none."""


def load(path: Path) -> Transcript:
    """Reads a file. Raises FormatError, with the line."""
    transcript = Transcript(path)
    section = ""
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
        try:
            if line != line.rstrip():
                raise ValueError("blanks at the end; write \\s")
            if line.startswith("#") or not line:
                continue
            if line.startswith("[") and line[1:-1] in SECTIONS:
                section = line[1:-1]
            else:
                _read_line(transcript, section, line, number)
        except ValueError as error:
            raise FormatError(f"{path.name}:{number}: {error}: {line}") from error
    names = [case.name for case in transcript.cases]
    if twice := {name for name in names if names.count(name) > 1}:
        raise FormatError(f"{path.name}: cases of one name: {', '.join(sorted(twice))}")
    return transcript


def _read_line(transcript: Transcript, section: str, line: str, number: int) -> None:
    if section in ("server", "ours"):
        name, equals, value = line.partition("=")
        if not equals:
            raise ValueError("not a variable")
        getattr(transcript, section)[name.strip()] = value.strip()
    elif section == "fresh":
        transcript.fresh += line
    elif section == "tables":
        transcript.tables += line + "\n"
    elif section == "rows":
        transcript.rows += line + "\n"
    elif section == "fake":
        _read_fake(transcript, line)
    elif section == "open":
        transcript.open.append(to_bytes(line) + b"\n")
    elif section == "cases":
        _read_case_line(transcript.cases, line, number)
    else:
        raise ValueError("outside of all sections")


def _read_fake(transcript: Transcript, line: str) -> None:
    word, _, rest = line.partition(" ")
    if word == "never:":
        transcript.fake_reason = rest
    elif word in ("table", "row", "now"):
        transcript.fake += [f"--{word}", rest]
    else:
        raise ValueError("neither table, row, now nor never")


def _read_case_line(cases: list[Case], line: str, number: int) -> None:
    if line.startswith("== "):
        cases.append(Case(line[3:], number))
        return
    if not cases:
        raise ValueError("before the first case")
    case = cases[-1]
    if match := _SKIP.fullmatch(line):
        case.skipped[match["target"]] = match["reason"]
    elif line == "<EOF":
        case.steps.append(Expect(CLOSED))
    elif line == "<" or line.startswith("< "):
        case.steps.append(Expect(to_bytes(line[2:])))
    elif match := _ON_SERVER.fullmatch(line):
        if not (case.steps and isinstance(step := case.steps[-1], Expect)):
            raise ValueError("not behind a reply")
        step.on_server[match["server"]] = to_bytes(match["reply"])
    elif match := _LINE.fullmatch(line):
        data = to_bytes(match["text"] or "")
        if match["kind"] == ">":
            data += b"\n"
        case.steps.append(Send(match["connection"], data, match["kind"] == "|"))
    else:
        raise ValueError("no line of a case")
