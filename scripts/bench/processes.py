"""The targets that are no MariaDB: memcached, Redis and the null server, on loopback ports."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import ports
from server_files import ServerError

from bench import certificate
from bench.load import Place

START_SECONDS = 20
END_SECONDS = 10


def memcached_command(port: int, megabytes: int) -> list[str]:
    """One thread, as there is one core."""
    user = ["-u", "nobody"] if os.geteuid() == 0 else []
    memory = ["-m", str(megabytes), "-c", "2000"]
    return ["memcached", "-l", "127.0.0.1", "-p", str(port), "-U", "0", "-t", "1", *memory, *user]


def redis_command(
    port: int, directory: Path, tls_port: int = 0, *, always: bool = False
) -> list[str]:
    """`always`: each change is on the disk when it is answered; else nothing is written there."""
    place = ["--bind", "127.0.0.1", "--port", str(port), "--dir", str(directory)]
    if tls_port:
        files = ["--tls-cert-file", str(certificate.CERTIFICATE)]
        files += ["--tls-key-file", str(certificate.KEY), "--tls-auth-clients", "no"]
        place += ["--tls-port", str(tls_port), *files]
    log = ["--appendonly", "no"]
    if always:  # and the log is not made shorter meanwhile, which would cost time
        log = ["--appendonly", "yes", "--appendfsync", "always", "--auto-aof-rewrite-percentage", "0"]
    return ["redis-server", *place, "--save", "", *log, "--daemonize", "no"]


@contextmanager
def running(name: str, directory: Path, tools: Path, megabytes: int) -> Iterator[Place]:
    """Starts memcached…, redis… or null, and ends it afterwards. redis-tls has both ports.

    redis-always has no rows of an earlier run.
    """
    if name == "redis-always":
        shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    port = ports.free_port()
    tls_port = 0
    if name == "redis-tls":
        certificate.make()
        tls_port = ports.free_port()
    if name.startswith("memcached"):
        command = memcached_command(port, megabytes)
    elif name.startswith("redis"):
        command = redis_command(port, directory, tls_port, always=name == "redis-always")
    else:
        command = [str(tools / "floor/hs-null-server"), str(port)]
    with (directory / "log").open("wb") as log:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd=directory,
            env={**os.environ, "PATH": f"/usr/bin:{os.environ.get('PATH', '')}"},
            start_new_session=True,
        )
    try:
        _wait(process, name, port, directory / "log")
        yield Place(process.pid, port, port, tls_port=tls_port)
    finally:
        process.terminate()
        try:
            process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _wait(process: subprocess.Popen[bytes], name: str, port: int, log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while not ports.accepts("127.0.0.1", port):
        if process.poll() is not None or time.monotonic() > deadline:
            raise ServerError(f"{name} did not start", log.read_text(errors="replace")[-2000:])
        time.sleep(0.02)


def version(program: str) -> str:
    """What a program says of its version."""
    try:
        done = subprocess.run(
            [f"/usr/bin/{program}", "--version"], capture_output=True, text=True, check=False
        )
    except FileNotFoundError:
        return "?"
    return " ".join(done.stdout.split()[:3])
