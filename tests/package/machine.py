"""A bare Debian in a folder, with processes and a network of its own, so that nothing of it meets the machine."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import time
import urllib.request
from pathlib import Path

ARCHIVE = "http://deb.debian.org"
RELEASES = {"bookworm": "12", "trixie": "13"}

# Init: takes the place of parents that have ended.
INIT = "while :; do sleep 60 & wait; done"


class Failed(Exception):
    """A command in the machine has failed; the text is what it said."""


def run(command: list[str], **more: object) -> str:
    done = subprocess.run(
        command, stdin=more.pop("stdin", subprocess.DEVNULL), stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, errors="replace", **more,  # type: ignore[call-overload]
    )
    if done.returncode != 0:
        raise Failed(f"{command}: status {done.returncode}\n{done.stdout}")
    return done.stdout


def make_root(
    root: Path, release: str, packages: list[str], pins: dict[str, str], files: dict[str, str] | None = None
) -> None:
    """A root with these packages, in the pinned versions; its services are not started.

    files: paths in the archive of further packages, which its lists may have in later versions only, and their SHA-256.
    """
    part = root.with_name(root.name + ".part")
    shutil.rmtree(part, ignore_errors=True)
    part.parent.mkdir(parents=True, exist_ok=True)
    run(["debootstrap", "--variant=minbase", release, str(part), f"{ARCHIVE}/debian"])
    (part / "etc/apt/sources.list").write_text(sources(release))
    pin(part, pins)
    policy = part / "usr/sbin/policy-rc.d"
    policy.write_text("#!/bin/sh\nexit 101\n")
    policy.chmod(0o755)
    inside = ["chroot", str(part), "env", *ENVIRONMENT]
    run([*inside, "apt-get", "update"])
    fetched = [fetch(path, sum, part / "var/tmp") for path, sum in (files or {}).items()]
    names = [f"/var/tmp/{file.name}" for file in fetched]
    run([*inside, "apt-get", "install", "-y", "--no-install-recommends", *packages, *names])
    for file in fetched:
        file.unlink()
    # Without an init nothing would be started otherwise.
    policy.write_text("#!/bin/sh\nexit 0\n")
    part.rename(root)


def sources(release: str) -> str:
    if release == "sid":
        # Mirrors that are behind have lists that are past their day. They are signed all the same.
        return f"deb [check-valid-until=no] {ARCHIVE}/debian sid main\n"
    return (
        f"deb {ARCHIVE}/debian {release} main\n"
        f"deb {ARCHIVE}/debian {release}-updates main\n"
        f"deb {ARCHIVE}/debian-security {release}-security main\n"
    )


def fetch(path: str, sum: str, folder: Path) -> Path:
    with urllib.request.urlopen(f"{ARCHIVE}/debian/{path}", timeout=120) as answer:
        content = answer.read()
    if hashlib.sha256(content).hexdigest() != sum:
        raise Failed(f"{path} is not what it was")
    file = folder / Path(path).name
    file.write_bytes(content)
    return file


def pin(root: Path, pins: dict[str, str]) -> None:
    """Keeps packages at these versions, or changes to them with the next dist-upgrade."""
    (root / "etc/apt/preferences.d/pins").write_text(
        "\n".join(f"Package: {names}\nPin: version {version}\nPin-Priority: 1001\n"
                  for names, version in pins.items())
    )


ENVIRONMENT = [
    "-i", "HOME=/root", "LC_ALL=C.UTF-8", "DEBIAN_FRONTEND=noninteractive",
    "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
]


class Machine:
    """Runs a copy of a root, until it is closed."""

    def __init__(self, base: Path, root: Path) -> None:
        self.root = root
        run(["cp", "-a", "--reflink=auto", str(base), str(root)])
        self._holder = subprocess.Popen(
            ["unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", f"--root={root}",
             "--mount-proc", "/bin/sh", "-c", INIT]
        )
        self._init = self._wait_for_init()
        run(["nsenter", f"--target={self._init}", "--net", "ip", "link", "set", "lo", "up"])

    def _wait_for_init(self) -> int:
        children = Path(f"/proc/{self._holder.pid}/task/{self._holder.pid}/children")
        for _ in range(1000):
            found = children.read_text().split()
            if found and Path(f"/proc/{found[0]}/root/proc/1/stat").exists():
                return int(found[0])
            time.sleep(0.01)
        raise Failed("the machine's first process does not start")

    def close(self) -> None:
        self._holder.kill()
        self._holder.wait()
        shutil.rmtree(self.root)

    def sh(self, script: str, stdin: str | None = None) -> str:
        """Runs a script in the machine, and returns what it says."""
        more = {} if stdin is None else {"input": stdin, "stdin": None}
        return run([*self._enter("--net"), "sh", "-ec", script], **more)

    def online(self, script: str) -> str:
        """Runs a script in the machine, but with the network of the real one."""
        return run([*self._enter(), "sh", "-ec", script])

    def _enter(self, *more: str) -> list[str]:
        entered = ["nsenter", f"--target={self._init}", "--mount", "--pid", *more]
        return [*entered, "chroot", str(self.root), "env", *ENVIRONMENT]

    def fetch(self, words: str) -> None:
        """Downloads what `apt-get install WORDS` needs."""
        self.online(f"apt-get -y --download-only install {words}")

    def apt(self, words: str) -> str:
        """apt-get with its questions answered by yes."""
        return self.sh(f"apt-get -y {words} 2>&1")

    def install(self, *packages: Path) -> str:
        """`apt install` of package files."""
        names = []
        for package in packages:
            shutil.copy(package, self.root / "var/tmp")
            names.append(f"/var/tmp/{package.name}")
        self.fetch(" ".join(names))
        return self.apt(f"install {' '.join(names)}")

    def sql(self, statements: str) -> str:
        return self.sh("mariadb --batch --skip-column-names", stdin=statements).rstrip("\n")

    def start(self) -> None:
        self.sh("invoke-rc.d mariadb start")

    def stop(self) -> None:
        self.sh("invoke-rc.d mariadb stop")

    def server_pid(self) -> str:
        return self.sh("pidof mariadbd").strip()

    def ask(self, port: int, *lines: str) -> list[str]:
        """Sends lines of tokens to a port by nc, and returns the replies; [] when it is closed."""
        script = f"nc -q 5 127.0.0.1 {port} | head -n {len(lines)} || true"
        return self.sh(script, stdin="".join(line + "\n" for line in lines)).splitlines()

    def files(self) -> set[str]:
        """All files but those that every package changes, and the server's data."""
        ours = ("/proc", "/var/lib/dpkg", "/var/lib/apt", "/var/cache", "/var/log", "/var/tmp",
                "/var/lib/mysql", "/var/lib/ucf", "/run", "/dev", "/root", "/tmp")
        pruned = " -o ".join(f"-path {path}" for path in ours)
        return set(self.sh(f"find / \\( {pruned} \\) -prune -o -print").splitlines())


class MysqlMachine(Machine):
    """The same with MySQL, whose package has a service of systemd only: started and stopped as that does it."""

    LOG = "/var/log/mysql/error.log"

    def sql(self, statements: str) -> str:
        return self.sh("mysql --batch --skip-column-names", stdin=statements).rstrip("\n")

    def start(self) -> None:
        self.sh("install -d -o mysql -g mysql /run/mysqld; /usr/share/mysql/mysql-systemd-start pre")
        self.sh("mysqld --user=mysql --daemonize")

    def stop(self) -> None:
        self.sh("server=$(pidof mysqld); mysqladmin shutdown; tail --pid=$server -f /dev/null")

    def server_pid(self) -> str:
        return self.sh("pidof mysqld").strip()
