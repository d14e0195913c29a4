"""Huge pages of the machine: reserved for a while, and given back."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

COUNT = Path("/proc/sys/vm/nr_hugepages")
MEMORY = Path("/proc/meminfo")


@contextmanager
def reserved(needed: int) -> Iterator[bool]:
    """Whether so many bytes of free huge pages are there, reserved if they were not.

    Afterwards the machine has as many as before.
    """
    before = _count()
    try:
        yield _reserve(needed, before)
    finally:
        if before is not None and _count() != before:
            COUNT.write_text(f"{before}\n", encoding="ascii")


def used(pid: int) -> bool:
    """Whether a process has some in its memory."""
    text = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii")
    return _kilobytes(text, "Private_Hugetlb") > 0


def _count() -> int | None:
    try:
        return int(COUNT.read_text(encoding="ascii"))
    except (OSError, ValueError):
        return None


def _reserve(needed: int, before: int | None) -> bool:
    size, free = _free()
    if size == 0 or before is None:
        return False
    missing = -(-needed // size) - free
    if missing <= 0:
        return True
    try:
        COUNT.write_text(f"{before + missing}\n", encoding="ascii")
    except OSError:  # not permitted
        return False
    return _free()[1] * size >= needed  # the kernel reserves as many as it finds room for


def _free() -> tuple[int, int]:
    """Bytes of a huge page, and how many are free."""
    text = MEMORY.read_text(encoding="ascii")
    free = re.search(r"^HugePages_Free:\s+(\d+)$", text, re.MULTILINE)
    return _kilobytes(text, "Hugepagesize") * 1024, int(free[1]) if free else 0


def _kilobytes(text: str, name: str) -> int:
    found = re.search(rf"^{name}:\s+(\d+) kB$", text, re.MULTILINE)
    return int(found[1]) if found else 0
