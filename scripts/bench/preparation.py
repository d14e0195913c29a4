"""Installing what the benchmark needs, and building."""

from __future__ import annotations

import os
import subprocess

from server_files import REPOSITORY, ServerError

BUILD = """
set -euo pipefail
source scripts/lib/messages.sh
source scripts/lib/build.sh
build_preset release "building the plugin and hs"
"""


# The plugin without counters, for the section cost. Below what it is held against.
UNCOUNTED = "uncounted"
BUILD_UNCOUNTED = f"""
set -euo pipefail
source scripts/lib/messages.sh
directory=build/release/{UNCOUNTED}
step "configuring without counters" cmake --preset release -B $directory -DHS_COUNTERS=OFF ||
  die_with_log "cannot configure"
step "building the plugin without counters" cmake --build $directory --target handlersocket2 handlersocket2_library ||
  die_with_log "cannot build"
"""


def prepare(*, uncounted: bool) -> None:
    """Installs what is needed, and builds. `uncounted`: the plugin without counters, too."""
    commands = [["scripts/provision", "--for", "bench"], ["bash", "-c", BUILD]]
    if uncounted:
        commands.append(["bash", "-c", BUILD_UNCOUNTED])
    for command in commands:
        environment = {**os.environ, "repository": str(REPOSITORY)}
        if subprocess.run(command, cwd=REPOSITORY, env=environment, check=False).returncode != 0:
            raise ServerError("the benchmark could not be prepared")
