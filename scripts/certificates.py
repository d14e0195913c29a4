"""Certificates for the tests: an authority in a directory, and what it has signed."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path


class Certificates:
    """An authority `ca` in the directory, and what is made beside it. The server's user must be able to read them."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.make("ca")

    def make(
        self, name: str, *, signed_by: str | None = None, days: int = 10, hosts: Sequence[str] = ()
    ) -> None:
        """`<name>.pem` and `<name>-key.pem`; `hosts` are the names that clients look for in one that is signed."""
        request = ["openssl", "req", "-new", "-nodes", "-newkey", "ec"]
        request += ["-pkeyopt", "ec_paramgen_curve:P-256", "-subj", f"/CN={name}"]
        request += ["-keyout", self.path(f"{name}-key")]
        if signed_by is None:
            self._run([*request, "-x509", "-days", str(days), "-out", self.path(name)])
        else:
            self._run([*request, "-out", self.path(f"{name}-request")])
            sign = ["openssl", "x509", "-req", "-in", self.path(f"{name}-request")]
            sign += ["-CA", self.path(signed_by), "-CAkey", self.path(f"{signed_by}-key")]
            sign += ["-CAcreateserial", "-days", str(days), "-out", self.path(name)]
            if hosts:
                names = self.directory / f"{name}-names"
                names.write_text("subjectAltName=" + ",".join(f"DNS:{host}" for host in hosts), encoding="utf-8")
                sign += ["-extfile", str(names)]
            self._run(sign)
        for file in self.directory.glob("*.pem"):
            file.chmod(0o644)

    def path(self, name: str) -> str:
        """The file of that certificate, or key."""
        return str(self.directory / f"{name}.pem")

    def variables(self, name: str, ca: str | None = "ca") -> dict[str, object]:
        """What makes a server show that certificate, and ask clients for one of that authority's, if any."""
        made: dict[str, object] = {"ssl_cert": self.path(name), "ssl_key": self.path(f"{name}-key")}
        return made if ca is None else {"ssl_ca": self.path(ca), **made}

    @staticmethod
    def _run(command: list[str]) -> None:
        subprocess.run(command, check=True, capture_output=True, timeout=60)
