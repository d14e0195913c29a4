"""The machine that a benchmark runs on: what it is, who uses its cores, and pinning to one."""

from __future__ import annotations

import os
import platform
import re
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Usage:
    """CPU seconds used so far; the difference of two tells of the time between them."""

    elapsed: float
    everybody: float  # all cores, without idle time; with what the hypervisor gave to others
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
            self.everybody - before.everybody,
            self.servers - before.servers,
            self.children - before.children,
            self.own - before.own,
        )

    @property
    def others(self) -> float:
        """What neither the servers nor the load generator nor we ourselves used."""
        return max(0.0, self.everybody - self.servers - self.children - self.own)


def process_seconds(pid: int) -> float:
    """CPU seconds of a process with all its threads."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS_PER_SECOND


def pin(pid: int, core: int) -> None:
    """Binds all threads of a process, and those they will start, to one core."""
    for thread in Path(f"/proc/{pid}/task").iterdir():
        os.sched_setaffinity(int(thread.name), {core})


def describe() -> dict[str, str]:
    """What the machine is, without its name."""
    cpu = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    memory = re.search(r"MemTotal:\s+(\d+)", Path("/proc/meminfo").read_text(encoding="ascii"))
    model = re.search(r"model name\s*:\s*(.+)", cpu)
    release = platform.freedesktop_os_release()
    virtual = ", a virtual machine" if re.search(r"^flags.*\bhypervisor\b", cpu, re.M) else ""
    processor = model[1] if model else platform.machine()
    return {
        "Processor": f"{processor}, {os.cpu_count()} cores{virtual}",
        "Memory": f"{int(memory[1]) / 2**20:.0f} GiB" if memory else "?",
        "System": f"{release.get('PRETTY_NAME', '?')}, Linux {platform.release()}",
    }
