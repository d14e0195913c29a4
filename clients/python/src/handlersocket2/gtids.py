"""The GTIDs of a client's changes."""

from __future__ import annotations

import threading
from typing import Dict, Tuple

from . import forks


class Gtids:
    """The highest GTID of each source: a domain of MariaDB (`domain-server-number`), or a UUID with
    its tag of MySQL (`uuid:number`, `uuid:tag:number`). For all threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._last: Dict[str, Tuple[int, str]] = {}
        forks.watch(self)

    def after_fork(self) -> None:
        """What is known stays."""
        self._lock = threading.Lock()

    def note(self, gtid: str) -> None:
        """Takes notice of one, as `G L` tells it; empty without one."""
        if not gtid:
            return
        source, colon, number = gtid.rpartition(":")
        if not colon:
            source, _, number = gtid.split("-")
        with self._lock:
            self._last[source] = max(self._last.get(source, (-1, "")), (int(number), gtid))

    def __str__(self) -> str:
        """With commas between them, as `G W` takes them."""
        with self._lock:
            return ",".join(gtid for _, gtid in self._last.values())
