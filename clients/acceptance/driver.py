"""A client's driver: a process that reads one JSON object a line and answers with one."""

from __future__ import annotations

import base64
import json
import subprocess
import threading
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parents[2]
JSON_INTEGERS = 2**53
TIMEOUT_S = 60


class ClientError(Exception):
    """An error that the client has raised; `members` are those of the driver's answer."""

    def __init__(self, members: dict[str, Any]) -> None:
        super().__init__(json.dumps(members))
        self.members = members
        self.name: str = members["class"]


def to_json(value: Any) -> Any:
    """A value as drivers read it."""
    if isinstance(value, bytes):
        return {"bytes": base64.b64encode(value).decode()}
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > JSON_INTEGERS:
        return {"integer": str(value)}
    if isinstance(value, dict):
        return {name: to_json(one) for name, one in value.items()}
    return [to_json(one) for one in value] if isinstance(value, (list, tuple)) else value


def from_json(value: Any) -> Any:
    """A value of an answer; decimals, dates and times are text."""
    if isinstance(value, list):
        return [from_json(one) for one in value]
    if not isinstance(value, dict):
        return value
    if len(value) == 1:
        kind, inner = next(iter(value.items()))
        if kind == "bytes" and isinstance(inner, str):
            return base64.b64decode(inner)
        if kind == "integer" and isinstance(inner, str):
            return int(inner)
        if kind in ("decimal", "time") and isinstance(inner, str):
            return inner
    return {name: from_json(one) for name, one in value.items()}


class Driver:
    """The driver of one language. One that gives no answer for a minute is killed."""

    def __init__(self, language: str, environment: dict[str, str]) -> None:
        program = REPOSITORY / "clients" / language / "driver"
        self._process = subprocess.Popen(
            [str(program)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
        )

    def send(self, do: str, **members: Any) -> Any:
        """The answer as it is: `{"ok": …}` or `{"error": …}`."""
        assert self._process.stdin is not None and self._process.stdout is not None
        line = json.dumps({"do": do, **to_json(members)}) + "\n"
        timer = threading.Timer(TIMEOUT_S, self._process.kill)
        timer.start()
        try:
            self._process.stdin.write(line.encode())
            self._process.stdin.flush()
            answer = self._process.stdout.readline()
        finally:
            timer.cancel()
        assert answer.endswith(b"\n"), f"the driver gave no answer to {line[:200]}"
        return json.loads(answer)

    def call(self, do: str, **members: Any) -> Any:
        """The result; ClientError when the client has raised one."""
        return result(self.send(do, **members))

    def table(self, name: str, columns: list[str] | None = None, **options: Any) -> Table:
        """A table of the client."""
        if columns is not None:
            options["columns"] = columns
        return Table(self, self.call("table", name=name, **options))

    def pipeline(self, *calls: dict[str, Any]) -> list[Any]:
        """The answers of one pipeline: results, and errors as ClientError objects."""
        answers = self.send("pipeline", calls=list(calls))
        return [outcome(answer) for answer in result(answers, decode=False)]

    def close(self) -> None:
        """Ends the process."""
        assert self._process.stdin is not None and self._process.stdout is not None
        try:
            self._process.stdin.close()
            self._process.wait(10)
        except (subprocess.TimeoutExpired, BrokenPipeError):
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()


def result(answer: dict[str, Any], *, decode: bool = True) -> Any:
    """The result in an answer; ClientError when it is an error."""
    if "error" in answer:
        raise ClientError(answer["error"])
    return from_json(answer["ok"]) if decode else answer["ok"]


def outcome(answer: dict[str, Any]) -> Any:
    """The result in an answer, or its error as a ClientError."""
    try:
        return result(answer)
    except ClientError as error:
        return error


class Table:
    """A table of the client: each call of the contract is a method with arguments by name."""

    def __init__(self, driver: Driver, number: int) -> None:
        self._driver = driver
        self._number = number

    def of(self, do: str, **arguments: Any) -> dict[str, Any]:
        """The call as a part of a pipeline."""
        return {"do": do, "table": self._number, "args": to_json(arguments)}

    def __getattr__(self, do: str) -> Any:
        return lambda **arguments: self._driver.call(do, table=self._number, args=arguments)
