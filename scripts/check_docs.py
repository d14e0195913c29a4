"""Checks that the documentation says what the code says.

    docs/errors.md     and  the two errors.def        text, code, meaning of every error
    docs/variables.md  and  src/seam/variables.def    name, type, default, range, dynamic or not
    docs/variables.md  and  src/seam/status.def       the names of the status variables
    SECURITY.md        and  docs/variables.md         the defaults that it states
    README.md          and  docs/benchmarks.md        the five numbers, which its tables have, too
    every page                                        relative links lead to a file and a heading

Exits with 1 and one line per contradiction. Needs nothing but Python.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

REPOSITORY = Path(__file__).resolve().parent.parent
ERRORS_PAGE = "docs/errors.md"
ERRORS_SOURCE = "src/protocol/handlersocket/errors.def"
ERROR_KINDS_SOURCE = "src/base/errors.def"
ERROR_CODES = {"kServer": "1", "kRequest": "2", "kAuthentication": "3"}
VARIABLES_PAGE = "docs/variables.md"
SECURITY_PAGE = "SECURITY.md"
VARIABLES_SOURCE = "src/seam/variables.def"
STATUS_SOURCE = "src/seam/status.def"
FIGURES_PAGE = "docs/benchmarks.md"
# The page's words for an error whose text is a number (empty in errors.def).
NUMBER_TEXT = "*number*"
SKIPPED_FOLDERS = {"build", "node_modules"}
FENCED_CODE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


class Variable(NamedTuple):
    """One system variable, as the code or the page has it; all but the name may differ."""

    type: str
    default: str
    range: str
    dynamic: str


def read(path: str) -> str:
    return (REPOSITORY / path).read_text(encoding="utf-8")


def macro_calls(source: str, name: str) -> Iterator[tuple[str, list[str]]]:
    """Each `NAME(arguments)` for names that match: the name and the arguments, strings joined."""
    for match in re.finditer(rf"\b({name})\(", source):
        yield match[1], arguments(source, match.end())


def arguments(source: str, position: int) -> list[str]:
    """The arguments of a call; `position` is behind its opening parenthesis."""
    found = [""]
    depth = 1
    while depth:
        string = re.compile(r'"((?:[^"\\]|\\.)*)"').match(source, position)
        if string:
            found[-1] += string[1].replace('\\"', '"').replace("\\\\", "\\")
            position = string.end()
            continue
        char = source[position]
        depth += (char == "(") - (char == ")")
        if char == "," and depth == 1:
            found.append("")
        elif depth and not (char.isspace() and (not found[-1] or source[position + 1] in ' \n",)')):
            found[-1] += char
        position += 1
    return [argument.strip() for argument in found]


def without_comments(source: str) -> str:
    return re.sub(r"^\s*//.*$", "", source, flags=re.MULTILINE)


def rows(page: str, cells: int) -> Iterator[list[str]]:
    """The rows of the page's tables that have so many cells, without headings and rulers."""
    lines = page.splitlines()
    for number, line in enumerate(lines):
        if not line.startswith("|") or re.fullmatch(r"[|\s:-]+", line):
            continue
        is_heading = number + 1 < len(lines) and re.fullmatch(r"[|\s:-]+", lines[number + 1] or "x")
        row = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if not is_heading and len(row) == cells:
            yield row


def bare(cell: str) -> str:
    """`text` -> text."""
    return cell[1:-1] if len(cell) > 1 and cell[0] == cell[-1] == "`" else cell


# --- errors ---------------------------------------------------------------------------------------


def errors_in_code() -> list[tuple[str, str, str]]:
    kinds = without_comments(read(ERROR_KINDS_SOURCE))
    codes = {name: ERROR_CODES[kind] for _, (name, kind) in macro_calls(kinds, "HS_ERROR")}
    source = without_comments(read(ERRORS_SOURCE))
    return [
        (text or NUMBER_TEXT, codes[name], meaning)
        for _, (name, text, meaning) in macro_calls(source, "HS_TEXT")
    ]


def errors_on_page() -> list[tuple[str, str, str]]:
    return [(bare(text), code, meaning) for text, code, meaning, _ in rows(read(ERRORS_PAGE), 4)]


def check_errors() -> Iterator[str]:
    code, page = errors_in_code(), errors_on_page()
    if not code:
        yield f"{ERRORS_SOURCE}: no errors found"
    for text, count in Counter(text for text, _, _ in page).items():
        if count > 1:
            yield f"{ERRORS_PAGE}: {text} has {count} rows"
    for missing in sorted(set(code) - set(page)):
        yield f"{ERRORS_PAGE}: no row says {missing}, as {ERRORS_SOURCE} does"
    for extra in sorted(set(page) - set(code)):
        yield f"{ERRORS_PAGE}: {extra} is not in {ERRORS_SOURCE}"


# --- variables ------------------------------------------------------------------------------------


def number(literal: str) -> str:
    """1024ULL -> 1024"""
    return str(int(literal.rstrip("ULul")))


def variables_in_code() -> dict[str, Variable]:
    source = without_comments(read(VARIABLES_SOURCE))
    found: dict[str, Variable] = {}
    for macro, (name, *values) in macro_calls(source, r"HS_[A-Z_]+"):
        dynamic = "no" if values[0] == "kAtStart" else "yes"
        if macro == "HS_ACTION":
            found[name] = Variable("number", "0", f"0..{number(values[0])}", "yes")
        elif macro in ("HS_TEXT", "HS_SWITCH"):
            kind = "text" if macro == "HS_TEXT" else "switch"
            default = {"nullptr": "", "false": "OFF", "true": "ON"}.get(values[1], values[1])
            found[name] = Variable(kind, default, "", dynamic)
        elif macro == "HS_CHOICE":
            # kUtf8mb4 of ("utf8mb4", "binary"); the page gives the names.
            choices = re.findall(r"\w+", values[2])
            default = next(choice for choice in choices if choice == values[1][1:].lower())
            found[name] = Variable("choice", default, ", ".join(choices), dynamic)
        else:
            default, low, high = (number(value) for value in values[1:4])
            found[name] = Variable("number", default, f"{low}..{high}", dynamic)
    return {f"handlersocket_{name}": variable for name, variable in found.items()}


def variables_on_page() -> dict[str, Variable]:
    return {
        bare(name): Variable(kind, bare(default), limits.replace("`", ""), dynamic)
        for name, kind, default, limits, dynamic, _ in rows(read(VARIABLES_PAGE), 6)
    }


def check_variables() -> Iterator[str]:
    code, page = variables_in_code(), variables_on_page()
    for name in sorted(set(code) | set(page)):
        if name not in page:
            yield f"{VARIABLES_PAGE}: {name} is missing"
        elif name not in code:
            yield f"{VARIABLES_PAGE}: {name} is not in {VARIABLES_SOURCE}"
        elif code[name] != page[name]:
            yield f"{VARIABLES_PAGE}: {name} is {page[name]}, in the code {code[name]}"


def check_security() -> Iterator[str]:
    known = variables_on_page()
    table = {bare(name): bare(default) for name, default in rows(read(SECURITY_PAGE), 2)}
    stated = {name: default for name, default in table.items() if name.startswith("handlersocket_")}
    if not stated:
        yield f"{SECURITY_PAGE}: no defaults found"
    for name, default in stated.items():
        if name not in known:
            yield f"{SECURITY_PAGE}: {name} is not in {VARIABLES_PAGE}"
        elif known[name].default != default:
            yield f"{SECURITY_PAGE}: {name} is {default}, in {VARIABLES_PAGE} {known[name].default}"


def check_status() -> Iterator[str]:
    code = {
        f"Handlersocket_{name}"
        for _, (name, *_) in macro_calls(without_comments(read(STATUS_SOURCE)), r"HS_[A-Z_]*STATUS")
    }
    page = {bare(name) for name, _ in rows(read(VARIABLES_PAGE), 2)}
    if not code:
        yield f"{STATUS_SOURCE}: no status variables found"
    for name in sorted(code - page):
        yield f"{VARIABLES_PAGE}: {name} is missing"
    for name in sorted(page - code):
        yield f"{VARIABLES_PAGE}: {name} is not in {STATUS_SOURCE}"


# --- figures --------------------------------------------------------------------------------------


def five_numbers(page: str) -> list[list[str]]:
    """The rows of its table: what was measured, and for each target how much, ours in bold."""
    return [[cell.strip("*") for cell in row] for row in rows(page, 5) if row[1].startswith("**")]


def measured(page: str) -> set[str]:
    """The figures of the page's other tables: 1,234 of a cell "1,234 (1,200–1,300)"."""
    return {
        match[1]
        for width in (7, 8)
        for row in rows(page, width)
        for cell in row[1:]
        if (match := re.match(r"([\d.,]+)", cell))
    }


def check_figures() -> Iterator[str]:
    page = read(FIGURES_PAGE)
    shown, expected = five_numbers(read("README.md")), five_numbers(page)
    if len(expected) != 5:
        yield f"{FIGURES_PAGE}: {len(expected)} rows of five numbers"
    for row in expected:
        if row not in shown:
            yield f"README.md: this row of {FIGURES_PAGE} is missing: {' | '.join(row)}"
    for row in shown:
        if row not in expected:
            yield f"README.md: {FIGURES_PAGE} has no such row: {' | '.join(row)}"
    known = measured(page)
    for what, *numbers in expected:
        for each in numbers:
            if each != "–" and each not in known:
                yield f"{FIGURES_PAGE}: {each} ({what}) is in no other table"


# --- links ----------------------------------------------------------------------------------------


def pages() -> list[Path]:
    return [
        page
        for page in sorted(REPOSITORY.rglob("*.md"))
        if not any(
            part in SKIPPED_FOLDERS or part.startswith(".")
            for part in page.relative_to(REPOSITORY).parts
        )
    ]


def prose(page: Path) -> str:
    """The page without code, in which nothing is a link."""
    return re.sub(r"`[^`\n]*`", "``", FENCED_CODE.sub("", page.read_text(encoding="utf-8")))


def anchors(page: Path) -> set[str]:
    """The headings, as links name them."""
    text = FENCED_CODE.sub("", page.read_text(encoding="utf-8"))
    return {
        re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-")
        for heading in re.findall(r"^#+ (.+)$", text, flags=re.MULTILINE)
    }


def check_links() -> Iterator[str]:
    for page in pages():
        where = page.relative_to(REPOSITORY)
        for target in re.findall(r"\[[^\]]*\]\(([^)\s]+)\)", prose(page)):
            if re.match(r"[a-z]+:", target):
                continue
            path, _, anchor = target.partition("#")
            aim = (page.parent / path).resolve() if path else page
            if not aim.exists():
                yield f"{where}: the link {target} leads nowhere"
            elif anchor and aim.suffix == ".md" and anchor not in anchors(aim):
                yield f"{where}: the link {target} leads to no heading"


def main() -> int:
    """Prints every contradiction and returns the exit code."""
    wrong: list[str] = []
    for check in (check_errors, check_variables, check_security, check_status, check_figures, check_links):
        try:
            wrong += check()
        except (OSError, ValueError, KeyError, SyntaxError) as error:
            wrong.append(f"{check.__name__}: {error}")
    for line in wrong:
        print(line)
    count = f"{len(errors_on_page())} errors, {len(variables_on_page())} variables"
    print(f"{count} and {len(pages())} pages checked, {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
