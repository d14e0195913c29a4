"""The programs in pages: each client's first row (the first program of its README), and its part of docs/clients.md.

A program is run as it stands there, but for the ports, with what the client's `check` has built. The programs of
docs/clients.md all write the same lines, which are the last block of that page's section.
"""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
PAGE = REPOSITORY / "docs/clients.md"
FIRST_ROW = "Yukari Takeba"
TIMEOUT_S = 120


@dataclass(frozen=True)
class Language:
    """How programs of a language are marked in pages, what their file is called, and how one is run.

    The command runs in the repository, in bash; $build is the folder of the client's check, $file the program,
    $folder an own folder of it.
    """

    tag: str
    file: str
    command: str


# The name of a client's folder, and its language. `hs` is a program itself.
LANGUAGES = {
    "c": Language(
        "c",
        "program.c",
        "cc -std=c99 -Wall -Wextra -Werror -Iclients/c/include $file $build/release/libhandlersocket2.a"
        " -lssl -lcrypto -pthread -o $folder/program && $folder/program",
    ),
    "cpp": Language(
        "cpp",
        "program.cc",
        "c++ -std=c++17 -Wall -Wextra -Werror -Iclients/c/include -Iclients/cpp/include $file"
        " $build/release/libhandlersocket2.a -lssl -lcrypto -pthread -o $folder/program && $folder/program",
    ),
    "go": Language(
        "go",
        "main.go",
        "PATH=/usr/lib/go-1.19/bin:$PATH client=$PWD/clients/go && cd $folder && rm -f go.mod && go mod init first &&"
        " go mod edit -require handlersocket2.org/client/v2@v2.0.0 -replace handlersocket2.org/client/v2=$client &&"
        " go run .",
    ),
    "java": Language("java", "First.java", "java -cp $build/target/classes $file"),
    "node": Language(
        "js",
        "first.mjs",
        "rm -rf $folder/node_modules && cp -r $build/empty/node_modules $folder && node $file",
    ),
    "perl": Language("perl", "first.pl", "perl -Iclients/perl/lib $file"),
    "php": Language("php", "first.php", "cp -r $build/empty/vendor $folder && cd $folder && php $file"),
    "python": Language("python", "first.py", "PYTHONPATH=clients/python/src python3 -B $file"),
    "ruby": Language("ruby", "first.rb", "ruby -Iclients/ruby/lib $file"),
    "rust": Language(
        "rust",
        "main.rs",
        "PATH=/usr/bin:$PATH && mkdir -p $folder/src && cp $file $folder/src && printf '[package]\\nname = \"first\"\\n"
        'version = "1.0.0"\\nedition = "2021"\\n[workspace]\\n[dependencies]\\nhandlersocket2 = { path = "%s" }\\n\''
        " $PWD/clients/rust >$folder/Cargo.toml && cd $folder &&"
        " CARGO_HOME=$build/home CARGO_TARGET_DIR=$build/target cargo run -q --offline",
    ),
}


def first_block(page: Path, tag: str) -> str | None:
    """The first block of code that is marked with the tag."""
    match = re.search(rf"^```{tag}\n(.*?)^```$", page.read_text(encoding="utf-8"), re.M | re.S)
    return match[1] if match else None


def expected_lines(page: Path) -> str:
    """What the programs of docs/clients.md write, as the page says."""
    text = first_block(page, "text")
    assert text is not None, f"{page} does not say what its programs write"
    return text


def pages(client: str) -> dict[str, Path]:
    """The pages that have a program of the client; `hs` is none."""
    if client not in LANGUAGES:
        return {}
    return {"README.md": REPOSITORY / "clients" / client / "README.md", "docs/clients.md": PAGE}


def run(client: str, page: Path, folder: Path, read_port: int, write_port: int) -> str:
    """Runs the program of a page. Raises AssertionError with its output when it does not what the page says."""
    language = LANGUAGES[client]
    code = first_block(page, language.tag)
    assert code is not None, f"{page} has no program that is marked {language.tag}"
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / language.file
    file.write_text(code.replace("9998", str(read_port)).replace("9999", str(write_port)), encoding="utf-8")
    build = REPOSITORY / "build/clients" / client
    names = f"build={build} folder={folder} file={file} HS_OPTION_FILE=/dev/null; export HS_OPTION_FILE; "
    done = subprocess.run(
        ["bash", "-ec", names + language.command],
        cwd=REPOSITORY,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )
    said = f"the program of {page} ended with {done.returncode}\n{done.stdout}{done.stderr}"
    assert done.returncode == 0, said
    if page == PAGE:
        assert done.stdout == expected_lines(page), said
    else:
        assert FIRST_ROW in done.stdout, said
    return done.stdout
