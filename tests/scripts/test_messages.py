"""scripts/lib/messages.sh: what a step that has failed says."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]

# As apt-get of a machine that speaks German, where its message is in the language that it is asked for.
FETCH = """fetch() {
  sh -c 'test "$LC_ALL$LANGUAGE" = C.UTF-8 && echo "E: Unable to locate package x" || echo "E: Paket x nicht gefunden"'
  false
}"""


def test_a_reason_is_found_whatever_the_machine_speaks(tmp_path: Path) -> None:
    script = (
        f"source {REPOSITORY}/scripts/lib/messages.sh; start_log {tmp_path}/log; {FETCH}\n"
        "step fetching fetch || die_with_log 'cannot fetch x'; exit"
    )
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script], capture_output=True, text=True, timeout=60,
        env={**os.environ, "LC_ALL": "de_DE.UTF-8", "LANGUAGE": "de:en"},
    )
    assert done.returncode == 1
    assert "error: cannot fetch x: the package archive does not have x" in done.stderr, done.stderr
