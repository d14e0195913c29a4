"""Looks through src with clang's warnings and clang-tidy, in batches.

Most of the time for one file goes to the headers that it includes. Therefore files of one target are put one behind
another into one file, whose headers are read and looked at once: that takes a quarter of the time. They are copied and
not included, since clang's analyzer follows the paths of functions in the main file only. What is found is told with the
file's own name and line. `./test lint` runs this on what `cmake --preset lint` knows of; a batch is looked through again
when one of its files, any header or a setting has changed. With HS_LINT_BRIEF set, as continuous integration has it,
clang's analyzer is left out: following paths takes four fifths of the whole time.

    check_tidy.py BUILD_FOLDER
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
SOURCES = REPOSITORY / "src"
TIDY = "clang-tidy-14"
LEFT_OUT = ["--checks=-clang-analyzer-*"] if os.environ.get("HS_LINT_BRIEF") else []
# Without the analyzer nearly all of the time goes to headers: then one batch has all files of a target.
FILES_IN_A_BATCH = 100 if LEFT_OUT else 8
INCLUDE = re.compile(r'#include ["<]([^">]+)[">]\n')


@dataclass
class Batch:
    """Files with the same flags, and the file that they are put into."""

    file: Path
    sources: list[Path]
    flags: list[str]
    settings: Path

    def text(self) -> tuple[str, list[tuple[Path, int]]]:
        """All of the files, and of each line its file and number.

        The include of a header that an earlier file has is left out, as clang-tidy would tell of it, if the
        header is read once only.
        """
        lines: list[str] = []
        places: list[tuple[Path, int]] = []
        included: set[str] = set()
        for source in self.sources:
            own = source.read_text().splitlines(keepends=True)
            for number, line in enumerate(own, 1):
                lines.append("\n" if line in included else line)
                places.append((source, number))
            included.update(line for line in own if includes_once(line))
        return "".join(lines), places


def includes_once(line: str) -> bool:
    """Whether the line includes a header of which a second include has no meaning."""
    include = INCLUDE.fullmatch(line)
    if include is None:
        return False
    own = SOURCES / include[1]
    return not own.exists() or "#pragma once" in own.read_text()


def flags_of(command: str) -> list[str]:
    """Of the compiler's command: without the files, and without the precompiled header, which is not built."""
    words = iter(shlex.split(command)[1:])
    flags = []
    for word in words:
        if word in ("-o", "-c"):
            next(words)
        elif word == "-Xclang":
            next(words)
        elif word != "-Winvalid-pch":
            flags.append(word)
    return flags


def batches(build: Path) -> Iterator[Batch]:
    """All that there is to look through."""
    targets: dict[str, tuple[list[Path], list[str]]] = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        source = Path(entry["file"])
        if not source.is_relative_to(SOURCES):
            continue
        target = re.search(r" -o (\S+)\.dir/", entry["command"])
        assert target is not None, entry["command"]
        name = target[1].replace("CMakeFiles/", "").removeprefix("src/").replace("/", "-")
        targets.setdefault(name, ([], flags_of(entry["command"])))[0].append(source)
    for name, (sources, flags) in targets.items():
        room = SOURCES / sources[0].relative_to(SOURCES).parts[0]
        settings = room / ".clang-tidy"
        if not settings.exists():
            settings = REPOSITORY / ".clang-tidy"
        count = -(-len(sources) // FILES_IN_A_BATCH)
        for number in range(count):
            yield Batch(build / f"{name}-{number}.cc", sources[number::count], flags, settings)


def digest_of_headers() -> bytes:
    """Changes with any header and setting."""
    digest = hashlib.sha256()
    for path in sorted([*SOURCES.rglob("*.h"), *SOURCES.rglob("*.def"), *SOURCES.rglob(".clang-tidy")]):
        digest.update(path.read_bytes())
    digest.update((REPOSITORY / ".clang-tidy").read_bytes())
    return digest.digest()


def look_through(batch: Batch, headers: bytes) -> str:
    """What is found. Writes the batch, and what tells that nothing was found in it."""
    text, places = batch.text()
    digest = hashlib.sha256(headers + text.encode() + repr((batch.flags, LEFT_OUT)).encode()).hexdigest()
    stamp = batch.file.with_suffix(".looked_through")
    if stamp.exists() and stamp.read_text() == digest:
        return ""
    batch.file.write_text(text)
    done = subprocess.run(
        [TIDY, "--quiet", f"--config-file={batch.settings}", *LEFT_OUT, str(batch.file), "--", *batch.flags],
        capture_output=True,
        text=True,
    )
    if done.returncode == 0:
        stamp.write_text(digest)
        return ""

    def own_place(match: re.Match[str]) -> str:
        source, number = places[int(match[1]) - 1]
        return f"{source}:{number}:"

    return re.sub(re.escape(str(batch.file)) + r":(\d+):", own_place, done.stdout + done.stderr)


def main() -> int:
    build = Path(sys.argv[1]).resolve()
    headers = digest_of_headers()
    everything = sorted(batches(build), key=lambda batch: len(batch.sources), reverse=True)
    if not everything:
        print(f"{build} knows of no file in {SOURCES}", file=sys.stderr)
        return 1
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        findings = [found for found in pool.map(lambda batch: look_through(batch, headers), everything) if found]
    print("\n".join(findings) or f"{sum(len(batch.sources) for batch in everything)} files are looked through")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
