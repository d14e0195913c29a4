"""The certificate that the servers of the benchmark show over TLS."""

from __future__ import annotations

import subprocess
from pathlib import Path

from server_files import ServerError

from bench.options import DIRECTORY

CERTIFICATE = DIRECTORY / "tls/certificate.pem"
KEY = DIRECTORY / "tls/key.pem"
DAYS = 3650


def make() -> None:
    """Makes it, signed by its own key, unless it is there."""
    if CERTIFICATE.exists() and KEY.exists():
        return
    CERTIFICATE.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    command = ["openssl", "req", "-x509", "-nodes", "-newkey", "ec"]
    command += ["-pkeyopt", "ec_paramgen_curve:P-256", "-subj", "/CN=bench", "-days", str(DAYS)]
    _run([*command, "-keyout", str(KEY), "-out", str(CERTIFICATE)])


def _run(command: list[str]) -> None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise ServerError("there is no openssl: scripts/provision --for bench gets it") from None
    if done.returncode != 0:
        raise ServerError(f"no certificate could be made: {done.stderr.strip()}")


def settings(certificate: Path = CERTIFICATE, key: Path = KEY) -> dict[str, object]:
    """What makes a MariaDB use it."""
    return {"ssl_cert": certificate, "ssl_key": key}
