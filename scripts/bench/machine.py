"""The machine of a benchmark: what it is, what uses its cores, and pinning to one."""

from __future__ import annotations

import os
import platform
import re
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import median

SAMPLE_SECONDS = 3.0  # for which the machine is watched before anything is measured
TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Usage:
    """CPU seconds used so far; a difference of two is what was used between them."""

    elapsed: float
    total: float  # on all cores, by all processes and by other virtual machines (steal)
    servers: float
    children: float  # ended child processes of this one
    own: float

    @staticmethod
    def now(servers: Iterable[int]) -> Usage:
        """What has been used until now."""
        cpu = Path("/proc/stat").read_text(encoding="ascii").splitlines()[0].split()[1:9]
        user, nice, system, _idle, _iowait, irq, softirq, steal = (int(ticks) for ticks in cpu)
        times = os.times()
        return Usage(
            time.monotonic(),
            (user + nice + system + irq + softirq + steal) / TICKS_PER_SECOND,
            sum(process_seconds(pid) for pid in servers),
            times.children_user + times.children_system,
            times.user + times.system,
        )

    def __sub__(self, before: Usage) -> Usage:
        return Usage(
            self.elapsed - before.elapsed,
            self.total - before.total,
            self.servers - before.servers,
            self.children - before.children,
            self.own - before.own,
        )

    @property
    def others(self) -> float:
        """What all but the servers, the load generator and this process used."""
        return max(0.0, self.total - self.servers - self.children - self.own)


def busy(seconds: float) -> float:
    """What other processes, and other virtual machines, use in that time, as a share of one core.

    This process sleeps meanwhile.
    """
    before = Usage.now(())
    time.sleep(seconds)
    usage = Usage.now(()) - before
    return usage.others / usage.elapsed


def too_busy(limit: float) -> str:
    """A sentence when other processes use more than that share of a core; else nothing."""
    others = busy(SAMPLE_SECONDS)
    if others <= limit:
        return ""
    return (
        f"the machine is busy: other processes use {100 * others:.0f} % of a core, "
        f"more than {100 * limit:.0f} %"
    )


def process_seconds(pid: int) -> float:
    """CPU seconds of a process with all its threads."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS_PER_SECOND


def resident_kib(pid: int) -> int:
    """What a process holds of the memory."""
    pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") // 1024


def pin(pid: int, cores: set[int]) -> None:
    """Binds all threads of a process, and those they will start, to some cores."""
    for thread in Path(f"/proc/{pid}/task").iterdir():
        with suppress(ProcessLookupError):  # it has just ended
            os.sched_setaffinity(int(thread.name), cores)


def memory_bytes() -> int:
    """The machine's memory."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def sync_us(directory: Path, times: int = 200) -> float:
    """How long the disk takes for 4 KiB written and synced, in the median."""
    path = directory / "sync"
    took = []
    file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        os.pwrite(file, bytes(4096 * times), 0)
        os.fsync(file)
        for number in range(times):
            begin = time.perf_counter()
            os.pwrite(file, os.urandom(4096), 4096 * number)
            os.fdatasync(file)
            took.append((time.perf_counter() - begin) * 1e6)
    finally:
        os.close(file)
        path.unlink()
    return median(took)


def describe() -> dict[str, str]:
    """What the machine is, without its name."""
    cpu = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    model = re.search(r"model name\s*:\s*(.+)", cpu)
    release = platform.freedesktop_os_release()
    virtual = ", a virtual machine" if re.search(r"^flags.*\bhypervisor\b", cpu, re.M) else ""
    processor = model[1] if model else platform.machine()
    return {
        "Processor": f"{processor}, {os.cpu_count()} cores{virtual}",
        "Memory": f"{memory_bytes() / 2**30:.0f} GiB",
        "System": f"{release.get('PRETTY_NAME', '?')}, Linux {platform.release()}",
    }
