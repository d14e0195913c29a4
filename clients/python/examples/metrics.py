"""Counts requests and their time by a hook, as a client of Prometheus or OpenTelemetry would."""

import collections
import typing

import handlersocket2

seconds: typing.DefaultDict[str, float] = collections.defaultdict(float)
failures: typing.Counter[str] = collections.Counter()


def on_request(
    kind: str, table: typing.Optional[str], took: float, error: typing.Optional[BaseException]
) -> None:
    """Is called behind each request: histogram.observe(took), span.set_attribute(...)."""
    seconds[kind] += took
    if error:
        failures[type(error).__name__] += 1


with handlersocket2.connect(on_request=on_request) as db:
    db.table("test.user", ["user_id"]).get(101)

print(sorted(seconds), dict(failures))
