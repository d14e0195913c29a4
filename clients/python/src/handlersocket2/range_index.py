"""The index that a range goes along."""

from __future__ import annotations

from typing import Any, List, Mapping, Sequence, Tuple

from .errors import ValueError
from .protocol import Raw
from .values import kind_of

Part = Mapping[str, Any]

_LOWEST = {
    "integer": b"-9223372036854775808",
    "float": b"-1.7976931348623157e308",
    "decimal": b"-" + b"9" * 65,
    "date": b"0000-00-00",
    "datetime": b"0000-00-00 00:00:00",
    "time": b"-838:59:59.999999",
    "uuid": b"00000000-0000-0000-0000-000000000000",
    "inet4": b"0.0.0.0",
    "inet6": b"::",
}


class RangeIndex:
    """The parts of an index, as the core gives them."""

    def __init__(self, parts: Sequence[Part]) -> None:
        self.names: List[str] = [part["column"] for part in parts]
        self._parts = parts
        self._descends = parts[0]["direction"] == "D"
        self._words = [part["type"].partition("(")[0].partition(" ")[0] for part in parts]
        kinds = [kind_of(part["type"]) for part in parts]
        self._first_kind = kinds[0]
        # Whether values of other bytes may be the same: texts, and the zeros of DOUBLE.
        self.has_same = "text" in kinds or "float" in kinds
        self.unique = all(part["unique"] and not part["nullable"] for part in parts)

    def end(self, reverse: bool) -> Tuple[str, str]:
        """Kind and operator of the filter that ends a range.

        An index of the beginnings of a column has not the order of whole values, so there it does
        not end the search.
        """
        kind = "W" if self._parts[0]["prefix_length"] is None else "F"
        return kind, ">" if reverse != self._descends else "<"

    def lowest(self) -> Raw:
        """A value with which the index begins. A NULL finds nothing where there can be none."""
        if self._descends:
            raise ValueError("a range over an index that goes downwards needs its start")
        if self._parts[0]["nullable"]:
            return None
        return _LOWEST.get(self._words[0], _LOWEST.get(self._first_kind, b""))

    def may_be_lower(self, value: Raw) -> bool:
        """Texts that begin with control characters may sort before the empty one."""
        return value == b"" and self._first_kind == "text"

    def can_begin(self, key: Sequence[Raw]) -> bool:
        """Whether a page can begin with a row's key.

        The text of a column of which the index has only a beginning, of a FLOAT, and of a TIMESTAMP
        at night, when clocks may be set back, does not tell the place in the index.
        """
        for part, word, value in zip(self._parts, self._words, key):
            if part["prefix_length"] is not None or word == "float":
                return False
            if word == "timestamp" and value and not b"04" <= value[11:13] <= b"21":
                return False
        return True
