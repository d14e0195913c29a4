"""What ./package refuses before it installs or builds anything."""

import os
import pathlib
import subprocess

import pytest

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]


def package(*arguments: str, **environment: str) -> subprocess.CompletedProcess:
    return subprocess.run([REPOSITORY / "package", *arguments], text=True, capture_output=True,
                          env={**os.environ, **environment}, timeout=60)


@pytest.mark.parametrize("arguments, environment, named", [
    (["--server", "mariadb-11.8"], {}, "mariadb-11.8"),
    (["--mariadb", "11.8.6", "--server", "mariadb-11.8"], {}, "mariadb-11.8"),
    (["--server", "mysql-9.7"], {}, "mysql-9.7"),
    (["--server"], {}, "nothing"),
    ([], {"HS_SERVER": "mariadb-11.8"}, "mariadb-11.8"),
])
def test_a_package_for_another_server_is_refused(arguments, environment, named):
    outcome = package(*arguments, **environment)
    assert outcome.returncode == 1
    assert f"packages are built for mariadb-10.11 only, not for {named} " in outcome.stderr
